"""Attributes that code outside of a class stores on one object, where others of the class cross.

shown = Rows(names)
shown.crop = lambda image: image[1:]  # stays here
loader = DataLoader(Rows(names), num_workers=2)
"""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cached_property

from ..solve.heap import BOUND
from ..solve.solution import Solution
from .trace import Reasons

GetsTo = Callable[[int, int, set[int]], bool]  # instance, where it is made, nodes


class OutsideStores:
    """Answers for the steps of one solution's traces."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution

    def on_another(self, number: int, reasons: Reasons, made: Set[int], gets_to: GetsTo) -> bool:
        """The value is stored on objects of which none crosses, where others of the class do.

        `made`: the results of the calls that make objects of the class. Which object runs a method that brings itself
        to the boundary, or whose method is sent, can't be told.
        """
        attribute, instance, nodes = reasons[number].node, reasons[number].parent, reasons.nodes
        heap, own = self.solution.heap, self._own_parameters
        stores = [each for each in self.solution.stored_by.get(attribute, ()) if number in heap.holds[each[1]]]
        bases = {base for base, _ in stores}
        if heap.source(attribute, number) not in {stored for _, stored in stores} or not bases.isdisjoint(own):
            return False
        values = heap.values
        if any(values[each].kind == BOUND and values[each].b == instance for each in reasons):
            return False
        by_methods = (node for node in own if instance in heap.holds[node])
        if any(gets_to(instance, node, nodes) for node in by_methods):
            return False
        given = {result for result in made if gets_to(instance, result, bases)}
        crosses = {result for result in made if gets_to(instance, result, nodes)}
        return bool(given) and bool(crosses) and given.isdisjoint(crosses)

    @cached_property
    def _own_parameters(self) -> set[int]:
        """The nodes of `self`, and of other first parameters of methods."""
        program = self.solution.program
        return {
            function.parameters[0].node + program.offsets[file]
            for file, function in program.functions
            if function.owner >= 0 and function.parameters
        }
