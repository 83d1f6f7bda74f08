"""Which reads of a rank choose a part of the work: `files[rank::8]`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...syntax.callees import FUNCTIONS
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from .reads import SIZES, Read

_SPLIT = ("array_split", "chunk")


def takes_part(read: Read) -> int | None:
    """A line that takes one part of several by the rank: `files[rank::8]`, `if number % 8 == rank`."""
    names = _names(read)
    for node in read.outline.nodes:
        for chosen, count in _choosing(node):
            for part in ast.walk(chosen) if not _is_one_alone(read.outline, count) else ():
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


def _is_one_alone(outline: Outline, count: ast.expr | None) -> bool:
    """Without a launcher there is one part, which is all: `int(os.environ.get("WORLD_SIZE", 1))`, also by a name."""
    while isinstance(count, (ast.Name, ast.Call)):
        if isinstance(count, ast.Name):
            count = outline.only_value(count)
        elif last_name(count.func) == "int" and len(count.args) == 1:
            count = count.args[0]
        else:
            break
    if not isinstance(count, ast.Call) or qualified_name(outline, count.func) not in ("os.environ.get", "os.getenv"):
        return False
    given = [getattr(argument, "value", None) for argument in count.args]
    return len(given) == 2 and given[0] in SIZES and given[1] in (1, "1")


def _choosing(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """The numbers by which an expression takes one part of several, each with how many there are."""
    if isinstance(node, ast.Slice) and node.lower is not None:
        if node.step is not None or (node.upper is not None and not isinstance(node.upper, ast.Constant)):
            yield node.lower, node.step
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        sides = (node.left, node.comparators[0])
        for side, other in zip(sides, reversed(sides), strict=True):
            if isinstance(other, ast.BinOp) and isinstance(other.op, ast.Mod):
                yield side, other.right
    elif isinstance(node, ast.Call) and last_name(node.func) == "islice":
        yield from ((argument, node.args[-1]) for argument in node.args[1:])
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call) and last_name(node.value.func) in _SPLIT:
        yield node.slice, node.value.args[1] if len(node.value.args) > 1 else None
