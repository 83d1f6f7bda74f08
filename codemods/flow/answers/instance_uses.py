"""What code does to objects of the project's classes, wherever it gets them from: sets, reads, copies, shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..solve.heap import FOREIGN, INSTANCE
from ..solve.solution import Solution

_MAX_KINDS = 3  # what holds objects of more unrelated classes is no evidence about any of them
GIVEN = "given the attribute `"
_SHOWN = frozenset({"vars", "dir"})


class InstanceUse(NamedTuple):
    """At `path`:`line` an object is used. `what`: set, read, copied or shown; `attribute`: of the first two."""

    what: str
    attribute: str
    path: str
    line: int


def places_of_dicts(uses: Iterable[InstanceUse]) -> list[tuple[str, int]]:
    """Path and line of the uses that ask for the dict of an object, or for its `__setattr__`."""
    return [(use.path, use.line) for use in uses if use.what == "shown" or use.attribute == "__setattr__"]


def instance_uses(solution: Solution) -> dict[tuple[str, int], list[InstanceUse]]:
    """The uses by path and line of the class."""
    found: dict[int, dict[InstanceUse, None]] = defaultdict(dict)
    program, holds, values = solution.program, solution.heap.holds, solution.heap.values
    for use, node in _uses(solution):
        kinds = {int(values[number].a) for number in holds[node] if values[number].kind == INSTANCE}
        if len(kinds) <= _MAX_KINDS:
            for index in kinds:
                found[index][use] = None
    answer: dict[tuple[str, int], list[InstanceUse]] = {}
    for index, uses in found.items():
        file, made = program.classes[index]
        answer.setdefault((program.files[file], made.position[0]), []).extend(uses)
    return answer


def _uses(solution: Solution) -> Iterator[tuple[InstanceUse, int]]:
    """Every use of anything, with the node that is used."""
    program = solution.program
    for at, facts in enumerate(program.facts):
        path, offset = program.files[at], program.offsets[at]
        for node, what, line in facts.distinguished:
            if what.startswith(GIVEN):
                yield InstanceUse("set", what[len(GIVEN) : -1], path, line), node + offset
        for base, attribute, result in facts.loads:
            what = "shown" if attribute == "__dict__" else "read"
            yield InstanceUse(what, attribute, path, facts.lines[result]), base + offset
        for call in facts.calls:
            argument = call.arguments[0] if call.arguments else -1
            if argument >= 0 and call.text in _SHOWN:
                yield InstanceUse("shown", "", path, call.position[0]), argument + offset
            name = call.literals.get(1)
            if argument >= 0 and call.text in ("setattr", "delattr") and isinstance(name, str):
                yield InstanceUse("set", name, path, call.position[0]), argument + offset
    for node, calls in solution.constraints.calls.items():
        if any(
            solution.heap.values[held].kind == FOREIGN and solution.heap.values[held].a == "copy.copy"
            for held in solution.heap.holds[node]
        ):
            for offset, call in calls:
                if call.arguments and call.arguments[0] >= 0:
                    file = program.files[solution.heap.file_of[call.result + offset]]
                    yield InstanceUse("copied", "", file, call.position[0]), call.arguments[0] + offset
