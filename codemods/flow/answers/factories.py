"""Which classes a function may make objects of that makes those of any class that it is given, or keeps.

def build(kind, *args):
    return kind(*args)

build(Rows, 3)  # the argument says that this is no Net
Rows.from_config(config)  # so does the class whose method it is, and an object that keeps one class only

Where one object keeps several classes, or a table has them (`KNOWN[name]()`), nothing here says which of them a call
makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from ..facts.records import Call
from ..solve.heap import BOUND, CLASS, INSTANCE, Value
from ..solve.solution import Solution

_MAX_OUTER = 4  # functions that hand the class on to each other


class Makes(Enum):
    """What is known of the class of an object that one call gives, where a function makes those of several."""

    THIS = "this"
    ANOTHER = "another"
    ANY = "any"


class _Made(NamedTuple):
    """A call: the node of what is called, and the offset of its file."""

    callee: int
    offset: int
    call: Call


class Factories:
    """Answers for one solution. `kinds`: how many kinds of classes are among some, by their indices."""

    def __init__(self, solution: Solution, kinds: Callable[[Iterable[int]], int]) -> None:
        self.solution, self.kinds = solution, kinds
        self._calls_in: dict[int, dict[int, Call]] = {}  # by file and result, of the files that were asked for

    def makes(self, number: int, way: list[int]) -> Makes | None:
        """What the call by which the object `number` came along `way` (from its end back) says of its class.

        None where it comes from no call that makes objects of several classes, or from none of a function around that.
        """
        made = self._call_with(way[-1]) if way else None
        if made is None or made.call.scope < 0 or len(self._classes(made.callee)) < 2:
            return None
        program, heap = self.solution.program, self.solution.heap
        function = program.function_offset[heap.file_of[way[-1]]] + made.call.scope
        wanted, node, at = int(heap.values[number].a), made.callee, len(way) - 1
        for _ in range(_MAX_OUTER):
            at = self._left(function, way, at)
            outer = self._call_with(way[at - 1]) if at > 0 else None
            if outer is None:
                return None  # it is not what the function returns
            begin = self._begin(wanted, node, function)
            classes = self._by_receiver(begin, function, outer)
            if classes is None and (node := self._argument(begin, outer)) >= 0:
                classes = self._classes(node)
            if not classes:
                return Makes.ANY
            if wanted not in classes:
                return Makes.ANOTHER
            if self.kinds(classes) < 2:
                return Makes.THIS
            if node < 0 or outer.call.scope < 0:
                return Makes.ANY
            function, at = program.function_offset[heap.file_of[way[at - 1]]] + outer.call.scope, at - 1
        return Makes.ANY

    def _left(self, function: int, way: list[int], at: int) -> int:
        """The place on the way, from `at` on outwards, where the function returns the object; -1 for none."""
        file, made = self.solution.program.functions[function]
        returns = made.returns + self.solution.program.offsets[file]
        return next((place for place in range(at, -1, -1) if way[place] == returns), -1)

    def _begin(self, wanted: int, node: int, function: int) -> int:
        """Where the class comes from that gets to `node`: a parameter of the function, or an attribute; -1 for none."""
        heap, program = self.solution.heap, self.solution.program
        parameters, attributes = program.parameters(function), self._attributes
        number = heap.numbers.get(Value(CLASS, wanted), -1)
        return next((each for each in heap.way(number, node) if each in parameters or each in attributes), -1)

    def _by_receiver(self, begin: int, function: int, outer: _Made) -> list[int] | None:
        """The classes that the object or class may mean whose method the call calls; None where these are not it."""
        heap, program = self.solution.heap, self.solution.program
        held = (heap.values[number] for number in heap.holds[outer.callee])
        receivers = [heap.values[value.b] for value in held if value.kind == BOUND and value.a == function]
        file, made = program.functions[function]
        if begin in self._attributes:
            name = self._attributes[begin]
            owners = [int(value.a) for value in receivers if value.kind == INSTANCE]
            return [each for owner in owners for each in self._kept(owner, name)] if owners else None
        first = made.parameters[0].node + program.offsets[file] if made.parameters else -1
        if begin < 0 or begin != first or not receivers:
            return None
        return [int(value.a) for value in receivers if value.kind == CLASS]

    def _kept(self, owner: int, name: str) -> list[int]:
        """The classes that objects of a class keep as an attribute, or that its body names so."""
        order, program = self.solution.hierarchy.order(owner), self.solution.program
        nodes = {self.solution.attributes.get(at, {}).get(name, -1) for at in order} - {-1}
        for file, made in (program.classes[at] for at in order):
            if name in made.members:
                nodes.add(made.members[name] + program.offsets[file])
                break
        return [each for node in nodes for each in self._classes(node)]

    def _argument(self, parameter: int, outer: _Made) -> int:
        """The node of what the call gives for the parameter; -1 for none."""
        sites, site = self.solution.heap.sites, outer.call.result + outer.offset + 1
        return next((source for source in self._given.get(parameter, ()) if site in sites[source, parameter]), -1)

    def _classes(self, node: int) -> list[int]:
        values = (self.solution.heap.values[number] for number in self.solution.heap.holds[node])
        return [int(value.a) for value in values if value.kind == CLASS]

    def _call_with(self, result: int) -> _Made | None:
        """The call with this result."""
        program, file = self.solution.program, self.solution.heap.file_of[result]
        offset = program.offsets[file]
        if file not in self._calls_in:
            self._calls_in[file] = {call.result + offset: call for call in program.facts[file].calls}
        call = self._calls_in[file].get(result)
        return _Made(call.function + offset, offset, call) if call is not None else None

    @cached_property
    def _attributes(self) -> dict[int, str]:
        """The nodes of attributes and of names of class bodies, each with its name."""
        program = self.solution.program
        found = {node: name for nodes in self.solution.attributes.values() for name, node in nodes.items()}
        for file, made in program.classes:
            found |= {node + program.offsets[file]: name for name, node in made.members.items()}
        return found

    @cached_property
    def _given(self) -> dict[int, list[int]]:
        """Per parameter the nodes of arguments that calls give to it."""
        found: dict[int, list[int]] = {}
        for (source, target), sites in self.solution.heap.sites.items():
            if any(site > 0 for site in sites):
                found.setdefault(target, []).append(source)
        return found
