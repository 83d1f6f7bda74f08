"""What crosses along with what: from the arguments of boundaries to all that is pickled with them."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from itertools import count

from ...hazard_kind import HazardKind
from ..kinds import NAMELESS
from ..solve.heap import BOUND, CLASS, CONTAINER, FUNCTION, INSTANCE, PERHAPS_KEPT
from .contents import inside
from .hidden import captures
from .moments import Moments
from .places import Places
from .same_object import SameObject
from .trace import Reason, Reasons

_CAPTURED = frozenset({FUNCTION, CLASS, CONTAINER})
_CAPTURED_WHOLE = _CAPTURED | {INSTANCE}


class Closure:
    """Follows values through all that holds them."""

    def __init__(self, places: Places, same_object: SameObject, moments: Moments) -> None:
        self.solution, self.places, self.same_object, self.moments = places.solution, places, same_object, moments
        self._inside: dict[tuple[int, bool], list[int]] = {}

    def of(self, seeds: Iterable[tuple[int, Reason]], among: set[int] | None, only: frozenset[HazardKind]) -> Reasons:
        """Every value (`among` these) that crosses along with the seeds, and why.

        Where a boundary minds `only` some kinds, functions go by reference: what they capture stays behind.
        """
        solution, gets_to, hops_to = self.solution, self.places.gets_to, self.places.hops
        reasons = Reasons()
        reasons.only = only
        # shortest traces first, and those with a guess after all others: (guesses, hops, order, value, why, what
        # attributes do not hold then)
        todo: list[tuple[int, int, int, int, Reason, frozenset[int]]] = []
        partly: set[int] = set()  # objects that closures capture: what is put on them later is not followed
        # (guesses, hops) of the first to come of those that wait, by value, where all that it brings along is followed
        # then: whoever comes later with the same value is not followed, and need not wait
        first: dict[int, tuple[int, int]] = {}
        order = count()

        def wait(number: int, reason: Reason, guesses: int, hops: int, absent: frozenset[int]) -> None:
            heappush(todo, (guesses, hops, next(order), number, reason, absent))
            if not absent and not self.captured_object(number, reason):
                first[number] = min((guesses, hops), first.get(number, (guesses, hops)))

        for number, reason in seeds:
            if (among is None or number in among) and (reason.node < 0 or gets_to(number, reason.node)):
                wait(number, reason, 0, hops_to(reason.node, number), self._absent(number, reason))
                reasons.nodes.add(reason.node)
                reasons.roots.setdefault(number, []).append(reason)
        reasons.of_boundaries = {node for node in reasons.nodes if node >= 0}
        while todo:
            guesses, hops, _, number, reason, absent = heappop(todo)
            captured = self.captured_object(number, reason)
            if number in reasons and (captured or (number not in partly and reasons.covers(number, absent))):
                continue
            if number not in reasons or number not in partly:
                reasons[number] = reason
            reasons.leave_out(number, absent)
            (partly.add if captured else partly.discard)(number)
            for node in self.nodes_inside(number, only):
                if node in absent:
                    continue
                reasons.nodes.add(node)
                for held in solution.heap.holds[node]:
                    if held in reasons and held not in partly and reasons.covers(held, absent):
                        continue
                    if among is not None and held not in among:
                        continue
                    further = hops + hops_to(node, held)
                    if held in first and first[held] <= (guesses, further):
                        continue
                    if captured and not self._put_there_directly(held, node):
                        continue
                    if gets_to(held, node):
                        wait(held, Reason(node, number, None, ""), guesses + self._guess(number, node), further, absent)
            value = solution.heap.values[number]
            if value.kind == BOUND:
                if value.b not in reasons or value.b in partly or not reasons.covers(value.b, absent):
                    wait(value.b, Reason(reason.node, number, None, ""), guesses, hops, absent)
            elif value.kind == FUNCTION and not only and self._nameless(int(value.a)):
                for node in captures(solution, int(value.a)):
                    for held, source in solution.heap.sources(node):
                        kinds = _CAPTURED if {node, source} & self.places.selves else _CAPTURED_WHOLE
                        if held not in reasons and solution.heap.values[held].kind in kinds:
                            reasons.nodes.add(node)
                            why = Reason(node, number, None, "")
                            wait(held, why, guesses, hops + hops_to(node, held) + 1, absent)
        return reasons

    def _absent(self, number: int, reason: Reason) -> frozenset[int]:
        """The nodes of attributes that hold nothing when a boundary gets the value."""
        if reason.node < 0:
            return self.moments.never_there(number)
        return self.moments.absent(reason.node, reason.hop.line) if reason.hop is not None else frozenset()

    def nodes_inside(self, number: int, only: frozenset[HazardKind]) -> list[int]:
        """As `inside`; many boundaries ask about the same values."""
        key = (number, bool(only))  # which kinds makes no difference
        if key not in self._inside:
            gone = self.moments.only_in_init
            self._inside[key] = [node for node in inside(self.solution, number, only) if node not in gone]
        return self._inside[key]

    def guessed(self, number: int, reasons: Reasons) -> bool:
        """True when the value is kept by a foreign object that may not keep it (`Mlp(act_layer=lambda: ...)`), or by
        one of the repo that may be none of those that it was stored on."""
        while reasons[number].parent >= 0:
            node, number = reasons[number].node, reasons[number].parent
            if self._guess(number, node):
                return True
        return False

    def _guess(self, number: int, node: int) -> bool:
        """True when it is a guess that the value `number` holds what is at `node`."""
        value = self.solution.heap.values[number]
        return value.a == PERHAPS_KEPT or (value.kind == INSTANCE and self.same_object.doubtful(int(value.a), node))

    def captured_object(self, number: int, reason: Reason) -> bool:
        """An object that came along with a function can only be what that captures."""
        values = self.solution.heap.values
        return reason.parent >= 0 and values[number].kind == INSTANCE and values[reason.parent].kind == FUNCTION

    def _put_there_directly(self, held: int, attribute: int) -> bool:
        """A function that nothing else keeps on its way to the attribute: no other object has it first."""
        if self.solution.heap.values[held].kind != FUNCTION:
            return False
        labels = self.solution.heap.labels
        return not any(labels[at].startswith("stored ") for at in self.same_object.way(held, attribute))

    def _nameless(self, function: int) -> bool:
        return self.solution.program.functions[function][1].kind in NAMELESS
