"""Functions that keep or give values under a key that is one of their parameters, told apart by the key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from ..facts.records import FileFacts
from .heap import Heap
from .program import Program

_ONLY_ASK = frozenset({"isinstance", "issubclass", "callable", "type", "len", "str", "repr", "print", "hash", "id"})


class KeyedMethods:
    """Nodes in place of a function's result, or of its parameter, for calls that name the key."""

    def __init__(self, program: Program, heap: Heap) -> None:
        self.program, self._heap = program, heap
        self._found: dict[int, dict[int, list[tuple[int, int]]]] = {}  # by file and parameter
        self._nodes: dict[tuple[int, int, int, str], int] = {}
        # what does not depend on the key: by file, by function, by file, parameter and node
        self._leads: dict[int, dict[int, list[int]]] = {}
        self._by_getattr: dict[int, set[int]] = {}
        self._puts: dict[tuple[int, int, int], list[tuple[int, int]]] = {}

    def has_key(self, index: int, place: int) -> bool:
        """Something is kept or given under what the parameter at `place` of the function is."""
        file, function = self.program.functions[index]
        return place < len(function.parameters) and function.parameters[place].node in self._in_file(file)

    def given(self, index: int, place: int, key: str, take: Callable[[int, int, str], None]) -> int:
        """The node of what the function returns where its parameter at `place` is `key`, "" where that is not known.

        `take(container, result, key)` applies this to all that gets there; it is not kept, for it may hold this object.
        -1 where that is no less than what it returns at all. Attributes by a computed name are left out: these may be
        anything that the object has.
        """
        known = self._nodes.get((index, place, -1, key))
        if known is not None:
            return known
        self._nodes[index, place, -1, key] = node = -1
        file, function = self.program.functions[index]
        looked_up = self._looked_up(index)
        by_key = bool(key) and self.has_key(index, place)
        if not (by_key or looked_up) or function.generator or function.decorators:
            return -1
        heap, facts, offset = self._heap, self.program.facts[file], self.program.offsets[file]
        leads = self._leads.get(file)
        if leads is None:
            leads = self._leads[file] = _sources(facts.edges)
        elements = self._in_file(file)[function.parameters[place].node] if by_key else []
        taken = {result: held for held, result in elements}
        sources = [source for source in leads.get(function.returns, ()) if not _meets(leads, source, looked_up)]
        if looked_up or any(source in taken for source in sources):
            returns = function.returns + offset
            node = heap.node(heap.labels[returns], file, heap.lines[returns])
        self._nodes[index, place, -1, key] = node
        for source in sources if node >= 0 else ():
            if source in taken:
                take(taken[source] + offset, node, key)
            else:
                heap.edge(source + offset, node, heap.lines[source + offset])
        return node

    def _looked_up(self, index: int) -> set[int]:
        """What `getattr` gives in the function, by names that are not known."""
        found = self._by_getattr.get(index)
        if found is None:
            file = self.program.functions[index][0]
            own = index - self.program.function_offset[file]
            calls = self.program.facts[file].calls
            found = {c.result for c in calls if c.scope == own and c.text == "getattr" and c.looks_up}
            self._by_getattr[index] = found
        return found

    def kept(self, index: int, place: int, value: int, key: str, put: Callable[[int, int, int, str], None]) -> int:
        """The node for an argument that the parameter at `value` gets where that at `place` is `key`.

        `put(container, value, line, key)` applies this to all that gets there.
        -1 where the function does anything else with it.
        """
        file, function = self.program.functions[index]
        if not self.has_key(index, place) or function.worker_side or function.decorators:
            return -1
        known = self._nodes.get((index, place, value, key))
        if known is not None:
            return known
        heap, offset = self._heap, self.program.offsets[file]
        stored = function.parameters[value].node
        puts = self._put_only(file, function.parameters[place].node, stored)
        node = heap.node(heap.labels[stored + offset], file, heap.lines[stored + offset]) if puts else -1
        self._nodes[index, place, value, key] = node
        for held, line in puts:
            put(held + offset, node, line, key)
        return node

    def _put_only(self, file: int, parameter: int, stored: int) -> list[tuple[int, int]]:
        """The containers, each with a line, into which `stored` is put by the parameter; none where it goes on."""
        found = self._puts.get((file, parameter, stored))
        if found is None:
            facts = self.program.facts[file]
            holders = [held for held, put in self._in_file(file)[parameter] if put == stored]
            lines = {held: line for held, put, line, _ in facts.puts if put == stored} if holders else {}
            used = not holders or _used(facts, stored, len(holders))
            found = self._puts[file, parameter, stored] = [] if used else [(held, lines[held]) for held in holders]
        return found

    def _in_file(self, file: int) -> dict[int, list[tuple[int, int]]]:
        """By parameter the containers and what is put there, or taken out, by it as the key."""
        found = self._found.get(file)
        if found is None:
            found = self._found[file] = defaultdict(list)
            for held, element, parameter in self.program.facts[file].by_parameter:
                found[parameter].append((held, element))
        return found


def _sources(edges: Iterable[tuple[int, int, int]]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for source, target, _ in edges:
        found[target].append(source)
    return found


def _meets(leads: Mapping[int, list[int]], node: int, wanted: set[int]) -> bool:
    """One of `wanted` leads to `node`."""
    seen, todo = {node}, [node] if wanted else []
    while todo:
        at = todo.pop()
        if at in wanted:
            return True
        new = [source for source in leads.get(at, ()) if source not in seen]
        seen.update(new)
        todo += new
    return False


def _used(facts: FileFacts, node: int, puts: int) -> bool:
    """What is in `node` goes anywhere but into containers, by `puts` statements."""
    return (
        sum(value == node for _, value, *_ in facts.puts) > puts
        or any(source == node for source, *_ in facts.edges)
        or any(base == node for base, *_ in facts.loads)
        or any(value == node for _, _, value, *_ in facts.stores)
        or any(base == node for base, *_ in facts.elements)
        or any(
            node in (call.function, *call.arguments, *call.stars, *call.double_stars, *(n for _, n in call.keywords))
            for call in facts.calls
            if call.text not in _ONLY_ASK
        )
    )
