"""Methods that workers call, and that other code calls too: `rows.open()` in the main script, before it sends them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..facts.records import Call
from ..facts.test_code import is_test
from ..facts.worker_side import is_for_workers
from ..kinds import FunctionKind
from .heap import BOUND, Heap
from .program import Program


def called_by_others(program: Program, heap: Heap, calls: Mapping[int, Iterable[tuple[int, Call]]]) -> Iterable[int]:
    """Of the methods that only what workers run is seen to call in their own file, those that more is seen to call.

    With what these call of their own object, if nothing else does.
    """
    candidates = {
        index
        for index, (_, made) in enumerate(program.functions)
        if made.worker_side and made.kind is FunctionKind.METHOD and made.parameters and not is_for_workers(made.name)
    }
    called: dict[int, set[int]] = {}  # by the caller, -1 for code that no worker runs
    for node, sites in calls.items() if candidates else ():
        meant = {int(heap.values[number].a) for number in heap.holds[node] if heap.values[number].kind == BOUND}
        for offset, call in sites if not meant.isdisjoint(candidates) else ():
            called.setdefault(_caller(program, heap, offset, call), set()).update(meant & candidates)
    found, todo = dict[int, None](), [*sorted(called.get(-1, ()))]
    while todo:
        index = todo.pop()
        if index not in found:
            found[index] = None
            todo += sorted(called.get(index, ()))
    return found


def _caller(program: Program, heap: Heap, offset: int, call: Call) -> int:
    """The function that workers run, and that makes the call; -1 for others, -2 for those of tests."""
    file = heap.file_of[call.result + offset]
    if is_test(program.files[file], program.facts_of):
        return -2
    around = program.function_offset[file] + call.scope if call.scope >= 0 else -1
    return around if around >= 0 and program.functions[around][1].worker_side else -1
