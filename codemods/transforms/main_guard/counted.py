"""What counts or adds in the environment, which children have from their parent: run again there, it does so again."""

from __future__ import annotations

import ast

from ...syntax.callees import Function
from .statements import environment_read, environment_set


def counts_in_environment(function: Function) -> bool:
    """It sets a variable by what it had before, and asks for that value or returns it."""
    before: dict[str, set[str]] = {}  # names -> the variables of the environment that their values come from
    asked: set[str] = set()
    went: set[str] = set()  # variables that get a value that comes from their own
    for statement in _statements(function):
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            comes_from = set(environment_read(statement)).union(*(before.get(name, ()) for name in _read(statement)))
            for target in targets:
                if isinstance(target, ast.Name) and comes_from:
                    before.setdefault(target.id, set()).update(comes_from)
            went |= comes_from & set(environment_set(statement))
        elif isinstance(statement, ast.Expr):
            comes_from = set(environment_read(statement)).union(*(before.get(name, ()) for name in _read(statement)))
            went |= comes_from & set(environment_set(statement))
        tested = getattr(statement, "test", None)
        shown = statement.value if isinstance(statement, ast.Return) else tested
        if shown is not None:
            asked |= set(environment_read(ast.Expr(shown))).union(*(before.get(name, ()) for name in _read(shown)))
    return bool(went & asked)


def adds_to_environment(statement: ast.stmt) -> set[str]:
    """The variables, as written, that the statement adds to: `environ["A"] = environ["A"] + "x"`."""
    if isinstance(statement, ast.AugAssign):
        return set(environment_set(ast.Expr(statement.target))) - {""}
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, (ast.BinOp, ast.JoinedStr)):
        return set()
    return set(environment_set(statement)) & set(environment_read(ast.Expr(statement.value))) - {""}


def _statements(function: Function) -> list[ast.stmt]:
    """Those of the function itself, in the order of the text."""
    found = [node for node in ast.walk(function) if isinstance(node, ast.stmt) and node is not function]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def _read(node: ast.AST) -> list[str]:
    return [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)]
