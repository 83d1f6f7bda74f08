"""Which reads of a rank choose a part of the work: `files[rank::8]`."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from ...syntax.callees import FUNCTIONS
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from .reads import SIZES, Read

_SPLIT = ("array_split", "chunk")
_READING = ("r", "rb", "rt")


def takes_part(read: Read, sizes: Collection[ast.AST] = ()) -> int | None:
    """A line that takes one part of several by the rank: `files[rank::8]`, `if number % 8 == rank`.

    `sizes`: reads of how many ranks there are that are 1 without a launcher, too.
    """
    names = _names(read)
    for node in read.outline.nodes:
        for chosen, count in _choosing(read.outline, node):
            for part in ast.walk(chosen) if not _is_one_alone(read.outline, count, sizes) else ():
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
    names = _targets(holder)
    for node in ast.walk(scope):  # `start = rank * per`
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.BinOp):
            factors = [part for part in ast.walk(node.value) if isinstance(part, ast.BinOp)]
            pairs = [(part.left, part.right) for part in factors if isinstance(part.op, ast.Mult)]
            for side, by in [*pairs, *(pair[::-1] for pair in pairs)]:
                is_rank = isinstance(side, (ast.Name, ast.Attribute)) and last_name(side) in names
                if is_rank and not _is_of_one(read.outline, by):
                    names |= _targets(node)
    return names


def _targets(holder: ast.Assign | ast.AnnAssign) -> set[str]:
    targets = holder.targets if isinstance(holder, ast.Assign) else [holder.target]
    return {name for target in targets if (name := last_name(target))}


def _is_one_alone(outline: Outline, count: ast.expr | None, sizes: Collection[ast.AST] = ()) -> bool:
    """Without a launcher there is one part, which is all: `int(os.environ.get("WORLD_SIZE", 1))`, also by a name."""
    while isinstance(count, (ast.Name, ast.Call)) and count not in sizes:
        if isinstance(count, ast.Name):
            count = outline.only_value(count)
        elif last_name(count.func) == "int" and len(count.args) == 1:
            count = count.args[0]
        else:
            break
    if count in sizes:
        return True
    if not isinstance(count, ast.Call) or qualified_name(outline, count.func) not in ("os.environ.get", "os.getenv"):
        return False
    given = [getattr(argument, "value", None) for argument in count.args]
    return len(given) == 2 and given[0] in SIZES and given[1] in (1, "1")


def _is_of_one(outline: Outline, size: ast.expr | None) -> bool:
    """The size of each part, `len(files) // world`, is that of all the work without a launcher."""
    size = outline.only_value(size) if isinstance(size, ast.Name) else size
    divides = isinstance(size, ast.BinOp) and isinstance(size.op, (ast.FloorDiv, ast.Div))
    return divides and isinstance(size, ast.BinOp) and _is_one_alone(outline, size.right)


def _choosing(outline: Outline, node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """The numbers by which an expression takes one part of several, each with how many there are."""
    if isinstance(node, ast.Slice) and node.lower is not None:
        if node.step is not None or (node.upper is not None and not isinstance(node.upper, ast.Constant)):
            yield node.lower, node.step
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        sides = (node.left, node.comparators[0])
        for side, other in zip(sides, reversed(sides), strict=True):
            if isinstance(other, ast.BinOp) and isinstance(other.op, ast.Mod):
                yield side, other.right
    elif isinstance(node, ast.Call):
        yield from _chosen_by_call(node)
    elif isinstance(node, ast.Subscript):
        parts = outline.only_value(node.value) if isinstance(node.value, ast.Name) else node.value
        if isinstance(parts, ast.Call) and last_name(parts.func) in _SPLIT:
            yield node.slice, parts.args[1] if len(parts.args) > 1 else None


def _chosen_by_call(call: ast.Call) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    name, given = last_name(call.func), {keyword.arg: keyword.value for keyword in call.keywords}
    if name == "islice":
        yield from ((argument, call.args[-1]) for argument in call.args[1:])
    elif name == "range" and len(call.args) == 3:
        yield call.args[0], call.args[2]
    elif name == "shard" and isinstance(call.func, ast.Attribute):  # of a data set: how many there are, and which one
        count, index, *_ = [*call.args, None, None]
        count, index = given.get("num_shards", count), given.get("index", index)
        if index is not None:
            yield index, count
    elif name == "open" and isinstance(call.func, ast.Name) and call.args:  # `open(f"part-{rank}.txt")`
        mode = given.get("mode", call.args[1] if len(call.args) > 1 else ast.Constant("r"))
        if isinstance(mode, ast.Constant) and mode.value in _READING:
            yield call.args[0], None
