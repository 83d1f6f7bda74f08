"""What a property gives of an attribute belongs to the object whose property is read, whatever others keep there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from ..solve.heap import INSTANCE
from ..solve.solution import Solution


class PropertyReads:
    """Answers for one solution. `attributes`: by node the attributes that it is, each with its class."""

    def __init__(self, solution: Solution, attributes: Mapping[int, Sequence[tuple[int, str]]]) -> None:
        self.solution, self.attributes = solution, attributes

    def of_keeper(self, way: Sequence[int], at: int) -> bool:
        """The property that returns `way[at]` is read of objects that keep what it returns.

        `self.rows` in a method of a base class, where `rows` gives `self._rows`, which two derived classes set: an
        object of either is sent with its own.
        """
        bases = self._bases.get(way[at - 1], ()) if at > 0 else ()
        keepers = next((self.attributes[node] for node in way[at + 1 :] if node in self.attributes), ())
        values = self.solution.heap.values
        held = {values[number] for base in bases for number in self.solution.heap.holds[base]}
        owners = {int(value.a) for value in held if value.kind == INSTANCE}
        return any(keeper in self.solution.hierarchy.order(owner) for keeper, _ in keepers for owner in owners)

    @cached_property
    def _bases(self) -> dict[int, list[int]]:
        """By the node of what an attribute gives, the nodes of the objects."""
        found: dict[int, list[int]] = {}
        for base, loads in self.solution.constraints.loads.items():
            for _, result in loads:
                found.setdefault(result, []).append(base)
        return found
