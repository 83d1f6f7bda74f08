"""Traces by the class whose own code makes a hazard.

Objects of one class are one value. Where siblings keep objects of a class with a function each, the shortest way of a
function may go over a sibling, which has another function there; what its own class keeps tells the same, and is true.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from ..facts.records import Position
from ..solve.heap import INSTANCE
from ..solve.solution import Solution
from .contents import inside
from .places import Places
from .seeds import EVERY
from .trace import Reason, chain_of


def by_its_own_class(
    places: Places, number: int, reasons: Mapping[int, Reason], path: str, position: Position
) -> Mapping[int, Reason]:
    """The reasons for a trace of the value `number`, which is made at `position`: `reasons`, or such a way."""
    solution = places.solution
    own = _own_object(solution, path, position)
    chain = chain_of(reasons, number)
    if own not in reasons or own in chain:
        return reasons
    if reasons[chain[-1]].boundary != reasons[chain_of(reasons, own)[-1]].boundary:
        return reasons
    siblings = solution.hierarchy.order(int(solution.heap.values[own].a))
    for held, keeper in pairwise(chain):
        value = solution.heap.values[keeper]
        if value.kind != INSTANCE or set(siblings).isdisjoint(solution.hierarchy.order(int(value.a))):
            continue
        node = next((each for each in inside(solution, own, EVERY) if held in solution.heap.holds[each]), -1)
        if node >= 0 and places.gets_to(held, node):
            return {**reasons, held: Reason(node, own, None, "")}
    return reasons


def _own_object(solution: Solution, path: str, position: Position) -> int:
    """The objects of the innermost class around a place; -1 for none."""
    program = solution.program
    file = program.file_index[path]
    around = [
        (made.position[:2], index)
        for index, made in enumerate(program.facts[file].classes, program.class_offset[file])
        if made.position[:2] < position[:2] and position[2:] <= made.position[2:]
    ]
    return solution.number_of_instance(max(around)[1]) if around else -1
