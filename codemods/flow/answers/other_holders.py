"""Other ways by which a value crosses, for where the first one that was found joins two objects or two programs.

steps.append(Apply(lambda image: 2 * image))  # used and let go
rows = Rows(Compose([Apply(lambda crops: stack(crops))]))  # goes to a loader

All objects of `Apply` are one value, and the first list may be found to hold it. The second one tells of the second
lambda, but not of the first: each object of such a way must itself get to its place there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ..solve.heap import CONTAINER, INSTANCE, OBJECT
from .closure import Closure
from .trace import Reason, Reasons

_HOLDING = frozenset({CONTAINER, INSTANCE, OBJECT})
_MAX_WAYS = 3  # of one value
_MAX_STEPS = 24  # on all of these, in vain ones too


class OtherHolders:
    """Answers for the values of one solution."""

    def __init__(self, closure: Closure) -> None:
        self.closure, self.heap = closure, closure.solution.heap
        self._others: dict[tuple[int, int, int, int, frozenset[int]], bool] = {}

    def ways(self, number: int, reasons: Reasons) -> Iterator[Reasons]:
        """Reasons for what crosses with the value `number`."""
        self._look_up(reasons)
        return islice(self._outwards({}, number, reasons, [_MAX_STEPS]), _MAX_WAYS)

    def is_whole(self, number: int, reasons: Reasons) -> bool:
        """The very objects that the code makes with the value may go the first way that was found.

        Where another object of their class is the one that crosses by it, it tells of a place where the value never is.
        """
        within: dict[int, Reason] = {}
        at = number
        while reasons[at].parent >= 0:
            if not self._gets_to(within, at, reasons[at].node, reasons):
                return False
            within[at] = reasons[at]
            at = reasons[at].parent
        return True

    def _outwards(self, within: dict[int, Reason], number: int, reasons: Reasons, left: list[int]) -> Iterator[Reasons]:
        """The ways that begin with `within`, and go on from there with the value `number`."""
        first = reasons[number]
        if first.parent < 0:
            way = self.only(within | {number: first}, number, reasons)
            if not self._is_of_another(within, number, way):
                yield way
            return
        for node, parents in self._places(number, first, reasons):
            if not self._gets_to(within, number, node, reasons):
                continue
            for parent in parents:
                if parent not in within and parent != number and left[0] > 0:
                    left[0] -= 1
                    yield from self._outwards(within | {number: Reason(node, parent, None, "")}, parent, reasons, left)

    def _places(self, number: int, first: Reason, reasons: Reasons) -> list[tuple[int, list[int]]]:
        """Where the value is held by what crosses, each place with its holders."""
        if number not in reasons.places:
            found = [(first.node, [first.parent])] if first.node not in reasons.holders else []  # in a closure
            for node in reasons.held_at.get(number, ()):
                if self.closure.places.gets_to(number, node):
                    found.append((node, reasons.holders[node]))
            reasons.places[number] = found
        return reasons.places[number]

    def _gets_to(self, within: dict[int, Reason], number: int, node: int, reasons: Reasons) -> bool:
        """Those objects that keep what is within may be the ones that get to the node, or stand in one of these."""
        if not within or self.heap.values[number].kind != INSTANCE:
            return True
        held, reason = next(reversed(within.items()))
        if not self._is_other(held, reason.node, number, node):
            return True
        inner = self._inside_itself(number, reasons)
        return bool(inner) and not self._is_other(held, reason.node, number, node, inner)

    def _is_other(self, held: int, attribute: int, number: int, node: int, inner: frozenset[int] = frozenset()) -> bool:
        """As `other_object`, of what gets to the node or to one of `inner`: many ways have such a step in common."""
        key = (held, attribute, number, node, inner)
        if key not in self._others:
            places = {node, *inner}
            self._others[key] = self.closure.same_object.other_object(held, attribute, number, node, places)
        return self._others[key]

    def _is_of_another(self, within: dict[int, Reason], outermost: int, way: Reasons) -> bool:
        """Objects of the class of the outermost value reach the boundary, but none that is made with what is within.

        Such a way must not count: siblings that share what a base class keeps (`Train(provider)`, `Test(provider)`)
        would use up all that are tried.
        """
        if not within or self.heap.values[outermost].kind != INSTANCE or way[outermost].node < 0:
            return False
        held, reason = next(reversed(within.items()))
        node = way[outermost].node
        return self.closure.same_object.other_object(held, reason.node, outermost, node, way.nodes)

    def _inside_itself(self, number: int, reasons: Reasons) -> frozenset[int]:
        """Where objects of one class are kept in others of the class: `Compose([Compose(steps), crop])`."""
        self._look_up(reasons)
        if number not in reasons.inner:
            reasons.inner[number] = frozenset(
                node for node in reasons.held_at.get(number, ()) if self._is_around(number, node, reasons)
            )
        return reasons.inner[number]

    def _is_around(self, number: int, node: int, reasons: Reasons) -> bool:
        seen, todo = {node}, [node]
        while todo and len(seen) < _MAX_STEPS:
            for holder in reasons.holders[todo.pop()]:
                if holder == number:
                    return True
                new = [each for each in reasons.held_at.get(holder, ()) if each not in seen]
                seen.update(new)
                todo += new
        return bool(todo)

    def only(self, way: dict[int, Reason], outermost: int, reasons: Reasons) -> Reasons:
        """One way; of the boundaries that get the outermost value any may be meant."""
        only = Reasons(way)
        only.nodes = {reason.node for reason in way.values()}
        only.nodes |= {node for node in reasons.of_boundaries if outermost in self.heap.holds[node]}
        only.nodes = only.nodes.union(*(reasons.inner.get(number, ()) for number in way))
        only.absent = reasons.absent
        return only

    def _look_up(self, reasons: Reasons) -> None:
        """Who holds what, once for all that crosses."""
        if not reasons.holders:
            reasons.holders = self._holders(reasons)
            for node in reasons.holders:
                for held in self.heap.holds[node]:
                    reasons.held_at.setdefault(held, []).append(node)

    def _holders(self, reasons: Reasons) -> dict[int, list[int]]:
        """By node the values that cross and that hold what is there, those with the shortest way first.

        Functions are none, nor the objects that they capture: not all that these hold is followed.
        """
        found: dict[int, list[int]] = {}
        for number, reason in reasons.items():
            if self.heap.values[number].kind in _HOLDING and not self.closure.captured_object(number, reason):
                for node in self.closure.nodes_inside(number, reasons.only):
                    if node not in reasons.absent.get(number, ()):
                        found.setdefault(node, []).append(number)
        return found
