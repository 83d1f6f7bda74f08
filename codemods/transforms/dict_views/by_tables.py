"""Tables of pandas copy the elements of a view that is put into them: `df.columns = d.keys()`."""

from __future__ import annotations

import ast

from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name

_INDEXERS = frozenset(("loc", "iloc", "at", "iat"))
_TABLES = ("pandas", "geopandas")
_DEPTH = 4  # names and calls looked through


def takes_elements(outline: Outline, place: ast.expr) -> bool:
    """An assignment to `place` puts elements into a table, or names its rows or columns.

    Source: pandas/core/construction.py, `sanitize_array`; pandas/core/indexing.py.
    """
    if not isinstance(place, (ast.Attribute, ast.Subscript)):
        return False
    base = place.value
    if isinstance(place, ast.Subscript) and isinstance(base, ast.Attribute) and base.attr in _INDEXERS:
        base = base.value
        if not outline.is_self(base) and any(name.split(".")[0] in _TABLES for name in outline.imported.values()):
            return True  # nothing else has these in a file that imports pandas
    return _is_table(outline, base, 0)


def is_put_in_a_table(outline: Outline, node: ast.expr) -> bool:
    """It is the value of an assignment that does so, and of nothing else."""
    above = outline.parents[node]
    return (
        isinstance(above, ast.Assign)
        and above.value is node
        and all(takes_elements(outline, target) for target in above.targets)
    )


def _is_table(outline: Outline, node: ast.expr, depth: int) -> bool:
    """Every value seen of `node` comes from a call of pandas."""
    if depth > _DEPTH:
        return False
    if isinstance(node, ast.Call):
        if qualified_name(outline, node.func).split(".")[0] in _TABLES:
            return True
        method = node.func
        if not isinstance(method, ast.Attribute) or method.attr.startswith("to"):  # `to_dict`, `tolist`
            return False
        return _is_table(outline, method.value, depth + 1)
    if isinstance(node, ast.Subscript):
        return _is_table(outline, node.value, depth + 1)
    values: list[ast.expr | None] = []
    if isinstance(node, ast.Name):
        values = [binding.value for binding in outline.lookup(node, node.id)[1]]
    elif isinstance(node, ast.Attribute) and outline.is_self(node.value):
        owner = outline.owner(node)
        for item in outline.attributes.get(node.attr, ()):
            if isinstance(item.ctx, ast.Store) and outline.is_self(item.value) and outline.owner(item) is owner:
                above = outline.parents[item]
                values.append(above.value if isinstance(above, (ast.Assign, ast.AnnAssign)) else None)
    return bool(values) and all(value is not None and _is_table(outline, value, depth + 1) for value in values)
