"""Methods of the repo that are called like those by which a module keeps a hook: what they keep, their code says."""

from __future__ import annotations

from ..facts.hooks import HOOKS, HOOKS_KEPT
from .attributes import Attributes
from .heap import INSTANCE, Heap
from .program import Program


def leave_out_own_hooks(program: Program, heap: Heap, attributes: Attributes) -> None:
    """Objects whose class has such a method keep nothing by it that its code does not."""
    for owner, names in attributes.nodes.items():
        for name in [name for name in names if name.endswith(HOOKS_KEPT)]:
            keepers = {owner}
            for step in name.split(".")[:-1]:
                classes = (at for each in keepers if each >= 0 for at in attributes.hierarchy.order(each))
                nodes = (attributes.nodes.get(at, {}).get(step, -1) for at in classes)
                held = [heap.values[number] for node in nodes if node >= 0 for number in heap.holds[node]]
                keepers = {int(value.a) if value.kind == INSTANCE else -1 for value in held}
            if keepers and all(each >= 0 and _keeps_itself(program, attributes, each) for each in keepers):
                del names[name]


def _keeps_itself(program: Program, attributes: Attributes, owner: int) -> bool:
    """The class has the methods that its code calls, and none of them passes the hook on to a module."""
    own = [index for name in HOOKS if (index := attributes.method(owner, name)) >= 0]
    for index in own:
        file = program.functions[index][0]
        number = index - program.function_offset[file]
        functions = program.facts[file].functions
        for call in program.facts[file].calls:
            around = functions[call.scope] if call.scope >= 0 else None
            if around is None or around.owner != functions[number].owner:
                continue
            base, _, name = call.text.rpartition(".")
            on_itself = bool(around.parameters) and base == around.parameters[0].name
            if (name in HOOKS and not on_itself) or (call.scope == number and call.text == "super"):
                return False
    return bool(own)
