"""What the solver found: which values can be in which node, and which nodes cross a process boundary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from .constraints import Constraints
from .dispatch import StartMethod
from .heap import INSTANCE, Heap, Value
from .hierarchy import Hierarchy
from .misnamed import misnamed
from .program import Program
from .reducers import registered
from .sinks import Sink


@dataclass(frozen=True)
class Solution:
    """Node and value numbers are valid for one solution only.

    It refers to nothing that refers back: no garbage collector runs, and a circle would never be freed.
    """

    program: Program
    heap: Heap
    constraints: Constraints
    hierarchy: Hierarchy
    attributes: Mapping[int, Mapping[str, int]]  # class -> attribute -> node, without those that only workers set
    stored_by: Mapping[int, set[tuple[int, int]]]  # attribute node -> nodes of `x` and `y` in `x.attribute = y`
    sinks: Sequence[Sink]
    start_methods: Mapping[tuple[str, int], StartMethod]  # by path and line
    steps: int
    complete: bool  # False when the analysis stopped early: some paths may be missing

    @cached_property
    def sink_at(self) -> Mapping[tuple[int, int], Sink]:
        """The boundaries by the node that they get, and the line."""
        return {(sink.node, sink.line): sink for sink in self.sinks}

    @cached_property
    def misnamed(self) -> Mapping[int, str]:
        """Local functions that have the name of another one, as `misnamed` says."""
        return misnamed(self.program, self.heap, self.constraints)

    @cached_property
    def registered(self) -> frozenset[int]:
        """Classes for whose objects a reducer is registered, as `registered` says."""
        return registered(self.program, self.heap, self.constraints)

    def number_of_instance(self, index: int) -> int:
        """The value number of the instance of a class; -1 when no instance appears anywhere."""
        return self.heap.numbers.get(Value(INSTANCE, index), -1)
