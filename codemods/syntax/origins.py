"""Finds what an expression comes from: `ctx.Pool(2)` may be "multiprocessing.get_context().Pool()"."""

from __future__ import annotations

import ast
from collections.abc import Callable

from .outline import Outline

_DEPTH = 8
Special = Callable[[Outline, ast.expr, int], "str | None"]


def origin(outline: Outline, node: ast.expr, special: Special, depth: int = 0) -> str:
    """The dotted name, followed through imports and variables; "" when it can't be told.

    `special` decides first, with the depth of the search; None leaves the expression to this function.
    """
    if depth > _DEPTH:
        return ""
    if (decided := special(outline, node, depth)) is not None:
        return decided
    if isinstance(node, ast.Attribute):
        base = origin(outline, node.value, special, depth + 1)
        return f"{base}.{node.attr}" if base else ""
    if isinstance(node, ast.Call):
        base = origin(outline, node.func, special, depth + 1)
        return f"{base}()" if base else ""
    if not isinstance(node, ast.Name):
        return ""
    for binding in outline.lookup(node, node.id)[1]:
        statement = binding.statement
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            of_the_repository = isinstance(statement, ast.ImportFrom) and statement.level
            return "" if of_the_repository else outline.imported.get(node.id, "")
        value = binding.value if binding.value is not node else None
        if value is not None and (found := origin(outline, value, special, depth + 1)):
            return found
    return ""
