"""Which nodes a value gets to, on paths that leave a function only by the call by which they entered it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Set

from .heap import Heap

MAX_CALLS = 8  # calls remembered on a path
MAX_STATES = 4_000  # steps on the paths of one value
_STATES_AT_ONCE = 32  # of these, before a look at what was asked for
_MOST_KEPT = 200  # of these, while nobody asks; with more, all paths are followed from the start when somebody does
_NO_CALL = (0,)
_OUTSIDE: tuple[int, ...] = ()  # of all calls


class Paths:
    """The nodes that the value `number` gets to from `origins`, as far as somebody asked.

    The solver does not tell the calls of a function apart, so a node may hold a value that can't get there. Paths may
    start inside a function, and what goes through an attribute or a container forgets its call.
    """

    def __init__(
        self,
        heap: Heap,
        number: int,
        origins: Iterable[int],
        among: Container[int] | None = None,
        sites: Iterable[int] = _NO_CALL,
        kept_at: frozenset[int] = frozenset(),
    ) -> None:
        """`among`: the only nodes to go through; None for all.

        `sites`: the calls of the function around the origins; the nodes `kept_at` forget them.
        """
        self._heap, self._number, self._among, self._kept_at = heap, number, among, kept_at
        self.found: set[int] = set()  # so far
        self.complete = True  # False once there were too many paths to follow
        self._seen: set[tuple[int, tuple[int, ...]]] = set()
        self._origins = tuple((node, (site,) if site else _OUTSIDE) for node in origins for site in sites)
        self._todo: list[tuple[int, tuple[int, ...]]] = [*self._origins]
        self._anew = False  # what is needed to go on was let go
        self._ended = False  # all were followed, or as many as may be

    def lead_to(self, node: int) -> bool:
        """True when a node is among them."""
        return node in self.found or (not self._ended and self.meet({node}))

    def meet(self, nodes: Set[int]) -> bool:
        """True when one of `nodes` is among them."""
        while self.found.isdisjoint(nodes):
            if self._ended or not self._goes_on():
                return False
        if len(self._seen) > _MOST_KEPT:
            self._seen.clear()
            self._todo.clear()
            self._anew = True
        return True

    def _goes_on(self) -> bool:
        """Follow the paths a bit further; False where that is done."""
        found, seen, todo, number = self.found, self._seen, self._todo, self._number
        heap, among, kept_at = self._heap, self._among, self._kept_at
        targets, holds, sites, at_calls = heap.targets, heap.holds, heap.sites, heap.at_calls
        if anew := self._anew:
            todo += self._origins
            self._anew = False
        if not todo or len(seen) >= MAX_STATES:
            self.complete, self._ended = not todo, True
            seen.clear()
            todo.clear()
            return False
        limit = MAX_STATES if anew else min(MAX_STATES, len(seen) + _STATES_AT_ONCE)
        while todo and len(seen) < limit:
            state = todo.pop()
            node, calls = state
            if state in seen or (among is not None and node not in among):
                continue
            seen.add(state)
            found.add(node)
            if kept_at and node in kept_at:
                calls = _OUTSIDE
            if node not in at_calls:
                out = targets[node]
                if out:
                    todo += [(target, calls) for target in out if number in holds[target]]
                continue
            if calls and (back := heap.way_back(node, calls[-1])) is not None:
                left = calls[:-1]
                todo += [(target, left) for target in back if number in holds[target]]
                continue
            for target in targets[node] or ():
                if number not in holds[target]:
                    continue
                for site in sites.get((node, target), _NO_CALL):
                    if site == 0:
                        todo.append((target, calls))
                    elif site > 0:
                        todo.append((target, (*calls, site)[-MAX_CALLS:]))
                    elif not calls:
                        todo.append((target, ()))
                    elif calls[-1] == -site:
                        todo.append((target, calls[:-1]))
                    elif not heap.returns_to(node, calls[-1]):
                        todo.append((target, calls))
        return True
