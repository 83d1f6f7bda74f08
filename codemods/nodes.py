"""Walks over syntax trees: what `ast.walk` and `ast.iter_child_nodes` give, less the load/store marks, and faster.

The fields of a node that never hold nodes (names, numbers, marks) are known by its class and not looked at.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

_Node = TypeVar("_Node", bound=ast.expr)

# Fields without nodes, by class (None: whatever the class).
_PLAIN: dict[str | None, frozenset[str]] = {
    None: frozenset({"ctx", "id", "attr", "asname", "module", "level", "kind", "type_comment", "simple", "conversion"}),
    "Constant": frozenset({"value"}),
    "Global": frozenset({"names"}),
    "Nonlocal": frozenset({"names"}),
    "arg": frozenset({"arg"}),
    "keyword": frozenset({"arg"}),
    "alias": frozenset({"name"}),
    "FunctionDef": frozenset({"name"}),
    "AsyncFunctionDef": frozenset({"name"}),
    "ClassDef": frozenset({"name"}),
    "ExceptHandler": frozenset({"name"}),
    "MatchAs": frozenset({"name"}),
    "MatchStar": frozenset({"name"}),
    "MatchMapping": frozenset({"rest"}),
    "MatchClass": frozenset({"kwd_attrs"}),
    "comprehension": frozenset({"is_async"}),
}


class _Fields(dict[type, tuple[str, ...]]):
    """By class of a node: the fields that may hold nodes."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        plain = _PLAIN[None] | _PLAIN.get(kind.__name__, frozenset())
        self[kind] = tuple(name for name in kind._fields if name not in plain)
        return self[kind]


FIELDS = _Fields()
_ENDS = frozenset({ast.Name, ast.Constant, ast.alias})  # most of the nodes that have none below
_WITH_GAPS = frozenset({"keys", "kw_defaults"})  # fields whose lists may hold None: all others hold nodes alone


def end_line(node: ast.expr | ast.stmt | ast.alias) -> int:
    """The line in which it ends: the parser sets it for each node of a file."""
    return node.end_lineno or node.lineno


def end_place(node: ast.expr | ast.stmt | ast.alias) -> tuple[int, int]:
    """The line in which it ends, and the column behind it, in bytes."""
    return end_line(node), node.end_col_offset or 0


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below `node`, in the order of its fields."""
    found: list[ast.AST] = []
    for name in FIELDS[node.__class__]:
        value = getattr(node, name, None)
        if value.__class__ is list:
            found += value if name not in _WITH_GAPS else [item for item in value if item is not None]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def at_place(nodes: Iterable[_Node], place: tuple[int, int, int, int]) -> _Node | None:
    """The one of `nodes` that begins and ends at `place`: line and column of both, as in `ast`; None without one."""
    ends = ((node, (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)) for node in nodes)
    return next((node for node, end in ends if end == place), None)


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """`node` and every node below it, breadth first."""
    todo = [node]
    for entry in todo:  # grows as it goes
        yield entry
        for name in FIELDS[entry.__class__]:
            value = getattr(entry, name, None)
            if value.__class__ is list:
                todo += value if name not in _WITH_GAPS else [item for item in value if item is not None]
            elif isinstance(value, ast.AST):
                todo.append(value)


_OF_THEIR_OWN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def yields(body: Iterable[ast.AST]) -> bool:
    """These statements of a function make it a generator."""
    todo = [*body]
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, _OF_THEIR_OWN):
            todo += children(node)
    return False


def parents_of(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    """The parent of every node below `tree`."""
    found: dict[ast.AST, ast.AST] = {}
    todo = [tree]
    for node in todo:  # grows as it goes
        for name in FIELDS[node.__class__]:
            value = getattr(node, name, None)
            if value.__class__ is list:
                below = value if name not in _WITH_GAPS else [item for item in value if item is not None]
                todo += below
                for child in below:
                    found[child] = node
            elif isinstance(value, ast.AST):
                todo.append(value)
                found[value] = node
    return found


_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")  # in the order of the fields


def statements(tree: ast.AST) -> list[ast.stmt]:
    """Every statement below `tree`, in the order in which `walk` gives them; no expression is looked at."""
    found: list[ast.stmt] = []
    todo: list[ast.AST] = [tree]
    for item in todo:  # grows as it goes
        for name in _BLOCKS:
            block = getattr(item, name, None)
            if block.__class__ is list:
                todo += block
                if name != "handlers" and name != "cases":
                    found += block
    return found


def index_at(block: Sequence[ast.stmt], line: int) -> int:
    """Where the first statement of a block is that has the line; -1 for none."""
    at = bisect_right(block, line, key=lambda item: item.lineno) - 1
    while at > 0 and (block[at - 1].end_lineno or line) >= line:  # `a = 1; b = 2`
        at -= 1
    return at if at >= 0 and line <= (block[at].end_lineno or line) else -1


def deeper_than(tree: ast.AST, depth: int) -> bool:
    """True when `tree` has more than `depth` levels."""
    level: list[ast.AST] = [tree]
    ends = False  # the lowest level so far has nodes that nothing is below
    for left in range(depth, 0, -1):
        below: list[ast.AST] = []
        ends = False
        for node in level:
            for name in FIELDS[node.__class__]:
                value = getattr(node, name, None)
                kind = value.__class__
                if kind in _ENDS:
                    ends = True
                elif isinstance(value, list):
                    for item in value:
                        if item.__class__ in _ENDS:
                            ends = True
                        elif isinstance(item, ast.AST) and not _is_shallow(item, left - 2):
                            below.append(item)
                elif isinstance(value, ast.AST) and value._fields and not _is_shallow(value, left - 2):
                    below.append(value)
        if not below and not ends:
            return False
        level = below
    return True


def _is_shallow(node: ast.AST, depth: int) -> bool:
    """True for a node on one line that is too short for more than `depth` levels.

    Each level of an expression takes a character of the source, and a statement adds one level to its expression.
    """
    if not isinstance(node, (ast.expr, ast.stmt)) or node.end_lineno != node.lineno:
        return False
    return node.end_col_offset is not None and node.end_col_offset - node.col_offset < depth
