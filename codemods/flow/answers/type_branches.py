"""Branches for objects of other types: `if isinstance(rows, Dataset): return DataLoader(rows)`, and it is a list."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from ..facts.records import TypeBranch
from ..facts.syntax import IN_A_DICT
from ..solve.heap import BOUND, CLASS, CONTAINER, FOREIGN, FUNCTION, INSTANCE
from ..solve.solution import Solution
from .trace import Reasons

_PLAIN_BASES = frozenset({"object", "abc.ABC", "typing.Generic", "typing.Protocol"})
_BROAD = ("typing.", "collections.", "types.", "numbers.")  # what other types count as
_MADE_AS = {"put in a list": "list", IN_A_DICT: "dict", "put in a set": "set", "put in a tuple": "tuple"}


class TypeBranches:
    """Answers for the traces of one solution."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution

    def other(self, number: int, reasons: Reasons) -> bool:
        """True when the value, or what it crosses with, goes by a branch for objects of another type."""
        while self._rows and number >= 0:
            reason = reasons[number]
            way = [*self.solution.heap.way(number, reason.node)] if reason.node >= 0 else []
            steps = [(at, self._line(at, to)) for to, at in pairwise(way)]
            if way and reason.parent < 0 and reason.hop is not None:
                steps.append((way[0], reason.hop.line))
            if any(self._is_excluded(number, row) for at, line in steps for row in self._around(at, line)):
                return True
            number = reason.parent
        return False

    def _line(self, source: int, target: int) -> int:
        heap = self.solution.heap
        return heap.line_between(source, target) or heap.lines[target]

    def _around(self, node: int, line: int) -> Iterator[TypeBranch]:
        return (row for row in self._rows.get(node, ()) if row.first <= line <= row.last)

    @cached_property
    def _rows(self) -> dict[int, list[TypeBranch]]:
        """By the node of the variable, with the nodes of the types."""
        program, found = self.solution.program, dict[int, list[TypeBranch]]()
        for facts, offset in zip(program.facts, program.offsets, strict=True):
            for row in facts.typed:
                types = tuple((name, node + offset if node >= 0 else -1) for name, node in row.types)
                found.setdefault(row.node + offset, []).append(row._replace(types=types))
        return found

    def _is_excluded(self, number: int, row: TypeBranch) -> bool:
        known = [self._is_one(number, name, node) for name, node in row.types]
        return all(each is False for each in known) if row.truth else any(known)

    def _is_one(self, number: int, name: str, node: int) -> bool | None:
        """Whether the value is of the type; None where that can't be told."""
        heap, value = self.solution.heap, self.solution.heap.values[number]
        made_as = _MADE_AS.get(heap.labels[int(value.a)]) if value.kind == CONTAINER else None
        if made_as is None and value.kind not in (INSTANCE, FUNCTION, BOUND):
            return None
        if name:
            return self._is_built_in(number, name) if made_as is None else made_as == name
        named = [heap.values[each] for each in heap.holds[node]] if node >= 0 else []
        if len(named) != 1 or named[0].kind not in (CLASS, FOREIGN):
            return None
        if named[0].kind == CLASS:
            return self._derives(number, int(named[0].a)) if value.kind == INSTANCE else False
        foreign = str(named[0].a)
        if foreign.startswith(_BROAD):
            return None
        if value.kind != INSTANCE:
            return False
        bases = self.solution.hierarchy.all_foreign_bases(int(value.a))
        return True if foreign in bases else False if _PLAIN_BASES.issuperset(bases) else None

    def _derives(self, number: int, index: int) -> bool:
        return index in self.solution.hierarchy.order(int(self.solution.heap.values[number].a))

    def _is_built_in(self, number: int, name: str) -> bool | None:
        value = self.solution.heap.values[number]
        bases = self.solution.hierarchy.all_foreign_bases(int(value.a)) if value.kind == INSTANCE else ()
        return True if name in bases else False if _PLAIN_BASES.issuperset(bases) else None
