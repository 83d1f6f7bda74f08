"""Methods that run in the worker: what workers call on the objects that they were sent."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..kinds import FunctionKind, MethodBinding
from .records import FileFacts, self_nodes

METHOD, NESTED = FunctionKind.METHOD, FunctionKind.NESTED
# of datasets; of collate functions and transforms
_WORKER_SIDE = frozenset({"__getitem__", "__getitems__", "__iter__", "__next__", "__call__"})


def is_for_workers(name: str) -> bool:
    """Methods of the name are there for workers to call."""
    return name in _WORKER_SIDE or name == "run"


def mark_worker_side(
    facts: FileFacts, self_calls: Mapping[tuple[int, str], set[int]], enclosing: Sequence[int]
) -> None:
    """Mark these methods, the `run` of a Process, what only such methods call, and functions in any of them.

    `self_calls`: (class, method) -> the functions that call `self.method()`; `enclosing`: per function the one around
    it, or -1.
    """
    methods = {(f.owner, f.name): i for i, f in enumerate(facts.functions) if f.kind is METHOD}
    processes = {
        owner for owner, made in enumerate(facts.classes) if any(base.endswith("Process") for base in made.base_names)
    }
    inside = {
        index
        for (owner, name), index in methods.items()
        if name in _WORKER_SIDE or (name == "run" and owner in processes)
    }
    inside |= _put_on_objects(facts, enclosing)
    callers_of = {**self_calls, **_readers_of_properties(facts)}
    nested = [(index, around) for index, around in enumerate(enclosing) if around >= 0]
    changed = bool(inside)
    while changed:
        changed = False
        for index, around in nested:
            if around in inside and index not in inside:
                inside.add(index)
                changed = True
        for key, callers in callers_of.items():
            index = methods.get(key, -1)
            if index < 0 or index in inside or key[1] == "__init__":
                continue
            others = callers - {index}  # that it calls itself again proves nothing
            if others and others <= inside:
                inside.add(index)
                changed = True
    for index in inside:
        facts.functions[index].worker_side = True


def _readers_of_properties(facts: FileFacts) -> dict[tuple[int, str], set[int]]:
    """(class, property) -> the functions that read it, -1 for the module: it is called there."""
    owners: dict[str, list[int]] = {}
    for function in facts.functions:
        if function.kind is METHOD and function.binding is MethodBinding.PROPERTY:
            owners.setdefault(function.name, []).append(function.owner)
    found: dict[tuple[int, str], set[int]] = {}
    reads = [(base, name, facts.lines[result]) for base, name, result in facts.loads if name in owners]
    selves = self_nodes(facts) if reads else {}
    readers = functions_on(facts, {line for *_, line in reads})
    for base, name, line in reads:
        own = selves.get(base, -1)
        for owner in [own] if own in owners[name] else owners[name]:
            found.setdefault((owner, name), set()).add(readers[line])
    return found


def functions_on(facts: FileFacts, lines: Collection[int]) -> dict[int, int]:
    """The innermost function on each of the lines; -1 for none."""
    waiting = sorted(((f.position[:2], at) for at, f in enumerate(facts.functions)), reverse=True) if lines else []
    begun: list[int] = []  # those that have not ended may stand on some that have
    found: dict[int, int] = {}
    for line in sorted(lines):
        while waiting and waiting[-1][0][0] <= line:
            begun.append(waiting.pop()[1])
        while begun and facts.functions[begun[-1]].position[2] < line:
            begun.pop()
        found[line] = begun[-1] if begun else -1
    return found


def _put_on_objects(facts: FileFacts, enclosing: Sequence[int]) -> set[int]:
    """Functions in methods that have the names of what workers call: `self.__getitems__ = __getitems__`."""
    functions = facts.functions
    nested = [(at, around) for at, around in enumerate(enclosing) if around >= 0 and functions[at].name in _WORKER_SIDE]
    return {at for at, around in nested if functions[at].kind is NESTED and functions[around].kind is METHOD}
