"""Calls that pickle or copy under every start method, and what they get."""

from __future__ import annotations

from collections.abc import Iterator

from ...hazard_kind import HazardKind
from ..solve.heap import INSTANCE
from ..solve.sinks import Sink
from ..solve.solution import Solution
from .closure import Closure
from .contents import hazards
from .seeds import may_be_threads
from .trace import Reason
from .without_workers import WithoutWorkers

_Place = tuple[str | int, ...]


class PickledAnyway:
    """What of a solution is pickled or copied also where nothing is sent to another interpreter."""

    def __init__(self, solution: Solution, closure: Closure, without_workers: WithoutWorkers) -> None:
        self.solution, self.closure = solution, closure
        self._of_hazards: dict[_Place, list[str]] | None = None
        self._of_classes: dict[_Place, list[str]] | None = None
        self._sinks: dict[str, list[Sink]] = {}
        for sink in solution.sinks:
            if (sink.always or sink.says) and sink.crosses and not may_be_threads(solution, sink, without_workers):
                self._sinks.setdefault(f"{sink.path}:{sink.line}", []).append(sink)

    def of_hazard(self, place: _Place, holders: set[int]) -> list[str]:
        """`path:line` of those that get the hazard at a place: path, line and column.

        `holders`: all hazards, and every value along with which one may be pickled. Most calls get none of these.
        """
        if self._of_hazards is None:
            self._of_hazards = {}
            for call in self._sinks:
                places = {
                    (path, *position[:2])
                    for number, only in self._reached(call, holders)
                    for _, path, position in hazards(self.solution, number, only)
                }
                for at in places:
                    self._of_hazards.setdefault(at, []).append(call)
        return self._of_hazards.get(place, [])

    def of_class(self, place: _Place, holders: set[int]) -> list[str]:
        """The same of those that get an object of the class at a place: path and line. `holders`: as for hazards."""
        if self._of_classes is None:
            self._of_classes = {}
            heap, program = self.solution.heap, self.solution.program
            for call in self._sinks:
                values = (heap.values[number] for number, _ in self._reached(call, holders))
                made = [program.classes[int(value.a)] for value in values if value.kind == INSTANCE]
                for at in {(program.files[file], each.position[0]) for file, each in made}:
                    self._of_classes.setdefault(at, []).append(call)
        return self._of_classes.get(place, [])

    def _reached(self, call: str, among: set[int]) -> Iterator[tuple[int, frozenset[HazardKind]]]:
        """The values (`among` these) that a call gets, with the kinds that it minds."""
        heap = self.solution.heap
        for sink in self._sinks.get(call, ()):
            seeds = [(number, Reason(sink.node, -1, None, sink.boundary)) for number in heap.holds[sink.node]]
            for number in self.closure.of(seeds, among, sink.only):
                yield number, sink.only
