"""Tables of pandas take the elements of a view that is put into them: `df.columns = d.keys()`."""

from __future__ import annotations

import ast

from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name

_TABLES = ("pandas", "geopandas")
_LABELS = ("columns", "index")
_OF_ROWS = ("loc", "iloc")
_MAKERS = frozenset(("DataFrame", "GeoDataFrame", "concat", "merge", "json_normalize"))
_NOT_A_TABLE = "read_pickle"  # gives whatever is in the file
_SAME = frozenset(
    ("append", "assign", "astype", "copy", "drop", "drop_duplicates", "dropna", "explode", "fillna", "head", "join",
     "merge", "query", "reindex", "rename", "replace", "reset_index", "sample", "set_index",
     "sort_index", "sort_values", "tail")
)  # fmt: skip
_DEPTH = 4  # names and calls looked through


def takes_elements(outline: Outline, place: ast.expr) -> bool:
    """An assignment to `place` gives a table its labels, or a whole column or row.

    A single cell keeps the view. Source: pandas/core/construction.py, `sanitize_array`; pandas/core/indexing.py.
    """
    if isinstance(place, ast.Attribute):
        return place.attr in _LABELS and _is_frame(outline, place.value, 0)
    if not isinstance(place, ast.Subscript):
        return False
    if _is_indexed(outline, place):
        return not _is_cell(place)
    return _is_frame(outline, place.value, 0)


def is_put_in_a_table(outline: Outline, node: ast.expr) -> bool:
    """It is the value of an assignment that does so, or a column of a new table, and nothing else."""
    above = outline.parents[node]
    if isinstance(above, ast.Dict):
        call = outline.parents[above]
        return isinstance(call, ast.Call) and call.args[:1] == [above] and _is_frame(outline, call, 0)
    return (
        isinstance(above, ast.Assign)
        and above.value is node
        and all(takes_elements(outline, target) for target in above.targets)
    )


def is_put_in_a_cell(outline: Outline, node: ast.expr) -> bool:
    """It is the value of `df.loc[row, "column"] = ...`, which keeps a view whole and takes a list apart."""
    above = outline.parents[node]
    return isinstance(above, ast.Assign) and any(
        isinstance(target, ast.Subscript) and _is_indexed(outline, target) and _is_cell(target)
        for target in above.targets
    )


def _is_indexed(outline: Outline, place: ast.Subscript) -> bool:
    """`place` is `table.loc[...]`: nothing else has this in a file that imports pandas."""
    indexer = place.value
    if not isinstance(indexer, ast.Attribute) or indexer.attr not in _OF_ROWS or outline.is_self(indexer.value):
        return False
    imports = any(name.split(".")[0] in _TABLES for name in outline.imported.values())
    return imports or _is_frame(outline, indexer.value, 0)


def _is_cell(place: ast.Subscript) -> bool:
    """`place` names one row and one column."""
    key = place.slice
    return isinstance(key, ast.Tuple) and not any(
        isinstance(part, (ast.Slice, ast.List, ast.Compare, ast.BinOp)) for part in key.elts
    )


def _is_frame(outline: Outline, node: ast.expr, depth: int) -> bool:
    """Every value seen of `node` is a table with columns."""
    if depth > _DEPTH:
        return False
    if isinstance(node, ast.Call):
        package, _, maker = qualified_name(outline, node.func).partition(".")
        if package in _TABLES:
            return maker in _MAKERS or (maker.startswith("read_") and maker != _NOT_A_TABLE)
        method = node.func
        return (
            isinstance(method, ast.Attribute) and method.attr in _SAME and _is_frame(outline, method.value, depth + 1)
        )
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, (ast.List, ast.Compare)) and _is_frame(outline, node.value, depth + 1)
    values: list[ast.expr | None] = []
    if isinstance(node, ast.Name):
        values = [binding.value for binding in outline.lookup(node, node.id)[1]]
    elif isinstance(node, ast.Attribute) and outline.is_self(node.value):
        owner = outline.owner(node)
        for item in outline.attributes.get(node.attr, ()):
            if isinstance(item.ctx, ast.Store) and outline.is_self(item.value) and outline.owner(item) is owner:
                above = outline.parents[item]
                values.append(above.value if isinstance(above, (ast.Assign, ast.AnnAssign)) else None)
    return bool(values) and all(value is not None and _is_frame(outline, value, depth + 1) for value in values)
