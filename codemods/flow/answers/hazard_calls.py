"""Whether a hazard of a place is a function or class, as its uses show: something calls it."""

from __future__ import annotations

from ..solve.heap import HAZARD
from ..solve.solution import Solution

_CALLED = frozenset({"func", "fn", "function", "target", "task", "collate_fn", "worker_init_fn", "initializer"})


def is_called(solution: Solution, path: str, line: int, column: int) -> bool:
    """Some call, or a boundary that calls one of its arguments, gets the hazard at this position as what to call."""
    program, heap = solution.program, solution.heap
    numbers = {
        number
        for number, value in enumerate(heap.values)
        if value.kind == HAZARD
        and program.hazards[int(value.a)].path == path
        and program.hazards[int(value.a)].position[:2] == (line, column)
    }
    if any(sink.argument in _CALLED and not numbers.isdisjoint(heap.holds[sink.node]) for sink in solution.sinks):
        return True
    return any(
        not numbers.isdisjoint(heap.holds[call.function + program.offsets[program.file_index[name]]])
        for name in program.files
        for call in program.facts_of(name).calls
        if call.function >= 0
    )
