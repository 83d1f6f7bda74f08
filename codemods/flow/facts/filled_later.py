"""Containers of which nothing is followed at first (`{"size": 3}`, `dict.fromkeys(names)`), and what they get later.

The two meet by the name under which the one is kept and the other is put in: `self.parts = {...}` and
`self.parts["x"] = f`, or by a literal key: `{"rows": rows}` and `options["rows"].setdefault("x", f)`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .builder import FactsBuilder
from .syntax import literal_key

_MADE = frozenset({ast.Dict, ast.List, ast.DictComp, ast.ListComp, ast.Call, ast.BinOp})
PUTS = frozenset({"append", "insert", "appendleft", "add", "update", "extend", "setdefault"})


def kept_as(builder: FactsBuilder, target: ast.expr, value: int, expression: ast.expr | None) -> int:
    """The node of what is assigned to `target`: `value`, or a new one for a dict or list of constants."""
    name = _name(target) if type(expression) in _MADE else ""
    if name and value < 0 and isinstance(expression, (ast.Dict, ast.List)):
        value = builder.container((), type(expression).__name__.lower())
    if name and value >= 0:
        builder.kept_empty.append((value, name))
    return value


def note_put(builder: FactsBuilder, container: ast.expr, value: int) -> None:
    """`value` is put into what is kept under a name, or a key."""
    if value >= 0 and (name := _name(container) or _key(container)):
        builder.put_by_name.append((name, value))


def note_call(
    builder: FactsBuilder, function: ast.Attribute, arguments: Sequence[int], keywords: Sequence[tuple[str, int]]
) -> None:
    """`parts.append(f)`."""
    if function.attr in PUTS:
        for argument in (*arguments, *(value for _, value in keywords)):
            note_put(builder, function.value, argument)


def note_item(builder: FactsBuilder, key: str, item: ast.expr, value: int) -> None:
    """`value` is put in a dict under a literal key, as it is made."""
    if isinstance(item, (ast.Name, ast.DictComp, ast.Dict, ast.ListComp)):
        builder.kept_empty.append((value, f"[{key}]"))


def _key(node: ast.expr) -> str:
    """`[key]` of an item that is taken by a literal key, "" for all others."""
    key = literal_key(node.slice) if isinstance(node, ast.Subscript) else ""
    return f"[{key}]" if key else ""


def _name(node: ast.expr) -> str:
    """`name` or `.attribute`, "" for all others."""
    return node.id if isinstance(node, ast.Name) else f".{node.attr}" if isinstance(node, ast.Attribute) else ""
