"""Which classes a function may make objects of that makes those of any class that it is given, or keeps.

def build(kind, *args):
    return kind(*args)

build(Rows, 3)  # the argument says that this is no Net
build(Net, 3)

Where an object keeps the class (`self._target(self)`), or a table has it (`KNOWN[name]()`), nothing here says which
of them one call makes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from ..facts.records import Call
from ..solve.heap import CLASS, Value
from ..solve.solution import Solution

_MAX_OUTER = 4  # functions that hand the class on to each other


class _Made(NamedTuple):
    """A call that makes objects of several classes: the node of what is called, and the offset of its file."""

    callee: int
    offset: int
    call: Call


class Factories:
    """Answers for one solution. `kinds`: how many kinds of classes are among some, by their indices."""

    def __init__(self, solution: Solution, kinds: Callable[[list[int]], int]) -> None:
        self.solution, self.kinds = solution, kinds

    def says(self, number: int, way: list[int]) -> bool | None:
        """Whether the call by which the object `number` came along `way` (from its end back) makes its class.

        None where it comes from no call that makes objects of unrelated classes, or nothing is known of what it makes.
        False also where it may be any of these.
        """
        made = self._made.get(way[-1]) if way else None
        if made is None or made.call.scope < 0 or self.kinds(self._classes(made.callee)) < 2:
            return None
        program, heap = self.solution.program, self.solution.heap
        function = program.function_offset[heap.file_of[way[-1]]] + made.call.scope
        node, at = made.callee, len(way) - 1
        maker = heap.numbers.get(Value(CLASS, heap.values[number].a), -1)
        for _ in range(_MAX_OUTER):
            at = self._left(function, way, at)
            if at < 1:
                return None  # it is not what the function returns
            argument = self._argument(maker, node, function, way[at - 1])
            if argument is None:
                return False
            classes = self._classes(argument)
            if heap.values[number].a not in classes:
                return False
            if self.kinds(classes) < 2:
                return True
            node, function, at = argument, self._around(way[at - 1]), at - 1
        return False

    def _left(self, function: int, way: list[int], at: int) -> int:
        """The place on the way, from `at` on outwards, where the function returns the object; -1 for none."""
        file, made = self.solution.program.functions[function] if function >= 0 else (-1, None)
        if made is None:
            return -1
        returns = made.returns + self.solution.program.offsets[file]
        return next((place for place in range(at, -1, -1) if way[place] == returns), -1)

    def _argument(self, maker: int, node: int, function: int, result: int) -> int | None:
        """What the call with this result gives for the parameter by which the class comes to `node`."""
        heap, program = self.solution.heap, self.solution.program
        file, made = program.functions[function]
        parameters = {parameter.node + program.offsets[file] for parameter in made.parameters}
        seen = set[int]()
        while node >= 0 and node not in seen and node not in parameters:
            seen.add(node)
            node = heap.source(node, maker)
        if node not in parameters:
            return None
        return next((source for source in self._given.get(node, ()) if result + 1 in heap.sites[source, node]), None)

    def _around(self, node: int) -> int:
        """The function around the call with this result; -1 for none."""
        program = self.solution.program
        file = self.solution.heap.file_of[node]
        offset = program.offsets[file]
        scope = next((call.scope for call in program.facts[file].calls if call.result + offset == node), -1)
        return program.function_offset[file] + scope if scope >= 0 else -1

    def _classes(self, node: int) -> list[int]:
        values = (self.solution.heap.values[number] for number in self.solution.heap.holds[node])
        return [int(value.a) for value in values if value.kind == CLASS]

    @cached_property
    def _made(self) -> dict[int, _Made]:
        """By their results the calls of what holds several classes."""
        found: dict[int, _Made] = {}
        for callee, calls in self.solution.constraints.calls.items():
            if len(self.solution.heap.holds[callee]) > 1 and len(self._classes(callee)) > 1:
                found.update((call.result + offset, _Made(callee, offset, call)) for offset, call in calls)
        return found

    @cached_property
    def _given(self) -> dict[int, list[int]]:
        """Per parameter the nodes of arguments that calls give to it."""
        found: dict[int, list[int]] = {}
        for (source, target), sites in self.solution.heap.sites.items():
            if any(site > 0 for site in sites):
                found.setdefault(target, []).append(source)
        return found
