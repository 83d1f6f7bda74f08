"""Calls by decorators of functions and classes that are never there.

A registry that is a decorator with and without arguments gives back what was registered: `return register if given is
None else register(given)`. The solver joins its calls, so one class seems to decorate the next.
"""

from __future__ import annotations

from functools import cached_property

from .calls import OwnCalls
from .constraints import Constraints
from .heap import CLASS, FUNCTION, Heap, Value
from .paths import Paths
from .program import Program


def forget_impossible_decorators(program: Program, heap: Heap, constraints: Constraints, own: OwnCalls) -> None:
    """What is decorated goes into no function and no class that gets to the decorator by no path."""
    ways: dict[int, _Ways] = {}  # by value
    for node, calls in constraints.calls.items():
        callees = [number for number in heap.holds[node] if heap.values[number].kind in (FUNCTION, CLASS)]
        applied = [(offset, call) for offset, call in calls if call.arguments and not call.text]
        if not applied or len(callees) < 2:
            continue
        for number in callees:
            entry = _entry(own, heap.values[number])
            given = [
                (heap.sites.get((call.arguments[0] + offset, entry), []), call.result + offset + 1)
                for offset, call in applied
            ]
            if not any(site in sites for sites, site in given):
                continue
            if number not in ways:
                ways[number] = _Ways(heap, number, _origin(program, heap.values[number]))
            for sites, site in given if not ways[number].may_lead_to(node) else ():
                if site in sites:
                    sites.remove(site)


class _Ways:
    """Where a value may come along on its way from the node `origin`."""

    def __init__(self, heap: Heap, number: int, origin: int) -> None:
        self._heap, self._number, self._origin = heap, number, origin
        self._given_up: set[int] = set()  # nodes to which there are too many paths to follow

    def may_lead_to(self, end: int) -> bool:
        """False where no path leads to the node."""
        if end in self._given_up:
            return True
        between = self._between(end)
        paths = Paths(self._heap, self._number, (self._origin,), between)
        if paths.lead_to(end):
            return True
        if not paths.complete:
            self._give_up(end, paths.found, between)
        return not paths.complete

    def _give_up(self, end: int, followed: set[int], between: dict[int, None]) -> None:
        """No path to `end` was met on the way through `followed`: nor is it worth a look for what these lead to."""
        last = next(node for node in between if node in followed)
        todo = [last if followed <= self._between(last).keys() else end]
        while todo:
            node = todo.pop()
            if node not in self._given_up:
                self._given_up.add(node)
                todo += [each for each in self._heap.targets[node] or () if self._number in self._heap.holds[each]]

    def _between(self, end: int) -> dict[int, None]:
        """The nodes that the value may pass on its way to a node, whatever calls it takes; from there back."""
        todo, found = [end], {end: None}
        while todo:
            for source in self._into.get(todo.pop(), ()):
                if source not in found:
                    found[source] = None
                    todo.append(source)
        return found

    @cached_property
    def _into(self) -> dict[int, list[int]]:
        """By node those before it."""
        found: dict[int, list[int]] = {}
        todo, seen = [self._origin], {self._origin}
        while todo:
            node = todo.pop()
            for target in self._heap.targets[node] or ():
                if self._number in self._heap.holds[target]:
                    found.setdefault(target, []).append(node)
                    if target not in seen:
                        seen.add(target)
                        todo.append(target)
        return found


def _origin(program: Program, value: Value) -> int:
    """The node that a definition gives the value to."""
    index = int(value.a)
    if value.kind == FUNCTION:
        file = program.functions[index][0]
        nodes, first = program.facts[file].function_nodes, program.function_offset[file]
    else:
        file = program.classes[index][0]
        nodes, first = program.facts[file].class_nodes, program.class_offset[file]
    return nodes[index - first] + program.offsets[file]


def _entry(own: OwnCalls, value: Value) -> int:
    """The node that the only argument of a call of the value goes to; -1 for none."""
    index, bound = int(value.a), value.kind == CLASS
    if bound:
        index = own.attributes.method(index, "__init__")
    return own.first_parameter(index, bound) if index >= 0 else -1
