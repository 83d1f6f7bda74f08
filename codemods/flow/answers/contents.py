"""What is pickled along with a value, and what of it makes pickle fail."""

from __future__ import annotations

from ...hazard_kind import HazardKind
from ..facts.records import Position
from ..kinds import NAMELESS
from ..solve.heap import BOUND, CLASS, CONTAINER, FUNCTION, HAZARD, INSTANCE, OBJECT
from ..solve.solution import Solution
from .hidden import hiding


def captures(solution: Solution, function: int) -> list[int]:
    """The nodes of the variables of enclosing functions that a function reads."""
    file, made = solution.program.functions[function]
    return [node + solution.program.offsets[file] for node in made.captures]


def inside(solution: Solution, number: int, only: frozenset[HazardKind]) -> list[int]:
    """Nodes whose values are pickled (or copied, where `only` some kinds matter) along with the value `number`."""
    value = solution.heap.values[number]
    if value.kind == CONTAINER:
        return [int(value.a), *solution.heap.fields.get(int(value.a), {}).values()]
    if value.kind == OBJECT:
        return [value.b] if value.b >= 0 else []
    if value.kind != INSTANCE or solution.hierarchy.is_bag(int(value.a)):
        return []
    order = solution.hierarchy.order(int(value.a))
    dropped: set[str] = set()
    for owner in order:
        made = solution.program.classes[owner][1]
        if made.dropped is None or (only and "__deepcopy__" in made.members):
            return []
        dropped |= made.dropped
    attributes = (item for owner in order for item in solution.attributes.get(owner, {}).items())
    return [node for name, node in attributes if name not in dropped]


def hazards(solution: Solution, number: int, only: frozenset[HazardKind]) -> list[tuple[HazardKind, str, Position]]:
    """What makes pickle fail for a value, of the kinds `only` where some are named: kind, file and place."""
    return [hazard for hazard in _all_hazards(solution, number) if not only or hazard[0] in only]


def _all_hazards(solution: Solution, number: int) -> list[tuple[HazardKind, str, Position]]:
    program, value = solution.program, solution.heap.values[number]
    if value.kind == HAZARD:
        hazard = program.hazards[int(value.a)]
        return [(hazard.kind, hazard.path, hazard.position)]
    if value.kind == FUNCTION:
        file, function = program.functions[int(value.a)]
        if function.kind in NAMELESS and not function.wraps:
            return [(NAMELESS[function.kind], program.files[file], function.position)]
        if (wrapper := hiding(solution, int(value.a))) is not None:
            home, inner = program.functions[wrapper]
            return [(HazardKind.WRAPPER, program.files[home], inner.position)]
    elif value.kind in (CLASS, INSTANCE):
        file, made = program.classes[int(value.a)]
        if made.nested:
            return [(HazardKind.CLASS, program.files[file], made.position)]
    return []


def holders(solution: Solution, only: frozenset[HazardKind]) -> set[int]:
    """The hazards of the kinds `only`, and every value along with which one may be pickled."""
    outer: dict[int, list[int]] = {}
    todo: list[int] = []
    for number, value in enumerate(solution.heap.values):
        if hazards(solution, number, only):
            todo.append(number)
        nodes = inside(solution, number, only)
        if value.kind == FUNCTION and not only:
            nodes = captures(solution, int(value.a))
        for node in nodes:
            for held in solution.heap.holds[node]:
                outer.setdefault(held, []).append(number)
        if value.kind == BOUND:
            outer.setdefault(value.b, []).append(number)
    found = set(todo)
    while todo:
        for number in outer.get(todo.pop(), ()):
            if number not in found:
                found.add(number)
                todo.append(number)
    return found
