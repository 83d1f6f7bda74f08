"""Which nodes a value gets to, on paths that leave a function only by the call by which they entered it."""

from __future__ import annotations

from collections.abc import Iterable

from .heap import Heap

MAX_CALLS = 8  # calls remembered on a path
MAX_STATES = 4_000  # steps on the paths of one value
_NO_CALL = (0,)


def reach(heap: Heap, number: int, origins: Iterable[int]) -> set[int]:
    """Nodes that the value `number` gets to from `origins`.

    The solver does not tell the calls of a function apart, so a node may hold a value that can't get there. Paths may
    start inside a function, and what goes through an attribute or a container forgets its call.
    """
    return explore(heap, number, origins)[0]


def explore(heap: Heap, number: int, origins: Iterable[int]) -> tuple[set[int], bool]:
    """As `reach`, and whether these are all; False when there were too many paths to follow."""
    found: set[int] = set()
    seen: set[tuple[int, tuple[int, ...]]] = set()
    todo: list[tuple[int, tuple[int, ...]]] = [(node, ()) for node in origins]
    targets, holds, sites, at_calls = heap.targets, heap.holds, heap.sites, heap.at_calls
    while todo and len(seen) < MAX_STATES:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        node, calls = state
        found.add(node)
        if node not in at_calls:
            out = targets[node]
            if out:
                todo += [(target, calls) for target in out if number in holds[target]]
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
    return found, not todo
