"""Calls of the repo's own functions and classes: arguments go to parameters, what is returned comes back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from ...hazard_kind import HazardKind
from ..facts.own_loops import may_use_torchs_loop
from ..facts.records import Call, Function, Parameter
from ..facts.syntax import key_of
from ..kinds import ParameterKind
from .attributes import Attributes
from .containers import Containers
from .deferred_calls import STANDS_NOWHERE
from .foreign_objects import ForeignObjects
from .heap import BOUND, CLASS, CONTAINER, HAZARD, INSTANCE, STORED_BY, Heap, Value
from .hierarchy import Hierarchy
from .program import Program
from .sinks import Sinks

_ITERATES = frozenset({"__iter__"})


class _Parameters(NamedTuple):
    """The parameters of a function; nodes are those of the whole repository, but for `positional`."""

    positional: list[Parameter]
    named: dict[str, int]  # name -> node
    rest: int  # the node of `*args`, or -1
    others: int  # the node of `**kwargs`, or -1


class OwnCalls:
    """Calls whose code we see. `offset` is always that of the file with the call."""

    def __init__(
        self, program: Program, heap: Heap, hierarchy: Hierarchy, attributes: Attributes, containers: Containers,
        sinks: Sinks, foreign: ForeignObjects,
    ) -> None:  # fmt: skip
        self.program, self.heap, self.hierarchy = program, heap, hierarchy
        self.attributes, self.containers, self.sinks, self.foreign = attributes, containers, sinks, foreign
        self._known_parameters: dict[tuple[int, bool], _Parameters] = {}
        self._own_loops: dict[int, bool] = {}

    def call_function(self, index: int, offset: int, call: Call, receiver: int) -> None:
        """`call` calls a function of the repo, as a method of the value `receiver` or, where that is -1, of none."""
        edge, containers = self.heap.edge, self.containers
        file, function = self.program.functions[index]
        base, line = self.program.offsets[file], call.position[0]
        own = self._own_parameter(function) if receiver >= 0 else None
        if own is not None:
            self.heap.add(own.node + base, receiver)
        positional, named, rest, others = self._parameters(index, own is not None)
        site = call.result + offset + 1
        for place, argument in enumerate(call.arguments):
            if argument >= 0 and place < len(positional):
                kept = self._kept(index, call, own is not None, place) if call.literals else -1
                edge(argument + offset, kept if kept >= 0 else positional[place].node + base, line, site)
            elif argument >= 0 and rest >= 0:
                edge(argument + offset, containers.rest_of(rest), line, site)
        for name, argument in call.keywords:
            if argument >= 0 and name in named:
                edge(argument + offset, named[name], line, site)
            elif argument >= 0 and others >= 0:
                edge(argument + offset, self.heap.field(containers.rest_of(others), name), line, site)
        if call.stars or call.double_stars:
            self._pass_stars(call, offset, base, self._parameters(index, own is not None))
        result = call.result + offset
        if function.generator:
            self.heap.add_when_filled(result, Value(CONTAINER, function.returns + base), function.returns + base)
            if not function.decorators and call.text not in STANDS_NOWHERE:
                made = self.program.enter(HazardKind.GENERATOR, self.heap.file_of[result], call.position)
                self.heap.add(result, self.heap.number(Value(HAZARD, made)))
        else:
            given = self._given(index, call, own is not None) if call.literals else -1
            edge(given if given >= 0 else function.returns + base, result, line, -site)

    def _kept(self, index: int, call: Call, bound: bool, place: int) -> int:
        """The node for the argument at `place` where another one is the literal key to keep it under; else -1."""
        for at, literal in call.literals.items():
            if isinstance(at, int) and at != place and (key := key_of(literal)):
                kept = self.containers.kept(index, at + bound, place + bound, key)
                if kept >= 0:
                    return kept
        return -1

    def _given(self, index: int, call: Call, bound: bool) -> int:
        """The node of what the call gives where an argument is the literal key that it is under; else -1."""
        for at, literal in call.literals.items():
            key = key_of(literal) if isinstance(at, int) else ""
            if key and isinstance(at, int) and self.containers.keyed.has_key(index, at + bound):
                return self.containers.given(index, at + bound, key)
        return -1

    def _pass_stars(self, call: Call, offset: int, base: int, parameters: _Parameters) -> None:
        """`f(*a, **b)`: elements of `a` and `b` go to the parameters that no other argument goes to."""
        positional, named, rest, others = parameters
        pass_elements, rest_of = self.containers.pass_elements, self.containers.rest_of
        for star in call.stars:
            if star >= 0:
                for at, parameter in enumerate(positional[len(call.arguments) :]):
                    pass_elements(star + offset, parameter.node + base, f"#{at}" if len(call.stars) == 1 else "")
                if rest >= 0:
                    pass_elements(star + offset, rest_of(rest))
        given = {name for name, _ in call.keywords} | {p.name for p in positional[: len(call.arguments)]}
        for star in call.double_stars:
            if star >= 0:
                for name, node in named.items():
                    if name not in given:
                        pass_elements(star + offset, node, name)
                if others >= 0:
                    self.containers.pass_copy(star + offset, others)

    def list_subclasses(self, owner: int, offset: int, call: Call) -> None:
        """`call` lists the classes that derive from the class `owner`; those below them, too, as most code goes on."""
        contents = self.containers.contents_of(call.result + offset, call.position[0])
        for derived in self.hierarchy.below.get(owner, ()):
            self.heap.add(contents, self.heap.number(Value(CLASS, derived)))

    def first_parameter(self, index: int, bound: bool) -> int:
        """The node that the first argument of a call goes to, -1 where the function takes none by its place."""
        positional, _, rest, _ = self._parameters(index, bound)
        if positional:
            return positional[0].node + self.program.offsets[self.program.functions[index][0]]
        return self.containers.rest_of(rest) if rest >= 0 else -1

    @staticmethod
    def _own_parameter(function: Function) -> Parameter | None:
        """The parameter of a method that takes its object."""
        first = function.parameters[0] if function.parameters else None
        return first if first is not None and first.kind.is_positional else None

    def _parameters(self, index: int, bound: bool) -> _Parameters:
        """The parameters of a function, without that for its object where it is `bound`."""
        known = self._known_parameters.get((index, bound))
        if known is None:
            file, function = self.program.functions[index]
            base, parameters = self.program.offsets[file], function.parameters[1 if bound else 0 :]
            known = self._known_parameters[index, bound] = _Parameters(
                [p for p in parameters if p.kind.is_positional],
                {p.name: p.node + base for p in parameters if p.kind in (ParameterKind.PLAIN, ParameterKind.KEYWORD)},
                next((p.node + base for p in parameters if p.kind is ParameterKind.STARRED), -1),
                next((p.node + base for p in parameters if p.kind is ParameterKind.DOUBLE_STARRED), -1),
            )
        return known

    def takes(self, value: Value, call: Call) -> bool:
        """False where calling the function or class with these arguments is a TypeError."""
        index = self.attributes.method(int(value.a), "__init__") if value.kind == CLASS else int(value.a)
        if index < 0 or (value.kind == CLASS and self.attributes.method(int(value.a), "__new__") >= 0):
            return True
        function = self.program.functions[index][1]
        bound = value.kind in (CLASS, BOUND) and self._own_parameter(function) is not None
        positional, named, rest, others = self._parameters(index, bound)
        given = {parameter.name for parameter in positional[: len(call.arguments)]}
        fits = rest >= 0 or len(call.arguments) <= len(positional)
        named_fit = all(name not in given if name in named else others >= 0 for name, _ in call.keywords)
        return bool(function.decorators) or (fits and named_fit)

    def construct(self, index: int, offset: int, call: Call) -> None:
        """`call` makes an instance of a class of the repo."""
        initialiser = self.attributes.method(index, "__init__")
        if initialiser >= 0 and self.program.functions[initialiser][1].raises:
            return
        instance = self.heap.number(Value(INSTANCE, index))
        result, line = call.result + offset, call.position[0]
        self.heap.roomy.add(result)  # `table[name]()` makes one of many
        self.heap.add(result, instance)
        if self.hierarchy.is_bag(index):
            contents = self.containers.contents_of(result, line)
            self.heap.bags[contents] = index
            self.heap.add(result, self.heap.number(Value(CONTAINER, contents)))
            self.heap.copy_into(self.attributes.items_of(index), contents, line)
            for name, argument in call.keywords:
                if argument >= 0:
                    self.heap.edge(argument + offset, self.heap.field(contents, name), line)
            for argument in call.arguments:
                if argument >= 0:
                    self.containers.pass_elements(argument + offset, contents)
        maker = self.attributes.method(index, "__new__")
        if maker >= 0:
            self.call_function(maker, offset, call, self.heap.number(Value(CLASS, index)))
        if initialiser >= 0:
            self.call_function(initialiser, offset, call, instance)
        if initialiser >= 0 or self.hierarchy.is_bag(index):
            return
        self.fill(index, -1, offset, call)
        for name in self.hierarchy.all_foreign_bases(index):
            self.hand_to_base(name, index, offset, call)

    def fill(self, index: int, below: int, offset: int, call: Call) -> None:
        """An instance gets the arguments of `call` as its fields; those of the bases of `below`, if not -1."""
        order = self.hierarchy.order(below)[1:] if below >= 0 else self.hierarchy.order(index)
        line, file = call.position[0], self.heap.file_of[call.result + offset]
        fields = [name for at in reversed(order) for name in self.program.classes[at][1].fields]
        named = [*zip(fields, call.arguments, strict=False), *call.keywords]
        for name, argument in named:
            if argument >= 0:
                self.heap.edge(argument + offset, self.attributes.node(index, name, line, file), line)
        self._defaults(index, order, {name for name, _ in named}, line, file)

    def _defaults(self, index: int, order: Iterable[int], given: set[str], line: int, file: int) -> None:
        """An instance of a dataclass or the like keeps the defaults of what it does not get."""
        for at in order:
            home, made = self.program.classes[at]
            for name in made.fields if made.record else ():
                default = made.members.get(name, -1)
                if default >= 0 and name not in given:
                    self.heap.edge(
                        default + self.program.offsets[home], self.attributes.node(index, name, line, file), line
                    )

    def record(self, offset: int, call: Call) -> None:
        """The namedtuple that `call` makes."""
        contents = self.containers.contents_of(call.result + offset, call.position[0])
        self.heap.bags[contents] = -1
        self.containers.keep(contents, offset, replace(call, keywords=()))
        for name, argument in call.keywords:
            if argument >= 0:
                self.heap.edge(argument + offset, self.heap.field(contents, name), call.position[0])

    def keep_stage(self, name: str, index: int, offset: int, call: Call) -> None:
        """An object of a class that derives from an installed pipeline keeps what its methods get: `self.append(f)`."""
        base, _, method = name.rpartition("().")
        if method and method != "__init__" and self.program.table.fluent(base):
            line, file = call.position[0], self.heap.file_of[call.result + offset]
            held = self.attributes.node(index, f"<stage .{method} of line {line}>", line, file)
            name = self.program.classes[index][1].name
            self.heap.labels[held] = f"{STORED_BY} the pipeline stage `.{method}(...)` of `{name}`"
            self.containers.keep(held, offset, call, base)

    def hand_to_base(self, base: str, index: int, offset: int, call: Call) -> None:
        """The arguments of `call` go to the initialiser of a base class outside the repo."""
        instance = self.heap.number(Value(INSTANCE, index))
        line = call.position[0]
        self.sinks.call(base, offset, call, instance, pickles=not self._goes_over_itself(index))
        self.foreign.variant(base, offset, call)
        if self.program.table.keeps(base) and self.program.table.carried(base) is None:
            held = self.attributes.node(index, f"<arguments of {base}>", line, self.heap.file_of[call.result + offset])
            self.containers.keep(held, offset, call, base)
        elif self.program.table.boundary(base) is None:  # a foreign Dataset: it keeps what it gets
            held = self.attributes.node(
                index, "<arguments of the base class>", line, self.heap.file_of[call.result + offset]
            )
            self.containers.keep(held, offset, call, base)

    def _goes_over_itself(self, index: int) -> bool:
        """Objects of the class, a loader, go over their samples in this process, whatever their base class is told."""
        known = self._own_loops.get(index)
        if known is None:
            order = self.hierarchy.order(index)
            files = {self.program.classes[at][0] for at in order}
            known = self.hierarchy.defines(index, _ITERATES) and not any(
                may_use_torchs_loop(self.program.facts[file]) for file in files
            )
            self._own_loops[index] = known
        return known
