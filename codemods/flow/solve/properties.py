"""Methods that a decorator of the repository turns into properties: what they return is what `self.name` is."""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds import FunctionKind, MethodBinding
from .heap import CLASS, FUNCTION, Heap
from .hierarchy import Hierarchy
from .program import Program


def properties(program: Program, heap: Heap, hierarchy: Hierarchy) -> frozenset[int]:
    """The methods below a function that returns a property, or below a class of such objects, by names alone."""
    return frozenset(_found(program, heap, hierarchy))


def _found(program: Program, heap: Heap, hierarchy: Hierarchy) -> Iterator[int]:
    for at, facts in enumerate(program.facts):
        offset = program.offsets[at]
        methods = [
            (index, method)
            for index, method in enumerate(facts.functions, program.function_offset[at])
            if method.decorators and method.kind is FunctionKind.METHOD and method.binding is MethodBinding.INSTANCE
        ]
        made = {call.result: call.function for call in facts.calls} if methods else {}  # `@named("x")`
        for index, method in methods:
            nodes = (made.get(node, node) for node in method.decorators)
            if any(node >= 0 and _makes(program, heap, hierarchy, node + offset) for node in nodes):
                yield index


def _makes(program: Program, heap: Heap, hierarchy: Hierarchy, node: int) -> bool:
    """What is called there, with a method or before, gives a property."""
    for value in (heap.values[number] for number in heap.holds[node]):
        if value.kind == FUNCTION and program.functions[int(value.a)][1].gives_property:
            return True
        if value.kind == CLASS and any(_calls_what_it_keeps(program, at) for at in hierarchy.order(int(value.a))):
            return True
    return False


def _calls_what_it_keeps(program: Program, owner: int) -> bool:
    """The `__get__` of the class calls `self.function(obj)`; it gives no other function that would."""
    file, made = program.classes[owner]
    facts, own = program.facts[file], owner - program.class_offset[file]
    if "__get__" not in made.members:
        return False
    for index, function in enumerate(facts.functions):
        if function.owner == own and function.name == "__get__" and len(function.parameters) > 1:
            me, given = function.parameters[0].name, function.parameters[1].node
            calls = (call for call in facts.calls if call.scope == index and given in call.arguments)
            return any(call.text.startswith(f"{me}.") and not call.text.endswith("__get__") for call in calls)
    return False
