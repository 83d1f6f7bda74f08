"""Functions that call what they are given, with what they are given beside it: `attempt(torch.save, model, path)`.

The solver joins the calls of such a function. What one of them gives crosses only where the same call gives a boundary.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ..solve.heap import CONTAINER, FOREIGN
from ..solve.sinks import Sink
from ..solve.solution import Solution
from .callers import Callers
from .trace import Reasons


class CalledWith:
    """Answers for one solution."""

    def __init__(self, solution: Solution, callers: Callers) -> None:
        self.solution, self.callers = solution, callers

    def another(self, number: int, reasons: Reasons) -> bool:
        """True when the value is given to the function around its boundary by calls that give it no such boundary."""
        outermost = reasons.outermost(number)
        sinks = self._sinks.get((reasons[outermost].node, reasons[outermost].boundary), ())
        return bool(sinks) and all(self._is_another(sink, number, reasons) for sink in sinks)

    def _is_another(self, sink: Sink, number: int, reasons: Reasons) -> bool:
        calls = self._calls_with(sink)
        if not calls:
            return False
        given = set(self._given(sink.function, number, reasons))
        return bool(given) and given.isdisjoint(calls)

    def _calls_with(self, sink: Sink) -> set[int]:
        """The calls that give the boundary to the function that it is called in; none where it comes otherwise."""
        heap, table = self.solution.heap, self.solution.program.table
        parameters = self.solution.program.parameters(sink.function) if sink.function >= 0 else set()
        found: set[int] = set()
        for number in heap.holds[sink.callee]:
            value = heap.values[number]
            if value.kind != FOREIGN or table.canonical(str(value.a)) != sink.boundary:
                continue
            parameter = next((node for node in heap.way(number, sink.callee) if node in parameters), -1)
            if parameter < 0:
                return set()
            found.update(self._sites(parameter, number))
        return found

    def _given(self, function: int, number: int, reasons: Reasons) -> Iterator[int]:
        """The calls of the function that give it the value, or what that crosses with."""
        heap, places = self.solution.heap, self._places(function)
        while number >= 0:
            for node in heap.way(number, reasons[number].node):
                if node in places:
                    yield from self._sites(node, number)
            number = reasons[number].parent

    def _sites(self, node: int, number: int) -> Iterator[int]:
        """The calls by which the value gets to the parameter `node`."""
        for source, sites in self.callers.into.get(node, ()):
            if number in self.solution.heap.holds[source]:
                yield from (site for site in sites if site > 0)

    def _places(self, function: int) -> set[int]:
        """The nodes of the parameters, and of what `*args` and `**kwargs` hold."""
        heap, found = self.solution.heap, self.solution.program.parameters(function)
        held = [heap.values[number] for node in found for number in heap.holds[node]]
        for contents in [int(value.a) for value in held if value.kind == CONTAINER]:
            found |= {contents, *heap.fields.get(contents, {}).values()}
        return found

    @cached_property
    def _sinks(self) -> dict[tuple[int, str], list[Sink]]:
        found: dict[tuple[int, str], list[Sink]] = {}
        for sink in self.solution.sinks:
            found.setdefault((sink.node, sink.boundary), []).append(sink)
        return found
