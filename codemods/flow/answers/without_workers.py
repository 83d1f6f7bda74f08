"""Whether a value gets to a loader only by calls that ask for no workers: `make(dataset, num_workers=0)`.

The loader is made in a function that is told the number, by a parameter or in its `**options`; so the number belongs to
the call that brings the value.
"""

from __future__ import annotations

from functools import cached_property

from ..facts.records import Call, Parameter
from ..kinds import FunctionKind, MethodBinding, ParameterKind
from ..solve.heap import BOUND, CLASS, FUNCTION, Value
from ..solve.sinks import Sink
from ..solve.solution import Solution

_NUMBER = "num_workers"


class WithoutWorkers:
    """Answers for one solution."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution

    def __call__(self, sink: Sink, number: int) -> bool:
        """The value `number` is at `sink`, and all calls that may have brought it there say 0."""
        if sink.number < 0 or sink.function < 0:
            return False
        file, function = self.solution.program.functions[sink.function]
        offset = self.solution.program.offsets[file]
        at = next((at for at, each in enumerate(function.parameters) if each.node + offset == sink.number), -1)
        calls = self._callers.get(sink.function, []) if at >= 0 else []
        bringing = [call for call in calls if self._brings(*call[:2], number)] or calls
        return bool(bringing) and all(
            self._says_none(call, function.parameters[at], at - bound) for _, call, bound in bringing
        )

    def _brings(self, offset: int, call: Call, number: int) -> bool:
        given = (*call.arguments, *(value for _, value in call.keywords), *call.stars, *call.double_stars)
        return any(number in self.solution.heap.holds[node + offset] for node in given if node >= 0)

    @staticmethod
    def _says_none(call: Call, parameter: Parameter, place: int) -> bool:
        """The call passes 0, or nothing where that comes to 0."""
        if call.stars or call.double_stars:
            return False
        if parameter.kind is ParameterKind.DOUBLE_STARRED:
            return call.literals.get(_NUMBER, 0) == 0 and not any(
                name == _NUMBER and _NUMBER not in call.literals for name, _ in call.keywords
            )
        if any(name == parameter.name for name, _ in call.keywords):
            return call.literals.get(parameter.name, 1) == 0
        if place < len(call.arguments) and parameter.kind.is_positional:
            return call.literals.get(place, 1) == 0
        return parameter.zero

    @cached_property
    def _callers(self) -> dict[int, list[tuple[int, Call, int]]]:
        """By function the calls of it, each with the offset of its file and the number of parameters bound already."""
        heap = self.solution.heap
        found: dict[int, list[tuple[int, Call, int]]] = {}
        for callee, calls in self.solution.constraints.calls.items():
            for value in (heap.values[number] for number in heap.holds[callee]):
                function, bound = self._called(value)
                for offset, call in calls if function >= 0 else ():
                    found.setdefault(function, []).append((offset, call, bound))
        return found

    def _called(self, value: Value) -> tuple[int, int]:
        """The function that a call of the value runs, or -1, and how many parameters are bound already."""
        if value.kind in (FUNCTION, BOUND):
            function = self.solution.program.functions[int(value.a)][1]
            static = function.kind is not FunctionKind.METHOD or function.binding is MethodBinding.STATIC
            return int(value.a), int(value.kind == BOUND and not static)
        return (self._initialiser(int(value.a)), 1) if value.kind == CLASS else (-1, 0)

    def _initialiser(self, index: int) -> int:
        program = self.solution.program
        for owner in self.solution.hierarchy.order(index):
            file, made = program.classes[owner]
            node = made.members.get("__init__", -1)
            for number in self.solution.heap.holds[node + program.offsets[file]] if node >= 0 else ():
                if self.solution.heap.values[number].kind == FUNCTION:
                    return int(self.solution.heap.values[number].a)
        return -1
