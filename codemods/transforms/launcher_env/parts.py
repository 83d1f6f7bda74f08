"""Which reads of a rank choose a part of the work: `files[rank::8]`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...syntax.callees import FUNCTIONS
from ...syntax.names import last_name
from .reads import Read

_SPLIT = ("array_split", "chunk")


def takes_part(read: Read) -> int | None:
    """A line that takes one part of several by the rank: `files[rank::8]`, `if number % 8 == rank`."""
    names = _names(read)
    for node in read.outline.nodes:
        for chosen in _choosing(node):
            for part in ast.walk(chosen):
                is_named = isinstance(part, (ast.Name, ast.Attribute)) and last_name(part) in names
                if part is read.node or is_named:
                    return chosen.lineno
    return None


def _names(read: Read) -> set[str]:
    """What the rank is called: the variable that it becomes, or the function that returns it."""
    holder, scope = read.outline.statement(read.node), read.outline.scope(read.node)
    if isinstance(holder, ast.Return):
        return {scope.name} if isinstance(scope, FUNCTIONS) else set()
    if not isinstance(holder, (ast.Assign, ast.AnnAssign)):
        return set()
    targets = holder.targets if isinstance(holder, ast.Assign) else [holder.target]
    return {name for target in targets if (name := last_name(target))}


def _choosing(node: ast.AST) -> Iterator[ast.expr]:
    """The numbers by which an expression takes one part of several."""
    if isinstance(node, ast.Slice) and node.lower is not None:
        if node.step is not None or (node.upper is not None and not isinstance(node.upper, ast.Constant)):
            yield node.lower
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        sides = (node.left, node.comparators[0])
        shares = [isinstance(side, ast.BinOp) and isinstance(side.op, ast.Mod) for side in sides]
        yield from (side for side, other in zip(sides, reversed(shares), strict=True) if other)
    elif isinstance(node, ast.Call) and last_name(node.func) == "islice":
        yield from node.args[1:]
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call) and last_name(node.value.func) in _SPLIT:
        yield node.slice
