"""Classes for whose objects a reducer is registered: these cross as it says, objects of classes below them do not.

copyreg.pickle(Reader, reduced)
copyreg.pickle(type(reader), reduced)
"""

from __future__ import annotations

from ..facts.test_code import is_test
from .constraints import Constraints
from .heap import CLASS, FOREIGN, Heap, Value
from .program import Program

_REGISTER = (
    "copyreg.pickle",
    "multiprocessing.reduction.ForkingPickler.register",
    "torch.multiprocessing.reductions.ForkingPickler.register",
)


def registered(program: Program, heap: Heap, constraints: Constraints) -> frozenset[int]:
    """The classes, by their indices."""
    numbers = {number for name in _REGISTER if (number := heap.numbers.get(Value(FOREIGN, name), -1)) >= 0}
    found = set[int]()
    for callee, calls in constraints.calls.items() if numbers else ():
        if numbers.isdisjoint(heap.holds[callee]):
            continue
        for offset, call in calls:
            node = call.arguments[0] if call.arguments else dict(call.keywords).get("ob_type", -1)
            if node >= 0 and not is_test(program.files[heap.file_of[call.result + offset]], program.facts_of):
                held = [heap.values[number] for number in heap.holds[node + offset]]
                found |= {int(value.a) for value in held if value.kind == CLASS}
    return frozenset(found)
