"""Tells files that do something from those that hold definitions only."""

from __future__ import annotations

import ast
from collections.abc import Iterable

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_ACTS = (ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith)


def runs(statements: Iterable[ast.stmt]) -> bool:
    """A call, a loop or a main guard among the statements of a module; or a decorator, which may register something."""
    return any(map(_runs, statements))


def _runs(node: ast.stmt) -> bool:
    if isinstance(node, _DEFINITIONS):
        return bool(node.decorator_list)
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return runs([*node.body, *node.orelse])
    if isinstance(node, ast.Try):
        return runs([*node.body, *node.orelse, *node.finalbody])
    return isinstance(node, _ACTS)
