"""Which of several registries, all objects of one class, has a class or function that seems to come out of each.

DATASETS, RUNNERS = Registry(), Registry()

@RUNNERS.register
class Runner: ...

DATASETS.get(name)()  # is no Runner

All objects of `Registry` are one value, so what one of them is given seems to be what any of them gives.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise

from ..solve.heap import BOUND, CLASS, FUNCTION, INSTANCE, Value
from ..solve.paths import Paths
from .callers import Callers
from .places import Places


class Registries:
    """Answers for one solution."""

    def __init__(self, places: Places, callers: Callers) -> None:
        self.places, self.solution, self.callers = places, places.solution, callers
        self._paths: dict[tuple[int, int], Paths] = {}  # of registries, by where they are made
        self._known: dict[tuple[int, int], tuple[int, list[int], set[int]] | None] = {}

    def another(self, number: int, way: list[int]) -> bool:
        """The value `number` came along `way` (from its end back) by a call of what only another registry has."""
        heap = self.solution.heap
        made = heap.numbers.get(Value(CLASS, heap.values[number].a), -1) if way else -1
        if made >= 0 and self._has_another_name(made, self._callees.get(way[-1], -1)):
            return True
        return (made >= 0 and self._is_of_another(made, self._callees.get(way[-1], -1), way)) or any(
            self._is_of_another(called, callee, way[: at + 1])
            for at, (target, source) in enumerate(pairwise(way))
            for site in heap.sites.get((source, target), ())
            if (callee := self._callees.get(abs(site) - 1, -1)) >= 0 and len(heap.holds[callee]) > 1
            for called in heap.holds[callee]
            if (target if site > 0 else source) in self._nodes(called)
        )

    def _has_another_name(self, made: int, callee: int) -> bool:
        """The class is called as `KNOWN["Near"]()`, and a class of that very name is in the table, which is another."""
        heap, classes = self.solution.heap, self.solution.program.classes
        key = self._keys.get(callee)
        held = {each: heap.values[each] for each in heap.holds[callee]} if key is not None else {}
        named = {each for each, value in held.items() if value.kind == CLASS and classes[int(value.a)][1].name == key}
        return bool(named) and made not in named

    @cached_property
    def _keys(self) -> dict[int, str]:
        """The constant text in a subscript, by the node of what it gives."""
        elements = self.solution.constraints.elements
        return {result: key for taken in elements.values() for result, key in taken if isinstance(key, str) and key}

    def _is_of_another(self, made: int, callee: int, onward: list[int]) -> bool:
        """The class or function `made`, which is called at `callee` among others, is one that another registry has.

        `onward`: where the result of the call went, from the end back.
        """
        heap = self.solution.heap
        if callee < 0 or sum(heap.values[each].kind in (CLASS, FUNCTION) for each in heap.holds[callee]) < 2:
            return False
        if (made, callee) not in self._known:
            self._known[made, callee] = self._registered(made, callee)
        known = self._known[made, callee]
        if known is None:
            return False
        registry, bases, put = known
        taken = self._origins(registry, (source for base in bases for source in self._sources(base, onward)))
        return bool(taken) and taken.isdisjoint(put)

    def _nodes(self, number: int) -> set[int]:
        """The nodes of the parameters and of the result of what a call of the value runs."""
        value, program = self.solution.heap.values[number], self.solution.program
        index = int(value.a) if value.kind == FUNCTION else -1
        if value.kind == CLASS:
            index = self.callers.initialiser(int(value.a))
        if index < 0:
            return set()
        file, function = program.functions[index]
        return program.parameters(index) | {function.returns + program.offsets[file]}

    def _registered(self, made: int, callee: int) -> tuple[int, list[int], set[int]] | None:
        """The registry that gives `made` to `callee`, the nodes where it is asked, and where those with it are made."""
        heap = self.solution.heap
        way = [*heap.way(made, callee)]
        registry = next((at for at in map(self._registry, way) if at is not None), None)
        if registry is None:
            return None
        gives = [
            base
            for result, base in self._asked(registry)
            if made in heap.holds[result] and Paths(heap, made, (result,)).lead_to(callee)
        ]
        put = self._origins(registry, self._given_to(made, registry, way))
        return (registry, gives, put) if put else None

    def _sources(self, base: int, onward: list[int]) -> list[int]:
        """The nodes of the registry: of a parameter, those that the calls pass which gave the result on."""
        returned = self._returned.get(base, -1)
        at = onward.index(returned) if returned in onward else 0
        sites = self.solution.heap.sites.get((returned, onward[at - 1]), ()) if at else ()
        calls = {-site for site in sites if site < 0}
        found = [source for source, passed in self.callers.into.get(base, ()) if not calls.isdisjoint(passed)]
        return [each for source in found for each in self._sources(source, onward[:at])] or [base]

    @cached_property
    def _returned(self) -> dict[int, int]:
        """By parameter the node of what its function returns."""
        program = self.solution.program
        return {
            parameter: function.returns + program.offsets[file]
            for index, (file, function) in enumerate(program.functions)
            for parameter in program.parameters(index)
        }

    def _given_to(self, made: int, registry: int, way: list[int]) -> list[int]:
        """The nodes of the registries that calls give it to, also by a decorator; none where unknown."""
        heap = self.solution.heap
        for target, source in reversed([*pairwise(way)]):
            sites = [site for site in heap.sites.get((source, target), ()) if site > 0]
            if not sites or not any(self._called_on(site - 1, registry) for site in sites):
                continue
            found: list[int] = []
            for origin, calls in self.callers.into.get(target, ()):
                for site in calls if made in heap.holds[origin] else ():
                    bases = self._called_on(site - 1, registry) if site > 0 else []
                    if site > 0 and not bases:
                        return []
                    found += bases
            return found
        return []

    def _called_on(self, result: int, registry: int) -> list[int]:
        """The node whose method the call with this result calls, or whose method gave the decorator that it calls."""
        callee = self._callees.get(result, -1)
        for at in (callee, self._callees.get(callee, -1)):
            base = self._bases.get(at, -1)
            if base >= 0 and registry in self.solution.heap.holds[base]:
                return [base]
        return []

    def _registry(self, result: int) -> int | None:
        """The object of which a method or a subscript gives the result; None where it is none, or one of several."""
        base = self._bases.get(self._callees.get(result, -1), self._subscripted.get(result, -1))
        held = self.solution.heap.holds[base] if base >= 0 else ()
        found = [each for each in held if self.solution.heap.values[each].kind == INSTANCE]
        return found[0] if len(found) == 1 else None

    def _asked(self, registry: int) -> Iterable[tuple[int, int]]:
        """What methods and subscripts of objects of the registry's class give, each with the node of the object."""
        values, holds = self.solution.heap.values, self.solution.heap.holds
        for callee, base in self._bases.items():
            if registry in holds[base] and any(values[each].kind == BOUND for each in holds[callee]):
                for offset, call in self.solution.constraints.calls.get(callee, ()):
                    yield call.result + offset, base
        for result, base in self._subscripted.items():
            if registry in holds[base]:
                yield result, base

    def _origins(self, registry: int, bases: Iterable[int]) -> set[int]:
        """Where the registries are made that get to the nodes."""
        made = self.places.origins.get(registry, ())
        return {origin for base in set(bases) for origin in made if self._gets_to(registry, origin, base)}

    def _gets_to(self, registry: int, origin: int, node: int) -> bool:
        """The registry that is made at `origin` gets to the node, or to too many to say."""
        known = self._paths.get((registry, origin))
        if known is None:
            known = self._paths[registry, origin] = Paths(self.solution.heap, registry, (origin,))
        return known.lead_to(node) or not known.complete

    @cached_property
    def _callees(self) -> dict[int, int]:
        calls = self.solution.constraints.calls
        return {call.result + offset: callee for callee, found in calls.items() for offset, call in found}

    @cached_property
    def _bases(self) -> dict[int, int]:
        loads = self.solution.constraints.loads
        return {result: base for base, found in loads.items() for _, result in found}

    @cached_property
    def _subscripted(self) -> dict[int, int]:
        elements = self.solution.constraints.elements
        return {result: base for base, found in elements.items() for result, _ in found}
