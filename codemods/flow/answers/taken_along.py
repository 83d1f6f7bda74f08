"""Which code that pickle can't name a function takes along: by the variables that it reads of functions around it."""

from __future__ import annotations

from collections.abc import Iterator

from ...hazard_kind import HazardKind
from ..facts.records import Position
from ..kinds import NAMELESS
from ..solve.heap import CLASS, CONTAINER, FUNCTION, INSTANCE, OBJECT
from .contents import hazards, inside
from .places import Places
from .seeds import EVERY

_NAMELESS = frozenset((*NAMELESS.values(), HazardKind.CLASS))


class TakenAlong:
    """Answers for one solution."""

    def __init__(self, places: Places) -> None:
        self.places, self.solution = places, places.solution
        self._of_files: dict[int, tuple[dict[int, set[int]], dict[int, list[int]]]] = {}

    def of(self, function: int, whole: bool) -> list[tuple[HazardKind, str, Position]]:
        """Lambdas, nested functions and local classes: kind, file and place.

        `whole`: all that the object of its method keeps, and not only the attributes that it reads.
        """
        solution, found = self.solution, dict[tuple[HazardKind, str, Position], None]()
        todo, seen = [*self._read(function, whole)], set[int]()
        while todo:
            node = todo.pop()
            for number in sorted({*solution.heap.holds[node]} - seen):
                value = solution.heap.values[number]
                if value.kind not in (FUNCTION, CLASS, CONTAINER, OBJECT) or not self.places.gets_to(number, node):
                    continue
                seen.add(number)
                if value.kind in (FUNCTION, CLASS):
                    found.update((each, None) for each in hazards(solution, number, EVERY) if each[0] in _NAMELESS)
                todo += self._read(int(value.a), whole) if value.kind == FUNCTION else inside(solution, number, EVERY)
        return list(found)

    def _read(self, function: int, whole: bool) -> Iterator[int]:
        """The nodes that hold what goes along with a function that pickle can't name."""
        file, made = self.solution.program.functions[function]
        facts, offset = self.solution.program.facts[file], self.solution.program.offsets[file]
        if made.kind not in NAMELESS:
            return
        for node in made.captures:
            held = [*self.solution.heap.sources(node + offset)]
            if not any({node + offset, source} & self.places.selves for _, source in held):
                yield node + offset
            elif whole:
                for number, _ in held:
                    if self.solution.heap.values[number].kind == INSTANCE:
                        yield from inside(self.solution, number, EVERY)
            else:
                uses, loads = self._uses(file)
                first, last = made.position[0], made.position[2]
                for result in (each for base in sorted(uses.get(node, ())) for each in loads.get(base, ())):
                    if first <= facts.lines[result] <= last:
                        yield result + offset

    def _uses(self, file: int) -> tuple[dict[int, set[int]], dict[int, list[int]]]:
        """Of one file: where the value of a node goes, and what is loaded from it."""
        if file not in self._of_files:
            facts = self.solution.program.facts[file]
            uses: dict[int, set[int]] = {}
            loads: dict[int, list[int]] = {}
            for source, target, _ in facts.edges:
                uses.setdefault(source, set()).add(target)
            for base, _, result in facts.loads:
                loads.setdefault(base, []).append(result)
            self._of_files[file] = uses, loads
        return self._of_files[file]
