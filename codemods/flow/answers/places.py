"""Where values are made, and where they get to."""

from __future__ import annotations

from functools import cached_property

from ..facts.records import self_nodes
from ..solve.heap import FUNCTION, Value
from ..solve.paths import Paths
from ..solve.solution import Solution


class Places:
    """Answers for the values of one solution, by their numbers; each is computed once."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self._paths: dict[int, Paths] = {}
        self._hops: dict[tuple[int, int], int] = {}

    @cached_property
    def origins(self) -> dict[int, list[int]]:
        """Per value the nodes where it is made, or added without an edge."""
        return self.solution.heap.origins()

    def gets_to(self, number: int, node: int) -> bool:
        """True when a value gets to a node that holds it."""
        return self.paths(number).lead_to(node)

    def paths(self, number: int) -> Paths:
        """Those of a value from wherever it is made."""
        known = self._paths.get(number)
        if known is None:
            known = self._paths[number] = Paths(self.solution.heap, number, self.origins.get(number, ()))
        return known

    def hops(self, node: int, number: int) -> int:
        """How many hops of a trace the way of a value to `node` takes."""
        source, labels, known = self.solution.heap.source, self.solution.heap.labels, self._hops
        way: list[int] = []
        while node >= 0 and (node, number) not in known:
            known[node, number] = 0  # a circle ends here
            way.append(node)
            node = source(node, number)
        hops = known[node, number] if node >= 0 else 0
        for at in reversed(way):
            hops += bool(labels[at])
            known[at, number] = hops
        return hops

    @cached_property
    def selves(self) -> set[int]:
        """The nodes of `self`: a closure in a method mostly needs one attribute of it, and not all that it keeps."""
        program = self.solution.program
        each = zip(program.facts, program.offsets, strict=True)
        return {node + offset for facts, offset in each for node in self_nodes(facts)}

    @cached_property
    def function_at(self) -> dict[tuple[str, int, int], int]:
        """The functions and lambdas by path, line and column (as in `ast`)."""
        program = self.solution.program
        functions = enumerate(program.functions)
        return {(program.files[file], *function.position[:2]): index for index, (file, function) in functions}

    def number_of_function(self, path: str, line: int, column: int) -> int:
        """The value number of the function or lambda at this position, -1 where nothing is known of it."""
        index = self.function_at.get((path, line, column))
        return self.solution.heap.numbers.get(Value(FUNCTION, index), -1) if index is not None else -1

    @cached_property
    def class_at(self) -> dict[tuple[str, int, int], int]:
        """The classes by path, line and column."""
        program = self.solution.program
        return {(program.files[file], *made.position[:2]): index for index, (file, made) in enumerate(program.classes)}

    @cached_property
    def class_on_line(self) -> dict[tuple[str, int], int]:
        """The classes by path and line."""
        program = self.solution.program
        return {(program.files[file], made.position[0]): index for index, (file, made) in enumerate(program.classes)}
