"""Where a value is passed on, on its way to a boundary: the lines of calls and assignments, not those of parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..solve.solution import Solution
from .callers import Callers
from .trace import Reason

# Places, path and line, of which the value passes one; none where it waits on an object until some code takes it
Step = tuple[tuple[str, int], ...]
_STORED = "stored as `"


class Steps:
    """Answers for one solution."""

    def __init__(self, solution: Solution, callers: Callers) -> None:
        self.solution, self.callers = solution, callers
        self._stores: dict[str, dict[str, list[tuple[int, int]]]] = {}  # by path and attribute: lines and nodes

    def of(self, number: int, reasons: Mapping[int, Reason]) -> tuple[Step, ...]:
        """Each step of the value `number`, and of what it crosses with, that its code makes at known places."""
        found: list[Step] = []
        seen: set[int] = set()
        while number >= 0 and number not in seen:
            seen.add(number)
            reason = reasons[number]
            found += list(self._way(reason.node, number))[::-1]
            number = reason.parent
        return tuple(found)

    def _way(self, node: int, number: int) -> Iterator[Step]:
        """From the end to where the value is made."""
        heap = self.solution.heap
        for each in heap.way(number, node):
            source = heap.source(each, number)
            came = heap.line_between(source, each) if source >= 0 else 0
            if heap.labels[each].startswith(_STORED):
                yield ()
            if came and (step := self._step(source, each, number, came)):
                yield step

    def _step(self, source: int, target: int, number: int, line: int) -> Step:
        heap, files = self.solution.heap, self.solution.program.files
        label = heap.labels[target]
        taken = heap.labels[source].startswith(_STORED) and not label.startswith((_STORED, "parameter"))
        path = files[heap.file_of[target if taken else source]]  # the class may stand elsewhere
        lines = {line}
        if label.startswith(_STORED):
            lines |= self._stored(path, label.removeprefix(_STORED).partition("`")[0], number)
        lines |= {
            heap.lines[abs(site) - 1]
            for other, sites in self.callers.into.get(target, ())
            if number in heap.holds[other]
            for site in sites
            if site > 0 and files[heap.file_of[site - 1]] == path
        }
        if any(site < 0 for other, sites in self.callers.into.get(target, ()) for site in sites):
            return ()  # what a call gives comes from the place of its `return`
        return tuple((path, each) for each in sorted(lines))

    def _stored(self, path: str, attribute: str, number: int) -> set[int]:
        """The lines of a file that store the value as this attribute of something."""
        program, holds = self.solution.program, self.solution.heap.holds
        offset = program.offsets[program.file_index[path]]
        if path not in self._stores:
            self._stores[path] = found = dict[str, list[tuple[int, int]]]()
            for _, name, value, line, _ in program.facts_of(path).stores:
                found.setdefault(name, []).append((line, value + offset))
        return {line for line, value in self._stores[path].get(attribute, ()) if number in holds[value]}
