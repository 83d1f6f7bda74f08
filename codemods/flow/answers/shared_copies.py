"""Whether an object is sent together with a copy of it that shares its attributes.

second = copy.copy(first)
Process(target=work, args=(first, second))  # one lock, while a new one for each would be two
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import cached_property
from typing import NamedTuple

from ..kinds import ANY
from ..solve.heap import CONTAINER, FOREIGN, INSTANCE
from ..solve.paths import Paths
from ..solve.sinks import Sink
from .closure import Closure
from .introspection import attribute_dicts
from .trace import Reason, Reasons

_REPLACE = frozenset({"dataclasses.replace", "attr.evolve", "attrs.evolve", "copy.replace"})
_STATE_METHODS = frozenset({"__getstate__", "__setstate__", "__reduce__", "__reduce_ex__"})


class _Copy(NamedTuple):
    """A call that gives a copy, at `node`; `replaced`: the constructor runs, with what the fields hold."""

    node: int
    place: str
    replaced: bool


class SharedCopies:
    """Answers for the classes of one solution."""

    def __init__(self, closure: Closure) -> None:
        self.closure, self.solution = closure, closure.solution

    def sent_with(self, index: int, by_replace: bool) -> str | None:
        """`path:line` of what makes such a copy of objects of the class, or of one below it.

        `by_replace`: what `dataclasses.replace` makes shares them too.
        """
        hierarchy = self.solution.hierarchy
        for at in (index, *sorted(hierarchy.below.get(index, ()))):
            number = self.solution.number_of_instance(at)
            if number < 0:
                continue
            for takers, place in self._taken_over.get(number, ()):
                if not takers or number in takers or not takers.isdisjoint(self._sent):
                    return place
            copies = [each for each in self._copies.get(number, ()) if by_replace or not each.replaced]
            made = frozenset(each.node for each in copies) | self.closure.same_object.constructed.get(at, set())
            for places in self._messages(number) if copies else ():
                for copy in copies:
                    kept = self._reached(number, copy.node, made, places)
                    several = not kept.isdisjoint(self._without_key)  # `[copy.copy(x) for _ in names]`
                    beside = places if kept and len(places) > 1 else frozenset[int]()
                    if several or any(self._reached(number, other, made, beside) for other in made - {copy.node}):
                        return copy.place
        return None

    def _reached(self, number: int, origin: int, made: Set[int], places: Set[int]) -> set[int]:
        """Those of `places` that the object which is made at `origin` gets to, as itself and not as a copy."""
        paths = Paths(self.solution.heap, number, (origin,), among=_All(made - {origin}))
        return {node for node in places if paths.lead_to(node) or not paths.complete}

    def _messages(self, number: int) -> Iterator[frozenset[int]]:
        """For each call of a boundary that sends the object: the nodes where it then is."""
        heap = self.solution.heap
        for reasons in self._crossing:
            if number in reasons:
                yield frozenset(node for node in reasons.nodes if node >= 0 and number in heap.holds[node])

    @cached_property
    def _crossing(self) -> list[Reasons]:
        """For each call of a boundary all that it sends."""
        calls: dict[tuple[str, int], list[Sink]] = {}
        for sink in self.solution.sinks:
            if sink.crosses:
                calls.setdefault((sink.path, sink.line), []).append(sink)
        return [
            self.closure.of(
                [
                    (held, Reason(sink.node, -1, None, sink.boundary))
                    for sink in sinks
                    for held in self.solution.heap.holds[sink.node]
                ],
                None,
                sinks[0].only,
            )
            for sinks in calls.values()
        ]

    @cached_property
    def _without_key(self) -> frozenset[int]:
        """The nodes of what containers hold under no known key: several, perhaps."""
        return frozenset(int(value.a) for value in self.solution.heap.values if value.kind == CONTAINER)

    @cached_property
    def _copies(self) -> dict[int, list[_Copy]]:
        """By the number of what is copied."""
        found: dict[int, list[_Copy]] = {}
        heap, program = self.solution.heap, self.solution.program
        for node, calls in self.solution.constraints.calls.items():
            names = {heap.values[held].a for held in heap.holds[node] if heap.values[held].kind == FOREIGN}
            replaced = not names.isdisjoint(_REPLACE)
            for offset, call in calls if replaced or "copy.copy" in names else ():
                if call.arguments and call.arguments[0] >= 0:
                    result = call.result + offset
                    place = f"{program.files[heap.file_of[result]]}:{call.position[0]}"
                    for held in heap.holds[call.arguments[0] + offset]:
                        if heap.values[held].kind == INSTANCE:
                            found.setdefault(held, []).append(_Copy(result, place, replaced))
        return found

    @cached_property
    def _sent(self) -> frozenset[int]:
        """All values that some call of a boundary sends."""
        return frozenset(number for reasons in self._crossing for number in reasons)

    @cached_property
    def _taken_over(self) -> dict[int, list[tuple[frozenset[int], str]]]:
        """The places where another object takes over all that an object has: `other.__dict__.update(self.__dict__)`.

        By the number of that object, with the numbers of those that take it over; none where these can't be told.
        """
        found: dict[int, list[tuple[frozenset[int], str]]] = {}
        heap, program = self.solution.heap, self.solution.program
        for at, facts in enumerate(program.facts):
            offset = program.offsets[at]
            dicts = attribute_dicts(facts)
            takes = {
                node + offset: (call.position[0], -1)
                for call in facts.calls
                if call.text.endswith(".update") and ("__dict__" in call.text or call.text.startswith("vars("))
                for node in call.arguments
                if node >= 0
            }
            whole = {part: container for container, part, _ in facts.elements} if dicts else {}
            takes |= {
                whole[value] + offset: (line, base)
                for base, name, value, line, _ in facts.stores
                if name == ANY and value in whole
            }
            for result, base in dicts.items() if takes else ():
                index = program.method_around(at, facts.lines[result])
                if index >= 0 and program.functions[index][1].name in _STATE_METHODS:
                    continue
                ways = heap.led_to([result + offset])
                for line, taker in sorted({takes[node] for node in ways & takes.keys()}):
                    takers = frozenset(heap.holds[taker + offset] if taker >= 0 else ())
                    known = all(heap.values[each].kind == INSTANCE for each in takers)
                    way = (takers if known else frozenset[int](), f"{program.files[at]}:{line}")
                    for held in heap.holds[base + offset]:
                        if heap.values[held].kind == INSTANCE:
                            found.setdefault(held, []).append(way)
        return found


class _All:
    """Holds all nodes but some."""

    def __init__(self, but: Set[int]) -> None:
        self._but = but

    def __contains__(self, node: object) -> bool:
        return node not in self._but
