"""Why a value on one line was judged as it was: the path to a boundary, or where it goes instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...finding import Confidence, Hop, Trace
from ...hazard_kind import HazardKind
from ...project import Project
from ..boundaries import Boundary
from ..kinds import NAMELESS
from ..solve.heap import CLASS, FOREIGN, FUNCTION, HAZARD
from ..solve.solution import Solution
from .crossing import Crossing
from .crossings import flow_of

_MAX_PLACES = 12


@dataclass(frozen=True, slots=True)
class Site:
    """A lambda, nested function, local class, view or generator on the line in question.

    `crossing` is set when it crosses or may; else `places` says where it was seen to go, and what that does to it.
    """

    kind: HazardKind
    line: int
    crossing: Crossing | None
    places: Trace

    @property
    def verdict(self) -> str:
        """One sentence."""
        if self.crossing is None:
            return "harmless: not seen on the way to a process boundary, nor stored on an object"
        return {
            Confidence.PROVEN: "crosses a process boundary",
            Confidence.LIKELY: "stored on an object that is sent to other processes",
            Confidence.POSSIBLE: "stored on an object, or passed to a boundary that does not pickle it as called",
        }[self.crossing.confidence]


def explain_line(project: Project, path: str, line: int) -> list[Site]:
    """Every value on `path`:`line` that plain pickle would reject, and what becomes of it."""
    flow = flow_of(project)
    solution = flow.solution
    known = {(c.kind, c.path, c.line, c.column): c for c in flow.crossings(_KINDS)}
    sites: dict[tuple[HazardKind, int, int], Site] = {}
    for number, kind, position in _values(solution, path):
        if position[0] <= line <= (position[2] if kind in _LINES else position[0]):
            crossing = known.get((kind, path, position[0], position[1]))
            places = tuple(_places(solution, number)) if crossing is None or crossing.trace == () else ()
            sites[kind, position[0], position[1]] = Site(kind, position[0], crossing, places)
    return [sites[key] for key in sorted(sites, key=lambda key: (key[1], key[2], key[0].value))]


_KINDS = frozenset(HazardKind) - {HazardKind.INSTANCE}
_LINES = _KINDS - {HazardKind.FUNCTION, HazardKind.CLASS}  # found on all of their lines


def _values(solution: Solution, path: str) -> Iterator[tuple[int, HazardKind, tuple[int, int, int, int]]]:
    for number, value in enumerate(solution.heap.values):
        if value.kind == FUNCTION:
            file, function = solution.program.functions[int(value.a)]
            if solution.program.files[file] == path and function.kind in NAMELESS:
                yield number, NAMELESS[function.kind], function.position
        elif value.kind == CLASS:
            file, made = solution.program.classes[int(value.a)]
            if solution.program.files[file] == path and made.nested:
                yield number, HazardKind.CLASS, made.position
        elif value.kind == HAZARD:
            hazard = solution.program.hazards[int(value.a)]
            if hazard.path == path:
                yield number, hazard.kind, hazard.position


def _places(solution: Solution, number: int) -> Iterator[Hop]:
    """Where a value goes: names that hold it, and calls that take it."""
    seen: set[Hop] = set()
    for hop in [*_names(solution, number), *_calls(solution, number)]:
        if hop not in seen:
            seen.add(hop)
            yield hop
            if len(seen) >= _MAX_PLACES:
                return


def _names(solution: Solution, number: int) -> Iterator[Hop]:
    for node, held in enumerate(solution.heap.holds):
        if number in held and solution.heap.labels[node]:
            yield Hop(
                solution.program.files[solution.heap.file_of[node]],
                solution.heap.lines[node],
                solution.heap.labels[node],
            )


def _calls(solution: Solution, number: int) -> Iterator[Hop]:
    for calls in list(solution.constraints.calls.values()):
        for offset, call in calls:
            given = [("", argument) for argument in call.arguments] + list(call.keywords)
            for name, argument in given:
                if argument >= 0 and number in solution.heap.holds[argument + offset]:
                    yield _call(solution, call.function + offset, name, call.text, call.position[0])


def _call(solution: Solution, callee: int, argument: str, text: str, line: int) -> Hop:
    path = solution.program.files[solution.heap.file_of[callee]]
    said = f"passed to `{text}` as `{argument}`" if argument else f"passed to `{text or 'a call'}`"
    for number in solution.heap.holds[callee]:
        value = solution.heap.values[number]
        if value.kind == FOREIGN:
            name = solution.program.table.canonical(str(value.a))
            why = solution.program.table.why_harmless(name)
            boundary = solution.program.table.boundary(name)
            if why is not None:
                return Hop(path, line, f"{said}: harmless ({why})")
            if boundary is not None:
                return Hop(path, line, f"{said}: {_left_out(boundary, argument)}")
            if not solution.program.table.keeps(name):
                return Hop(path, line, f"{said}: used in this process")
    return Hop(path, line, said)


def _left_out(boundary: Boundary, argument: str) -> str:
    if boundary.only:
        return f"it {boundary.says}"
    pickled = ", ".join(sorted(boundary.pickles)) or "nothing"
    return f"it pickles {pickled}" + (f", not `{argument}`" if argument and argument not in boundary.pickles else "")
