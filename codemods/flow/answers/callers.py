"""Who calls the functions of the repository."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from ..facts.records import Call
from ..solve.heap import BOUND, CLASS, FUNCTION, INSTANCE
from ..solve.solution import Solution

Called = list[tuple[tuple[str, int, int], list[tuple[str, int]]]]  # the place of each call, and what it may call


class Given(NamedTuple):
    """A call of a function."""

    offset: int  # of its file
    call: Call
    bound: bool  # it gives no `self`


class Callers:
    """Answers for the functions of one solution. The call of a class is one of its initialiser."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self._taking: dict[int, dict[int, list[tuple[int, int, Call]]]] = {}  # of a file, by its offset

    def of(self, function: int) -> list[Given]:
        """The calls of a function."""
        return self._calls.get(function, [])

    def around(self, offset: int, call: Call) -> int:
        """The function that a call stands in; -1 at module level."""
        if call.scope < 0:
            return -1
        program = self.solution.program
        return program.function_offset[self.solution.heap.file_of[call.result + offset]] + call.scope

    def taking(self, node: int) -> list[tuple[int, int, Call]]:
        """The calls that `node` is an argument of, with the node of what is called and the file's offset."""
        offset = self.solution.program.offsets[self.solution.heap.file_of[node]]
        known = self._taking.get(offset)
        if known is None:
            known = self._taking[offset] = {}
            for callee, call in self._by_file.get(offset, ()):
                given = (*call.arguments, *(value for _, value in call.keywords), *call.stars, *call.double_stars)
                for argument in given:
                    if argument >= 0:
                        known.setdefault(argument + offset, []).append((callee, offset, call))
        return known.get(node, [])

    @cached_property
    def into(self) -> dict[int, list[tuple[int, list[int]]]]:
        """By where it leads to: the steps into and out of calls, each with where it begins and the calls.

        A call is the node of its result and one more, negated on the way out, as in the heap.
        """
        found: dict[int, list[tuple[int, list[int]]]] = {}
        for (source, target), sites in self.solution.heap.sites.items():
            found.setdefault(target, []).append((source, sites))
        return found

    @cached_property
    def _by_file(self) -> dict[int, list[tuple[int, Call]]]:
        """The calls of each file, by its offset, with the node of what is called."""
        found: dict[int, list[tuple[int, Call]]] = {}
        for callee, calls in self.solution.constraints.calls.items():
            for offset, call in calls:
                found.setdefault(offset, []).append((callee, call))
        return found

    @cached_property
    def _calls(self) -> dict[int, list[Given]]:
        heap = self.solution.heap
        found: dict[int, list[Given]] = {}
        for node, calls in self.solution.constraints.calls.items():
            for number in heap.holds[node]:
                value = heap.values[number]
                if value.kind in (FUNCTION, BOUND):
                    found.setdefault(int(value.a), []).extend(Given(*call, value.kind == BOUND) for call in calls)
                elif value.kind == CLASS and (made := self.initialiser(int(value.a))) >= 0:
                    found.setdefault(made, []).extend(Given(*call, True) for call in calls)
        return found

    def initialiser(self, index: int) -> int:
        """The `__init__` of a class, also of one above it; -1 for none."""
        return self.method(index, "__init__")

    def method(self, index: int, name: str) -> int:
        """The method of that name of a class, also of one above it; -1 for none."""
        program, heap = self.solution.program, self.solution.heap
        for at in self.solution.hierarchy.order(index):
            file, made = program.classes[at]
            if (node := made.members.get(name, -1)) >= 0:
                held = [heap.values[number] for number in heap.holds[node + program.offsets[file]]]
                return next((int(value.a) for value in held if value.kind == FUNCTION), -1)
        return -1


def called_in(solution: Solution, path: str) -> Called:
    """The functions and classes that calls in a file may call, each by path and line, beside the place of the call."""
    program, heap = solution.program, solution.heap
    found: Called = []
    file = program.file_index.get(path, -1)
    for call in program.facts[file].calls if file >= 0 else ():
        places: dict[tuple[str, int], None] = {}
        for number in heap.holds[call.function + program.offsets[file]]:
            value = heap.values[number]
            if value.kind in (FUNCTION, BOUND):
                home, function = program.functions[int(value.a)]
                places[program.files[home], function.position[0]] = None
            elif value.kind == CLASS:
                home, made = program.classes[int(value.a)]
                places[program.files[home], made.position[0]] = None
        if places:
            found.append(((path, *call.position[:2]), [*places]))
    return found


def given_to(solution: Solution, path: str, line: int, parameter: str) -> list[tuple[str, int]]:
    """The classes whose objects the parameter of the function at `path`:`line` gets, each by path and line."""
    program, heap = solution.program, solution.heap
    found: dict[tuple[str, int], None] = {}
    file = program.file_index.get(path, -1)
    for function in program.facts[file].functions if file >= 0 else ():
        for each in function.parameters if function.position[0] == line else ():
            for number in heap.holds[each.node + program.offsets[file]] if each.name == parameter else ():
                value = heap.values[number]
                if value.kind == INSTANCE:
                    home, made = program.classes[int(value.a)]
                    found[program.files[home], made.position[0]] = None
    return [*found]
