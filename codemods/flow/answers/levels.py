"""Containers that a function which calls itself makes, one for each level of what it gets.

    def nested(options):
        return Options({key: nested(value) for key, value in options.items()}) if isinstance(options, dict) else options

The solver keeps one container for all levels. What other code puts into one of them (`options["model"]["writer"] = w`)
seems to be in every one, also in that which crosses.
"""

from __future__ import annotations

from functools import cached_property

from ..solve.heap import CONTAINER, FUNCTION
from ..solve.solution import Solution
from .trace import Reasons


class Levels:
    """Answers for the traces of one solution."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self._recursive: dict[int, list[tuple[int, int]]] = {}  # by file: first and last lines of such functions

    def merged(self, number: int, reasons: Reasons) -> bool:
        """True when something on the way was put into a container of such a function by other code."""
        values, heap = self.solution.heap.values, self.solution.heap
        while reasons[number].parent >= 0:
            parent = reasons[number].parent
            span = self._span(int(values[parent].a)) if values[parent].kind == CONTAINER else None
            if span is not None:
                way = [*heap.way(number, reasons[number].node)]
                inside = sum(self._is_in(node, span) for node in way)
                # what comes in by a call passes more than the container itself
                if inside < len(way) and inside <= 1 and not self._is_put_into_result(parent, way):
                    return True
            number = parent
        return False

    def _is_put_into_result(self, container: int, way: list[int]) -> bool:
        """Something on the way is put into the container itself, and not into what lies in another of its levels."""
        heap = self.solution.heap
        bases = (base for node in way for base in self._bases.get(node, ()) if container in heap.holds[base])
        return any(self._parts.isdisjoint(heap.way(container, base)) for base in bases)

    @cached_property
    def _bases(self) -> dict[int, list[int]]:
        """What a value is put into, by the node of the value."""
        program, found = self.solution.program, dict[int, list[int]]()
        for facts, offset in zip(program.facts, program.offsets, strict=True):
            for base, value, *_ in facts.puts:
                found.setdefault(value + offset, []).append(base + offset)
        return found

    @cached_property
    def _parts(self) -> set[int]:
        """The nodes of what lies in containers."""
        fields = self.solution.heap.fields
        return {*fields, *(node for named in fields.values() for node in named.values())}

    def _is_in(self, node: int, span: tuple[int, int, int]) -> bool:
        heap = self.solution.heap
        return heap.file_of[node] == span[0] and span[1] <= heap.lines[node] <= span[2]

    def _span(self, contents: int) -> tuple[int, int, int] | None:
        """File, first and last line of the recursive function that makes the container."""
        heap = self.solution.heap
        file, line = heap.file_of[contents], heap.lines[contents]
        for first, last in self._functions(file):
            if first <= line <= last:
                return file, first, last
        return None

    def _functions(self, file: int) -> list[tuple[int, int]]:
        if file not in self._recursive:
            program, heap = self.solution.program, self.solution.heap
            facts, offset, start = program.facts[file], program.offsets[file], program.function_offset[file]
            found = set[int]()
            for call in facts.calls:
                held = (heap.values[number] for number in heap.holds[call.function + offset])
                if call.scope >= 0 and any(v.kind == FUNCTION and v.a == start + call.scope for v in held):
                    found.add(call.scope)
            spans = [facts.functions[at].position for at in found]
            self._recursive[file] = [(position[0], position[2]) for position in spans]
        return self._recursive[file]
