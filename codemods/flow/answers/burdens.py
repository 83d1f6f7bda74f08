"""Names what should not be pickled along with an object or a function: models, loaders, locks, files."""

from __future__ import annotations

from collections.abc import Iterable

from ..solve.heap import INSTANCE, OBJECT
from ..solve.solver import Solver


def of_instances(solver: Solver, path: str, class_line: int) -> tuple[str, ...]:
    """What instances of the class at `path`:`class_line` hold, in words."""
    found: list[str] = []
    for index, (file, made) in enumerate(solver.classes):
        if solver.files[file] != path or made.position[0] != class_line:
            continue
        for owner in solver.hierarchy.order(index):
            for name, node in solver.attributes.get(owner, {}).items():
                for what in filter(None, (_burden(solver, number) for number in solver.holds[node])):
                    place = f"{solver.files[solver.file_of[node]]}:{solver.lines[node]}"
                    found.append(f"{what} `self.{name}` ({place})")
        if any(solver.table.burden(base) for base in solver.hierarchy.all_foreign_bases(index)):
            found.append(f"`{made.name}` itself is a model")
    return tuple(dict.fromkeys(found))


def of_nodes(solver: Solver, nodes: Iterable[int]) -> tuple[str, ...]:
    """What some variables hold, in words, one for each."""
    found: list[str] = []
    for node in nodes:
        held = (_burden(solver, number) for number in sorted(solver.holds[node]))
        found += [what for what in held if what is not None][:1]
    return tuple(dict.fromkeys(found))


def _burden(solver: Solver, number: int) -> str | None:
    value = solver.values[number]
    if value.kind == OBJECT:
        return solver.table.burden(str(value.a))
    if value.kind == INSTANCE:
        named = (solver.table.burden(base) for base in solver.hierarchy.all_foreign_bases(int(value.a)))
        return next((what for what in named if what), None)
    return None
