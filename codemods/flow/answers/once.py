"""Methods that run once for each object: initialisers, and what they call once.

def __init__(self):
    self.begin()  # in no loop, and nothing else takes `begin`
"""

from __future__ import annotations

from functools import cached_property

from ..facts.records import Call, Function
from ..kinds import MethodBinding
from ..solve.heap import BOUND, CLASS, FUNCTION, SUPER
from ..solve.solution import Solution
from .callers import Callers

_INITIALISER = "__init__"
_MAX_DEPTH = 8  # initialisers that call each other


class Once:
    """Answers for the functions of one solution."""

    def __init__(self, solution: Solution, callers: Callers) -> None:
        self.solution, self.callers = solution, callers
        self._known: dict[int, bool] = {}

    def runs(self, function: int) -> bool:
        """Nothing is seen by which the method could run twice for one object; False where that can't be told."""
        if function not in self._known:
            self._known[function] = self._runs(function, 0)
        return self._known[function]

    def _runs(self, function: int, depth: int) -> bool:
        made = self.solution.program.functions[function][1]
        if made.owner < 0 or made.decorators or made.generator or made.binding is not MethodBinding.INSTANCE:
            return False
        calls = self._named_calls(function)
        if calls is None or depth > _MAX_DEPTH:
            return False
        if made.name == _INITIALISER:
            return self._initialises_once(function, calls, depth)
        return len(calls) == 1 and self._initialiser_that_calls(*calls[0], depth) is not None

    def _initialises_once(self, function: int, calls: list[tuple[int, int, Call]], depth: int) -> bool:
        """Each object is made by one call of its class, and no class has two initialisers that call this one."""
        own, hierarchy, program = self._owner(function), self.solution.hierarchy, self.solution.program
        orders = [order for at in range(len(program.classes)) if own in (order := hierarchy.order(at))]
        if any("__new__" in program.classes[at][1].members for order in orders for at in order):
            return False  # it may give an object that there is already
        below = set[int]()
        for base, offset, call in calls:
            around = self._initialiser_that_calls(base, offset, call, depth)
            owner = self._owner(around) if around is not None else own
            if owner in below or owner == own or own not in hierarchy.order(owner):
                return False
            below.add(owner)
        return not any(len(below.intersection(order)) > 1 for order in orders)

    def _initialiser_that_calls(self, base: int, offset: int, call: Call, depth: int) -> int | None:
        """The initialiser that makes the call, on its own object, once where it runs once; None where it may be more.

        `base`: the node of what the method is an attribute of.
        """
        around = self.callers.around(offset, call)
        if around < 0:
            return None
        file, made = self.solution.program.functions[around]
        if made.name != _INITIALISER or not made.parameters or self._is_in_loop(file, call):
            return None
        me = made.parameters[0].node
        kinds = {self.solution.heap.values[number].kind for number in self.solution.heap.holds[base]}
        on_class = kinds == {CLASS} and call.arguments[:1] == (me,)
        own = base == me + offset or kinds == {SUPER} or on_class
        return around if own and self._runs(around, depth + 1) else None

    def _is_in_loop(self, file: int, call: Call) -> bool:
        loops, line = self.solution.program.facts[file].loops, call.position[0]
        return any(scope == call.scope and first <= line <= last for scope, first, last in loops)

    def _owner(self, function: int) -> int:
        file, made = self.solution.program.functions[function]
        return self.solution.program.class_offset[file] + made.owner

    def _named_calls(self, function: int) -> list[tuple[int, int, Call]] | None:
        """The calls of the method where it is named, each with the node of the object and the offset of its file.

        None where something else may call it: it is kept or passed on, or an unknown object has a method of its name.
        The call of a class, which makes a new object, is none of these.
        """
        heap, constraints = self.solution.heap, self.solution.constraints
        name = self.solution.program.functions[function][1].name
        if self._unknown.get(name):
            return None
        found: list[tuple[int, int, Call]] = []
        reads = self._reads.get(function, [])
        for base, result in reads:
            calls = constraints.calls.get(result, [])
            if len(calls) != 1 or heap.targets[result] or self.callers.taking(result):
                return None
            found.append((base, *calls[0]))
        known = {result for _, result in reads}
        for given in self.callers.of(function):
            callee = given.call.function + given.offset
            held = (heap.values[number] for number in heap.holds[callee])
            if callee not in known and any(each.kind in (FUNCTION, BOUND) and each.a == function for each in held):
                return None
        return found

    @cached_property
    def _reads(self) -> dict[int, list[tuple[int, int]]]:
        """By method where it is read as an attribute: the node of the object, and of what is read."""
        heap, functions = self.solution.heap, self.solution.program.functions
        found: dict[int, list[tuple[int, int]]] = {}
        for base, loads in self.solution.constraints.loads.items():
            for _, result in loads:
                for number in heap.holds[result]:
                    value = heap.values[number]
                    if value.kind in (FUNCTION, BOUND) and _is_method(functions[int(value.a)][1]):
                        found.setdefault(int(value.a), []).append((base, result))
        return found

    @cached_property
    def _unknown(self) -> dict[str, bool]:
        """The names of attributes that are called of objects of which nothing is known."""
        holds, constraints = self.solution.heap.holds, self.solution.constraints
        return {
            name: True
            for base, loads in constraints.loads.items()
            if not holds[base]
            for name, result in loads
            if not holds[result] and result in constraints.calls
        }


def _is_method(function: Function) -> bool:
    return function.owner >= 0
