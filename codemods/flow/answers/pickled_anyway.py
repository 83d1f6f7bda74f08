"""Calls that pickle or copy under every start method, and what they get."""

from __future__ import annotations

from functools import cached_property

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
        self._sinks: dict[str, list[Sink]] = {}
        for sink in solution.sinks:
            if (sink.always or sink.says) and sink.crosses and not may_be_threads(solution, sink, without_workers):
                self._sinks.setdefault(f"{sink.path}:{sink.line}", []).append(sink)

    @cached_property
    def calls(self) -> dict[_Place, list[str]]:
        """By place of a hazard that they get, or of the class of an object (no column): `path:line` of each."""
        found: dict[_Place, list[str]] = {}
        for call in self._sinks:
            for place in self._reached(call):
                found.setdefault(place, []).append(call)
        return found

    def _reached(self, call: str) -> set[_Place]:
        found: set[_Place] = set()
        heap, program = self.solution.heap, self.solution.program
        for sink in self._sinks.get(call, ()):
            seeds = [(number, Reason(sink.node, -1, None, sink.boundary)) for number in heap.holds[sink.node]]
            for number in self.closure.of(seeds, None, sink.only):
                value = heap.values[number]
                found.update((path, *position[:2]) for _, path, position in hazards(self.solution, number, sink.only))
                if value.kind == INSTANCE:
                    file, made = program.classes[int(value.a)]
                    found.add((program.files[file], made.position[0]))
        return found
