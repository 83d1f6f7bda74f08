"""Whether a method sends its own object alone, or others of its class along with it.

def __init__(self, parent=None):
    self.parent = parent  # it has all that its own initialiser set
    Process(target=self.work).start()
"""

from __future__ import annotations

from collections.abc import Set
from functools import cached_property

from ..solve.heap import BOUND, CONTAINER, FUNCTION, INSTANCE, OBJECT
from ..solve.sinks import Sink
from ..solve.solution import Solution
from .contents import inside
from .hidden import captures


class Ways:
    """By which nodes values get to others, and what these are; one for all questions about a solution."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self._ways: dict[int, dict[int, list[int]]] = {}  # by value, and by node: where it comes from

    def of(self, number: int, node: int) -> tuple[set[int], set[int]]:
        """Where the ways of the value to `node` begin: where it is made, or the first parameter of a method; and all
        nodes on them."""
        ways = self._ways.get(number)
        if ways is None:
            ways = self._ways[number] = {}
            heap = self.solution.heap
            for source, held in enumerate(heap.holds):
                for target in (heap.targets[source] or ()) if number in held else ():
                    ways.setdefault(target, []).append(source)
        ends, seen, todo = set[int](), {node}, [node]
        while todo:
            at = todo.pop()
            before = ways.get(at, []) if at not in self.selves else []
            if not before:
                ends.add(at)
            new = set(before) - seen
            seen |= new
            todo += new
        return ends, seen

    @cached_property
    def selves(self) -> dict[int, tuple[int, int, int]]:
        """By the node of the first parameter of a method: its file, and its first and last line."""
        program = self.solution.program
        functions = program.functions
        return {
            node: (functions[index][0], functions[index][1].position[0], functions[index][1].position[2])
            for index, node in program.own_parameters.items()
        }

    @cached_property
    def shared(self) -> set[int]:
        """The nodes of global names, and of parameters that are not the object of a method."""
        program, found = self.solution.program, set[int]()
        for facts, offset in zip(program.facts, program.offsets, strict=True):
            found.update(node + offset for node in facts.module_names.values())
            found.update(each.node + offset for function in facts.functions for each in function.parameters)
        return found - self.selves.keys()

    @cached_property
    def bases(self) -> dict[int, list[int]]:
        """By what is read as an attribute the nodes of the object."""
        found: dict[int, list[int]] = {}
        for base, loads in self.solution.constraints.loads.items():
            for _, result in loads:
                found.setdefault(result, []).append(base)
        return found


class OneObject:
    """Answers for the objects that have the attributes whose nodes are `late`."""

    def __init__(self, solution: Solution, ways: Ways, late: Set[int]) -> None:
        self.solution, self.ways, self.late = solution, ways, late
        self._leads: dict[int, bool] = {}
        self._asked: set[tuple[int, int]] = set()

    def sent(self, sink: Sink) -> bool:
        """Of these objects, the boundary gets none but the one whose method calls it; False where it can't be told."""
        me = self.solution.program.own_parameters.get(sink.function)
        return me is not None and self._is_own(sink.node, me) and all(map(self._keeps_itself_only, self._objects))

    @cached_property
    def _objects(self) -> frozenset[int]:
        """The values that stand for objects with these attributes."""
        order, attributes = self.solution.hierarchy.order, self.solution.attributes
        owners = {at for at, nodes in attributes.items() if not self.late.isdisjoint(nodes.values())}
        return frozenset(
            number
            for number, value in enumerate(self.solution.heap.values)
            if value.kind == INSTANCE and not owners.isdisjoint(order(int(value.a)))
        )

    def _keeps_itself_only(self, number: int) -> bool:
        """Where an object keeps one of these, a method put its own object there."""
        holds = self.solution.heap.holds
        for node in inside(self.solution, number, frozenset()):
            kept = {each for each in holds[node] if self._leads_there(each)} if node not in self.late else set[int]()
            for base, stored in self.solution.stored_by.get(node, ()) if kept else ():
                found = kept.intersection(holds[stored])
                if found and (base not in self.ways.selves or not self._is_own(stored, base)):
                    return False
                kept -= found
            if kept:
                return False
        return True

    def _is_own(self, node: int, me: int) -> bool:
        """All that is at the node and is, or holds, one of these objects is made of `me` by the method that has it as
        its first parameter."""
        if (node, me) in self._asked:
            return True  # a circle adds nothing
        self._asked.add((node, me))
        return all(self._is_made_of(number, node, me) for number in self.solution.heap.holds[node])

    def _is_made_of(self, number: int, node: int, me: int) -> bool:
        value = self.solution.heap.values[number]
        if not self._leads_there(number):
            return True
        if number in self._objects:
            return self._is_only(number, node, me)
        if value.kind == BOUND:
            ends, way = self.ways.of(number, node)
            bases = [self.ways.bases.get(end, ()) for end in ends]
            return self._is_local(way - ends, me) and all(
                held and all(self._is_only(value.b, base, me) for base in held) for held in bases
            )
        contents = int(value.a) if value.kind == CONTAINER else value.b if value.kind == OBJECT else -1
        if contents < 0 or not self._stands_in(contents, me):
            return False
        return self._is_local(self.ways.of(number, node)[1], me) and all(
            self._is_own(part, me) for part in inside(self.solution, number, frozenset())
        )

    def _is_only(self, number: int, node: int, me: int) -> bool:
        """The object at the node is `me`, which came there through nothing that outlives the call of the method."""
        ends, way = self.ways.of(number, node)
        return ends == {me} and self._is_local(way, me)

    def _is_local(self, way: set[int], me: int) -> bool:
        """All nodes are those of local names of the method: no parameter, whose default all calls share, no global."""
        return way.isdisjoint(self.ways.shared) and all(
            node not in self.ways.bases and self._stands_in(node, me) for node in way
        )

    def _parts(self, number: int) -> list[int]:
        value = self.solution.heap.values[number]
        if value.kind == FUNCTION:
            return [*captures(self.solution, int(value.a))]
        return inside(self.solution, number, frozenset())

    def _leads_there(self, number: int) -> bool:
        """The value is one of these objects, or holds one."""
        if number not in self._leads:
            seen, todo = {number}, [number]
            values, found = self.solution.heap.values, False
            while todo and not found:
                at = todo.pop()
                value = values[at]
                found = at in self._objects or self._leads.get(at, False)
                held = [int(value.b)] if value.kind == BOUND else []
                for node in self._parts(at) if not found else ():
                    if node not in self.late:
                        held += self.solution.heap.holds[node]
                new = {each for each in held if each >= 0} - seen
                seen |= new
                todo += new
            self._leads[number] = found
        return self._leads[number]

    def _stands_in(self, node: int, me: int) -> bool:
        """The node is one of the method with this first parameter."""
        heap, (file, first, last) = self.solution.heap, self.ways.selves[me]
        return heap.file_of[node] == file and first <= heap.lines[node] <= last
