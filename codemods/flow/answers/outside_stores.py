"""Attributes that code outside of a class stores on one object, where others of the class cross.

shown = Rows(names)
shown.crop = lambda image: image[1:]  # stays here
loader = DataLoader(Rows(names), num_workers=2)
"""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cached_property

from ..kinds import ANY, LOOKED_UP
from ..solve.heap import BOUND
from ..solve.solution import Solution
from .introspection import attribute_dicts
from .trace import Reasons

_PLAIN_BASES = ("torch.", "torchvision.", "abc.", "typing.", "object", "ABC", "Generic")  # each call makes an object
_SHOW_OWN = frozenset({"__getstate__", "__setstate__", "__reduce__", "__repr__", "__str__"})
GetsTo = Callable[[int, int, set[int]], bool]  # instance, where it is made, nodes


class OutsideStores:
    """Answers for the steps of one solution's traces."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self._apart: dict[int, bool] = {}

    def on_another(self, number: int, reasons: Reasons, made: Set[int], gets_to: GetsTo) -> bool:
        """The value is stored on objects of which none crosses, where others of the class do.

        `made`: the results of the calls that make objects of the class. Which object runs a method that brings itself
        to the boundary, or whose method is sent, can't be told; nor which of several objects it is that may be one.
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
        if not self._are_told_apart(instance):
            return False
        by_methods = (node for node in own if instance in heap.holds[node])
        if any(gets_to(instance, node, nodes) for node in by_methods):
            return False
        given = {result for result in made if gets_to(instance, result, bases)}
        crosses = {result for result in made if gets_to(instance, result, nodes)}
        return bool(given) and bool(crosses) and given.isdisjoint(crosses)

    def _are_told_apart(self, instance: int) -> bool:
        """Each call of the class makes an object, and no object takes over all that another has."""
        if instance not in self._apart:
            program, hierarchy = self.solution.program, self.solution.hierarchy
            owner = int(self.solution.heap.values[instance].a)
            classes = [program.classes[at][1] for at in hierarchy.order(owner)]
            self._apart[instance] = (
                not any(made.metaclass or made.decorators or "__new__" in made.members for made in classes)
                and all(base.startswith(_PLAIN_BASES) for base in hierarchy.all_foreign_bases(owner))
                and ANY not in self.solution.attributes.get(owner, {})
                and not any(instance in self.solution.heap.holds[node] for node in self._shown_whole)
            )
        return self._apart[instance]

    @cached_property
    def _shown_whole(self) -> list[int]:
        """The nodes of objects whose attributes something takes all together, or by a name that is computed."""
        program, lines = self.solution.program, self.solution.heap.lines
        found = [
            (at, base + program.offsets[at], result + program.offsets[at])
            for at, facts in enumerate(program.facts)
            for result, base in attribute_dicts(facts).items()
        ]
        for node, loads in self.solution.constraints.loads.items():
            if node not in self._own_parameters:
                found += [(-1, node, result) for name, result in loads if name == LOOKED_UP]
        own = {index for index, (_, function) in enumerate(program.functions) if function.name in _SHOW_OWN}
        return [
            node
            for at, node, result in found
            if not (node in self._own_parameters and at >= 0 and program.method_around(at, lines[result]) in own)
        ]

    @cached_property
    def _own_parameters(self) -> Set[int]:
        """The nodes of `self`, and of other first parameters of methods."""
        return frozenset(self.solution.program.own_parameters.values())
