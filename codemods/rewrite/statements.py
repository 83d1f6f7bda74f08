"""Statements that a fix takes out."""

from __future__ import annotations

import ast

from ..finding import Edit
from ..tree.source import Source


def removed_statement(source: Source, module: ast.Module, call: ast.Call) -> Edit:
    """The edit that removes the statement `call`, and an `if` or `try` that holds nothing else."""
    parents = {child: node for node in ast.walk(module) for child in ast.iter_child_nodes(node)}
    statement: ast.AST = parents[call]
    while True:
        parent = parents[statement]
        body = getattr(parent, "body", [])
        alone = isinstance(body, list) and body == [statement]
        asks = isinstance(parent, ast.If) and not parent.orelse and "get_start_method" in ast.unparse(parent.test)
        passes = (
            isinstance(parent, ast.Try)
            and not parent.orelse
            and not parent.finalbody
            and all(isinstance(each, ast.Pass) for handler in parent.handlers for each in handler.body)
        )
        if not (alone and (asks or passes)):
            break
        statement = parent
    assert isinstance(statement, ast.stmt) and statement.end_lineno is not None and statement.end_col_offset is not None
    start = source.offset(statement.lineno, statement.col_offset)
    end = source.offset(statement.end_lineno, statement.end_col_offset)
    siblings = next(
        (block for name in ("body", "orelse", "finalbody") if statement in (block := getattr(parent, name, []))), []
    )
    before = source.text[source.line_starts[statement.lineno - 1] : start]
    after = source.line_text(statement.end_lineno)[end - source.line_starts[statement.end_lineno - 1] :]
    if len(siblings) == 1 or before.strip() or after.strip():
        return Edit(source.path, start, end, "pass")
    last = (
        source.line_starts[statement.end_lineno] if statement.end_lineno < len(source.line_starts) else len(source.text)
    )
    return Edit(source.path, source.line_starts[statement.lineno - 1], last, "")
