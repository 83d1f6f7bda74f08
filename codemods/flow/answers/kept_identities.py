"""Where code tells apart what objects keep in an attribute: by `is`, in sets, as keys of dicts, by `id`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ..solve.heap import CONTAINER, FOREIGN
from ..solve.solution import Solution
from .introspection import Question, without_nodes

_TELL = frozenset(
    {"id", "hash", "set", "frozenset", "dict.fromkeys", "collections.Counter", "collections.OrderedDict.fromkeys",
     "weakref.ref", "weakref.WeakSet"}
)  # fmt: skip
_METHODS = frozenset({"add", "count", "discard", "fromkeys", "index", "remove", "setdefault"})
_BY_VALUE = frozenset({"compared", "put in a set", "a key of a dict"})
_NESTED = 2  # tuples in tuples


class KeptIdentities:
    """Answers for the attributes of one solution's classes.

    Nothing need be known of what they keep: all that is read as the attribute is followed.
    """

    def __init__(self, solution: Solution) -> None:
        self.solution = solution

    def of(self, index: int, attribute: str) -> list[Question]:
        """The places, for objects of the class and of those below it."""
        if not self._questions:
            return []
        heap = self.solution.heap
        family = {index, *self.solution.hierarchy.below.get(index, ())}
        numbers = {self.solution.number_of_instance(at) for at in family} - {-1}
        reads = self._reads.get(attribute, ())
        ways = heap.led_to(result for base, result in reads if not numbers.isdisjoint(heap.holds[base]))
        return without_nodes(sorted({each for each in self._questions if each.node in ways}))

    @cached_property
    def _reads(self) -> dict[object, list[tuple[int, int]]]:
        """By attribute, the nodes of an object and of what is read as that."""
        found: dict[object, list[tuple[int, int]]] = {}
        for base, loads in self.solution.constraints.loads.items():
            for name, result in loads:
                found.setdefault(name, []).append((base, result))
        for facts, offset in zip(self.solution.program.facts, self.solution.program.offsets, strict=True):
            for call in facts.calls:
                if call.text == "getattr" and 1 in call.literals and call.arguments[0] >= 0:
                    found.setdefault(call.literals[1], []).append((call.arguments[0] + offset, call.result + offset))
        return found

    @cached_property
    def _questions(self) -> list[Question]:
        return [
            Question(what, path, line, each)
            for what, path, line, node in self._asked()
            for each in dict.fromkeys(self._with_contents(node))
        ]

    def _asked(self) -> Iterator[Question]:
        heap, program = self.solution.heap, self.solution.program
        for at, facts in enumerate(program.facts):
            path, offset = program.files[at], program.offsets[at]
            for node, what, line in facts.distinguished:
                if what in _BY_VALUE:
                    yield Question(what, path, line, node + offset)
            methods = {result: name for _, name, result in facts.loads if name in _METHODS}
            for call in facts.calls if methods else ():
                name = methods.get(call.function)
                if name is not None and call.arguments and call.arguments[0] >= 0:
                    yield Question(f"passed to `{name}`", path, call.position[0], call.arguments[0] + offset)
        for node, calls in self.solution.constraints.calls.items():
            names = {str(heap.values[held].a) for held in heap.holds[node] if heap.values[held].kind == FOREIGN}
            for name in names & _TELL:
                for offset, call in calls:
                    if call.arguments and call.arguments[0] >= 0:
                        path = program.files[heap.file_of[call.result + offset]]
                        yield Question(f"passed to `{name}`", path, call.position[0], call.arguments[0] + offset)

    def _with_contents(self, node: int, depth: int = 0) -> Iterator[int]:
        """The node, and those of what containers there hold."""
        yield node
        heap = self.solution.heap
        for number in heap.holds[node] if depth < _NESTED else ():
            value = heap.values[number]
            if value.kind == CONTAINER:
                for inner in (int(value.a), *heap.fields.get(int(value.a), {}).values()):
                    yield from self._with_contents(inner, depth + 1)
