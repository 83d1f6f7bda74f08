"""Names what should not be pickled along with an object or a function: models, loaders, locks, files."""

from __future__ import annotations

from collections.abc import Iterable

from ...hazard_kind import HazardKind
from ..solve.heap import HAZARD, INSTANCE, OBJECT
from ..solve.solution import Solution
from .registries import Registries

_NEVER_PICKLED = {HazardKind.GENERATOR: "a generator", HazardKind.DICT_VIEW: "a dict view"}  # and no rule may mend it


def of_instances(solution: Solution, registries: Registries, path: str, class_line: int) -> tuple[str, ...]:
    """What instances of the class at `path`:`class_line` hold, in words."""
    found: list[str] = []
    for index, (file, made) in enumerate(solution.program.classes):
        if solution.program.files[file] != path or made.position[0] != class_line:
            continue
        for owner in solution.hierarchy.order(index):
            for name, node in solution.attributes.get(owner, {}).items():
                for number in solution.heap.holds[node]:
                    what = _burden(solution, number)
                    if what is None or registries.another(number, [*solution.heap.way(number, node)]):
                        continue
                    place = f"{solution.program.files[solution.heap.file_of[node]]}:{solution.heap.lines[node]}"
                    found.append(f"{what} `self.{name}` ({place})")
        bases = map(solution.program.table.burden, solution.hierarchy.all_foreign_bases(index))
        found += [f"`{made.name}` itself, {what}" for what in bases if what is not None][:1]
    return tuple(dict.fromkeys(found))


def of_nodes(solution: Solution, nodes: Iterable[int]) -> tuple[str, ...]:
    """What some variables hold, in words, one for each."""
    found: list[str] = []
    for node in nodes:
        held = (_burden(solution, number) for number in sorted(solution.heap.holds[node]))
        found += [what for what in held if what is not None][:1]
    return tuple(dict.fromkeys(found))


def _burden(solution: Solution, number: int) -> str | None:
    value = solution.heap.values[number]
    if value.kind == HAZARD:
        return _NEVER_PICKLED.get(solution.program.hazards[int(value.a)].kind)
    if value.kind == OBJECT:
        return solution.program.table.burden(str(value.a))
    if value.kind == INSTANCE:
        named = (solution.program.table.burden(base) for base in solution.hierarchy.all_foreign_bases(int(value.a)))
        return next((what for what in named if what), None)
    return None
