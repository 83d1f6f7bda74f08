"""Calls by decorators of functions and classes that are never there.

A registry that is a decorator with and without arguments gives back what was registered: `return register if given is
None else register(given)`. The solver joins its calls, so one class seems to decorate the next.
"""

from __future__ import annotations

from .calls import OwnCalls
from .constraints import Constraints
from .heap import CLASS, FUNCTION, Heap, Value
from .paths import Paths
from .program import Program


def forget_impossible_decorators(program: Program, heap: Heap, constraints: Constraints, own: OwnCalls) -> None:
    """What is decorated goes into no function and no class that gets to the decorator by no path."""
    for node, calls in constraints.calls.items():
        callees = [number for number in heap.holds[node] if heap.values[number].kind in (FUNCTION, CLASS)]
        applied = [(offset, call) for offset, call in calls if call.arguments and not call.text]
        if not applied or len(callees) < 2:
            continue
        for number in callees:
            origin = _origin(program, heap.values[number])
            paths = Paths(heap, number, (origin,), _between(heap, number, origin, node))
            if paths.lead_to(node) or not paths.complete:
                continue
            entry = _entry(own, heap.values[number])
            for offset, call in applied:
                sites = heap.sites.get((call.arguments[0] + offset, entry), [])
                if call.result + offset + 1 in sites:
                    sites.remove(call.result + offset + 1)


def _between(heap: Heap, number: int, start: int, end: int) -> set[int]:
    """The nodes that a value may pass on its way, whatever calls it takes."""
    into: dict[int, list[int]] = {}
    todo, seen = [start], {start}
    while todo:
        node = todo.pop()
        for target in heap.targets[node] or ():
            if number in heap.holds[target]:
                into.setdefault(target, []).append(node)
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
    todo, found = [end], {end}
    while todo:
        for source in into.get(todo.pop(), ()):
            if source not in found:
                found.add(source)
                todo.append(source)
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
