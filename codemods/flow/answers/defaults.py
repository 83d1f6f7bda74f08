"""Defaults that no call leaves to their parameters: `def __init__(self, one, other=lambda x: x)`, always given two."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from ..facts.test_code import is_test
from ..solve.heap import INSTANCE
from ..solve.solution import Solution
from .callers import Callers, Given
from .same_object import SameObject
from .surroundings import Surroundings
from .trace import Reasons


class _Parameter(NamedTuple):
    """A parameter of the function `function`, by position the one at `place`, -1 for none."""

    function: int
    name: str
    place: int


class Defaults:
    """Answers for the traces of one solution."""

    def __init__(
        self, solution: Solution, callers: Callers, same_object: SameObject, surroundings: Surroundings
    ) -> None:
        self.solution, self.callers, self.same_object = solution, callers, same_object
        self.surroundings = surroundings

    def unused(self, number: int, reasons: Reasons) -> bool:
        """True when the value is, somewhere on its way, the default of a parameter that every call gives something.

        Not one of a class of which nothing but the class says that its objects cross, nor of a function of a package
        that is installed: users elsewhere call them too.
        """
        while True:
            target = reasons[number].node
            for node in self.same_object.way(number, target):
                parameter = self._parameters.get(target)
                if parameter is not None and self._is_default(node, target):
                    keeper = reasons[number].parent
                    own = keeper >= 0 and reasons[keeper].node < 0 and self._makes(parameter.function, keeper)
                    return not own and not self._is_offered(parameter) and self._always_given(parameter)
                target = node
            if reasons[number].parent < 0:
                return False
            number = reasons[number].parent

    def _is_default(self, node: int, parameter: int) -> bool:
        """`node` is the default of the parameter: no call gives it, and no statement of the body assigns it."""
        heap = self.solution.heap
        return (node, parameter) not in heap.sites and heap.line_between(node, parameter) <= heap.lines[parameter]

    def _makes(self, function: int, keeper: int) -> bool:
        """The function is the initialiser of the class of an object, or a class above it."""
        value = self.solution.heap.values[keeper]
        file, made = self.solution.program.functions[function]
        if value.kind != INSTANCE or made.name != "__init__" or made.owner < 0:
            return False
        return self.solution.program.class_offset[file] + made.owner in self.solution.hierarchy.order(int(value.a))

    def _is_offered(self, parameter: _Parameter) -> bool:
        """It is a parameter of a function that an installed package offers."""
        file, function = self.solution.program.functions[parameter.function]
        return function.name != "__init__" and self.surroundings.is_installed(self.solution.program.files[file])

    def _always_given(self, parameter: _Parameter) -> bool:
        program, heap = self.solution.program, self.solution.heap
        seen = [
            given
            for given in self.callers.of(parameter.function)
            if not is_test(program.files[heap.file_of[given.call.result + given.offset]], program.facts_of)
        ]
        return bool(seen) and all(_gives(given, parameter) for given in seen)

    @cached_property
    def _parameters(self) -> dict[int, _Parameter]:
        """The parameters of all functions, by their nodes."""
        program, found = self.solution.program, dict[int, _Parameter]()
        for index, (file, function) in enumerate(program.functions):
            positional = [parameter for parameter in function.parameters if parameter.kind.is_positional]
            for parameter in function.parameters:
                place = positional.index(parameter) if parameter in positional else -1
                found[parameter.node + program.offsets[file]] = _Parameter(index, parameter.name, place)
        return found


def _gives(given: Given, parameter: _Parameter) -> bool:
    call, place = given.call, parameter.place - given.bound
    return parameter.name in dict(call.keywords) or 0 <= place < len(call.arguments)
