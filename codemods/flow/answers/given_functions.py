"""Values that pass through a function which their own call replaces: `messages(rows, prepare=cloudpickle.dumps)`.

The solver joins what callers give for `prepare` with its default. What one call puts in comes out of the function that
this call gives, and not of another.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise, takewhile

from ..facts.records import Call
from ..solve.heap import CONTAINER, FOREIGN
from ..solve.solution import Solution
from .callers import Callers
from .trace import Reasons

_MAKES_DATA = frozenset(["dumps", "str", "repr", "len", "id", "hash", "int", "float", "bool"])


class GivenFunctions:
    """Answers for one solution."""

    def __init__(self, solution: Solution, callers: Callers) -> None:
        self.solution, self.callers = solution, callers

    def another(self, number: int, reasons: Reasons) -> bool:
        """True when a call that it comes out of gives what makes plain data for the function that it passes through."""
        steps = [*self._steps(number, reasons)]
        for at, step in enumerate(steps):
            for site in (*self.solution.heap.sites.get(step, ()), step[1] + 1):  # into the call, or through it at once
                parameter, around = self._chosen(site)
                out = self._left_by(around, steps[at + 1 :]) if around >= 0 else 0
                if out and self._gives_data(parameter, out):
                    return True
        return False

    def _steps(self, number: int, reasons: Reasons) -> Iterator[tuple[int, int]]:
        """The edges on the way of the value, of what it crosses with, and so on, and of what it is taken out of."""
        while number >= 0:
            container = -1  # none; what is under any key of it passes through a node of its own
            for step in self._edges(number, reasons[number].node):
                container = self._containers.get(step[0], container)
                for held in self._taken_from.get(step[1], ()):
                    yield from self._edges(container, held)
                yield step
            number = reasons[number].parent

    def _edges(self, number: int, node: int) -> Iterator[tuple[int, int]]:
        """Those by which the value came to `node`, from the first on; none where it never does."""
        heap = self.solution.heap
        way = takewhile(lambda at: number in heap.holds[at], heap.way(number, node))
        return pairwise([*way][::-1])

    def _chosen(self, site: int) -> tuple[int, int]:
        """The parameter that a call calls, and the function that has it; -1 twice where it calls something else."""
        callee, offset, call = self._by_site.get(site, (-1, 0, None))
        around = self.callers.around(offset, call) if call is not None else -1
        parameters = self.solution.program.parameters(around) if around >= 0 else set()
        for number in self.solution.heap.holds[callee] if parameters else ():
            way = {node for step in self._edges(number, callee) for node in step} | {callee}
            if found := way & parameters:
                return min(found), around
        return -1, -1

    def _left_by(self, function: int, steps: list[tuple[int, int]]) -> int:
        """The call of the function by which the first of the steps that leave it do so; 0 for none."""
        calls = {given.call.result + given.offset + 1 for given in self.callers.of(function)}
        for step in steps:
            left = [-site for site in self.solution.heap.sites.get(step, ()) if -site in calls]
            if left:
                return left[0] if len(left) == 1 else 0
        return 0

    def _gives_data(self, parameter: int, call: int) -> bool:
        """The call gives something for the parameter, and only what makes plain data."""
        sources = [source for source, sites in self.callers.into.get(parameter, ()) if call in sites]
        held = {number for source in sources for number in self.solution.heap.holds[source]}
        return bool(held) and all(map(self._makes_data, held))

    def _makes_data(self, number: int) -> bool:
        """The value is an installed function whose result keeps nothing of what it is called with."""
        value = self.solution.heap.values[number]
        return value.kind == FOREIGN and str(value.a).rpartition(".")[2] in _MAKES_DATA

    @cached_property
    def _containers(self) -> dict[int, int]:
        """The containers, by the nodes of what is in them."""
        heap = self.solution.heap
        found: dict[int, int] = {}
        for number, value in enumerate(heap.values):
            if value.kind == CONTAINER:
                contents = int(value.a)
                found |= dict.fromkeys((contents, *heap.fields.get(contents, {}).values()), number)
        return found

    @cached_property
    def _taken_from(self) -> dict[int, list[int]]:
        """The nodes of containers, by those of what is taken out of them."""
        found: dict[int, list[int]] = {}
        for node, taken in self.solution.constraints.elements.items():
            for result, _ in taken:
                found.setdefault(result, []).append(node)
        return found

    @cached_property
    def _by_site(self) -> dict[int, tuple[int, int, Call]]:
        """The calls by their sites, with the node of what is called and the file's offset."""
        return {
            call.result + offset + 1: (callee, offset, call)
            for callee, calls in self.solution.constraints.calls.items()
            for offset, call in calls
        }
