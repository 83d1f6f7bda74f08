"""What is pickled along with a value, and what of it makes pickle fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from ...hazard_kind import HazardKind
from ..facts.records import Position
from ..kinds import NAMELESS
from ..solve.heap import BOUND, CLASS, CONTAINER, FUNCTION, HAZARD, INSTANCE, OBJECT
from ..solve.solution import Solution
from .hidden import captures, hides_class, hiding, is_private, stands_for_object, stands_for_wrapper

_HOLDING = frozenset({CONTAINER, OBJECT, INSTANCE, FUNCTION})
_COPIES = frozenset(("__deepcopy__",))
_MAYBE_HAZARDS = frozenset({HAZARD, FUNCTION, BOUND, CLASS, INSTANCE})


def inside(solution: Solution, number: int, only: frozenset[HazardKind]) -> list[int]:
    """Nodes whose values are pickled (or copied, where `only` some kinds matter) along with the value `number`."""
    value = solution.heap.values[number]
    if value.kind == CONTAINER:
        return [int(value.a), *solution.heap.fields.get(int(value.a), {}).values()]
    if value.kind == OBJECT:
        return [value.b] if value.b >= 0 else []
    if value.kind != INSTANCE:
        return []
    if value.a in solution.registered or (only and copies_itself(solution, int(value.a))):
        return []
    order = solution.hierarchy.order(int(value.a))
    dropped: set[str] = set()
    sent: frozenset[str] | None = None  # None: whatever is not dropped
    for owner in order:
        made = solution.program.classes[owner][1]
        if made.dropped is None and not made.sent:
            return []
        dropped |= made.dropped or set()
        if made.dropped is None:
            sent = made.sent if sent is None else sent & made.sent
    found = [
        item
        for owner in order
        for item in solution.attributes.get(owner, {}).items()
        if (not dropped or _first(item[0]) not in dropped) and (sent is None or _first(item[0]) in sent)
    ]
    if found and solution.hierarchy.is_bag(int(value.a)):  # what others set, they set on one of its objects
        own = solution.hierarchy.own_attributes(int(value.a))
        found = [(name, node) for name, node in found if name in own]
    kept = _kept(solution, order) if found else None
    return [node for name, node in found if kept is None or _first(name) in kept]


def copies_itself(solution: Solution, index: int) -> bool:
    """Whether `copy.deepcopy` leaves objects of the class to a method of theirs, and does nothing that pickle does."""
    return solution.hierarchy.defines(index, _COPIES)


def _first(path: str) -> str:
    """The attribute of the object itself: `net` of `net._forward_hooks`."""
    return path.partition(".")[0]


def _kept(solution: Solution, order: tuple[int, ...]) -> frozenset[str] | None:
    """The attributes that a `__getstate__` takes alone; None where it takes all, or what a property gives."""
    classes = [solution.program.classes[owner][1] for owner in order]
    decides = next((made for made in classes if "__getstate__" in made.members), None)
    if decides is None or decides.kept is None:
        return None
    others = (made for made in classes if made is not decides)
    return decides.kept if all(decides.kept.isdisjoint(made.members) for made in others) else None


def classes_within(solution: Solution, path: str, class_line: int) -> tuple[tuple[str, int], ...]:
    """The classes whose objects are pickled along with those of the class at `path`:`class_line`: file and line."""
    program = solution.program
    index = next(
        (at for at, (file, made) in enumerate(program.classes)
         if program.files[file] == path and made.position[0] == class_line), -1,
    )  # fmt: skip
    first = solution.number_of_instance(index) if index >= 0 else -1
    todo, seen = [first] if first >= 0 else [], {first}
    found: dict[tuple[str, int], None] = {}
    while todo:
        for node in inside(solution, todo.pop(), frozenset()):
            for number in solution.heap.holds[node]:
                value = solution.heap.values[number]
                if number not in seen and value.kind in (INSTANCE, CONTAINER, OBJECT):
                    seen.add(number)
                    todo.append(number)
                    if value.kind == INSTANCE:
                        file, made = program.classes[int(value.a)]
                        found[program.files[file], made.position[0]] = None
    return tuple(sorted(found))


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
        if function.kind in NAMELESS and (not function.wraps or int(value.a) in solution.misnamed):
            return [(NAMELESS[function.kind], program.files[file], function.position)]
        if (wrapper := hiding(solution, int(value.a))) is not None:
            home, inner = program.functions[wrapper]
            return [(HazardKind.WRAPPER, program.files[home], inner.position)]
        if stands_for_object(solution, int(value.a)) or stands_for_wrapper(solution, int(value.a)):
            return [(HazardKind.MISNAMED, program.files[file], function.position)]
    elif value.kind == BOUND:
        file, function = program.functions[int(value.a)]
        if is_private(function):
            return [(HazardKind.MISNAMED, program.files[file], function.position)]
    elif value.kind in (CLASS, INSTANCE):
        file, made = program.classes[int(value.a)]
        if made.nested and not (made.reduced and value.kind == INSTANCE):
            return [(HazardKind.CLASS, program.files[file], made.position)]
        if value.kind == INSTANCE and made.decorators and hides_class(solution, int(value.a)):
            return [(HazardKind.MADE_CLASS, program.files[file], made.position)]
    return []


class Holders:
    """Which values hold what, for one solution."""

    def __init__(self, solution: Solution, inside: Callable[[int, frozenset[HazardKind]], list[int]]) -> None:
        """`inside`: as the function of this module, of this solution."""
        self.solution, self.inside = solution, inside
        self._graph: tuple[bool, dict[int, list[int]], dict[int, list[int]]] | None = None  # the last one: it is large

    def of(self, only: frozenset[HazardKind]) -> set[int]:
        """The hazards of the kinds `only`, and every value along with which one may be pickled."""
        return self._along((n for n, kinds in self._kinds.items() if not only or not kinds.isdisjoint(only)), only)

    def of_objects(self) -> set[int]:
        """The objects of the repository's classes, and every value along with which one may be pickled."""
        values = self.solution.heap.values
        return self._along((number for number, value in enumerate(values) if value.kind == INSTANCE), frozenset())

    def _along(self, numbers: Iterable[int], only: frozenset[HazardKind]) -> set[int]:
        if self._graph is None or self._graph[0] != bool(only):  # which kinds makes no difference
            self._graph = None
            self._graph = (bool(only), *self._around(only))
        _, nodes_of, outer = self._graph
        todo = [*numbers]
        found, seen = set(todo), set[int]()
        while todo:
            number = todo.pop()
            for at in nodes_of.get(number, ()):
                if at not in seen:
                    seen.add(at)
                    new = [each for each in outer[at] if each not in found]
                    found.update(new)
                    todo += new
        return found

    def _around(self, only: frozenset[HazardKind]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """By value the nodes that hold it, and by node the values that what it holds is pickled along with.

        The object of a bound method counts as a node, which has no number of a node.
        """
        nodes_of: dict[int, list[int]] = {}
        outer: dict[int, list[int]] = {}
        holds = self.solution.heap.holds
        for number, value in enumerate(self.solution.heap.values):
            kind = value.kind
            if kind == BOUND:
                outer.setdefault(-1 - value.b, []).append(number)
            elif kind in _HOLDING:
                nodes = self.inside(number, only)
                if kind == FUNCTION and not only:
                    nodes = captures(self.solution, int(value.a))
                for node in nodes:
                    if holds[node]:
                        outer.setdefault(node, []).append(number)
        for at in outer:
            for held in holds[at] if at >= 0 else (-1 - at,):
                nodes_of.setdefault(held, []).append(at)
        return nodes_of, outer

    @cached_property
    def _kinds(self) -> dict[int, set[HazardKind]]:
        """By value the kinds of hazards that it is, where it is any."""
        made: dict[int, set[HazardKind]] = {}
        for number, value in enumerate(self.solution.heap.values):
            found = _all_hazards(self.solution, number) if value.kind in _MAYBE_HAZARDS else ()
            if found:
                made[number] = {kind for kind, _, _ in found}
        return made
