"""Statements that a fix takes out."""

from __future__ import annotations

import ast

from ..finding import Edit
from ..tree.source import Source
from .outline import Outline


def removed_statement(source: Source, module: ast.Module, call: ast.Call) -> tuple[Edit, ...]:
    """The edits that remove the statement `call`, an `if` or `try` that holds nothing else, and an idle import.

    Nothing where the call is no statement of its own, but part of one.
    """
    parents = Outline(source.path, module).parents
    if not isinstance(parents[call], ast.Expr):
        return ()
    gone, edit = _removed(source, parents, call)
    unused = _idle_import(module, gone)
    return (edit,) if unused is None else (_whole_lines(source, unused), edit)


def _idle_import(module: ast.Module, gone: ast.stmt) -> ast.stmt | None:
    """The import of one name that only `gone` used; None when something else may use it."""
    inside = {id(node) for node in ast.walk(gone)}
    used = {node.id for node in ast.walk(gone) if isinstance(node, ast.Name)}
    for statement in module.body:
        if not isinstance(statement, (ast.Import, ast.ImportFrom)) or len(statement.names) != 1:
            continue
        alias = statement.names[0]
        if alias.asname is None and "." in alias.name:  # `import torch.multiprocessing` binds torch, and loads a module
            continue
        name = alias.asname or alias.name
        if name not in used or (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
            continue
        others = (node for node in ast.walk(module) if id(node) not in inside and node is not statement)
        if not any(_names(node, name) for node in others):
            return statement
    return None


def _names(node: ast.AST, name: str) -> bool:
    """Does `node` use `name`, also in a string (`__all__`, annotations)?"""
    if isinstance(node, ast.Name):
        return node.id == name
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return name in node.names
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value == name


def _whole_lines(source: Source, statement: ast.stmt) -> Edit:
    assert statement.end_lineno is not None
    starts = source.line_starts
    last = starts[statement.end_lineno] if statement.end_lineno < len(starts) else len(source.text)
    return Edit(source.path, starts[statement.lineno - 1], last, "")


def _removed(source: Source, parents: dict[ast.AST, ast.AST], call: ast.Call) -> tuple[ast.stmt, Edit]:
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
            and all(isinstance(item, ast.Pass) for handler in parent.handlers for item in handler.body)
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
        return statement, Edit(source.path, start, end, "pass")
    return statement, _whole_lines(source, statement)
