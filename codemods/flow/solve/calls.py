"""Calls of the repo's own functions and classes: arguments go to parameters, what is returned comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..boundaries import Table
from ..facts.records import Call, FileFacts
from .heap import CONTAINER, FUNCTION, INSTANCE, Value
from .members import Members
from .sinks import Sinks


class Calls(Members):
    """Calls whose code we see."""

    def __init__(self, facts: Mapping[str, FileFacts], table: Table) -> None:
        super().__init__(facts, table)
        self.boundary_arguments = Sinks(self)
        self.site_contents: dict[int, int] = {}  # result of a call -> contents of what it makes
        self.rest_of: dict[int, int] = {}  # a `*args` or `**kwargs` parameter -> contents of its tuple or dict

    def _member_function(self, owner: int, name: str) -> int:
        for at in self.hierarchy.order(owner):
            file, made = self.classes[at]
            member = made.members.get(name, -1)
            if member >= 0:
                held = (self.values[number] for number in self.holds[member + self.offsets[file]])
                return next((int(value.a) for value in held if value.kind == FUNCTION), -1)
        return -1

    def _call_function(self, index: int, offset: int, call: Call, receiver: int) -> None:
        file, function = self.functions[index]
        base, line = self.offsets[file], call.position[0]
        parameters = list(function.parameters)
        if receiver >= 0 and parameters and parameters[0].kind in ("", "/"):
            self.add(parameters.pop(0).node + base, receiver)
        positional = [p for p in parameters if p.kind in ("", "/")]
        named = {p.name: p.node + base for p in parameters if p.kind in ("", "k")}
        rest = next((p.node + base for p in parameters if p.kind == "*"), -1)
        others = next((p.node + base for p in parameters if p.kind == "**"), -1)
        site = call.result + offset + 1
        for place, argument in enumerate(call.arguments):
            if argument >= 0 and place < len(positional):
                self.edge(argument + offset, positional[place].node + base, line, site)
            elif argument >= 0 and rest >= 0:
                self.edge(argument + offset, self._rest(rest), line, site)
        for name, argument in call.keywords:
            if argument >= 0 and name in named:
                self.edge(argument + offset, named[name], line, site)
            elif argument >= 0 and others >= 0:
                self.edge(argument + offset, self.field(self._rest(others), name), line, site)
        for star in call.stars:
            if star >= 0:
                for at, parameter in enumerate(positional[len(call.arguments) :]):
                    self.pass_elements(star + offset, parameter.node + base, f"#{at}" if len(call.stars) == 1 else "")
                if rest >= 0:
                    self.pass_elements(star + offset, self._rest(rest))
        given = {name for name, _ in call.keywords} | {p.name for p in positional[: len(call.arguments)]}
        for star in call.double_stars:
            if star >= 0:
                for name, node in named.items():
                    if name not in given:
                        self.pass_elements(star + offset, node, name)
                if others >= 0:
                    self.edge(star + offset, others, line)
        result = call.result + offset
        if function.generator:
            self.add_when_filled(result, Value(CONTAINER, function.returns + base), function.returns + base)
        else:
            self.edge(function.returns + base, result, line, -site)

    def _rest(self, parameter: int) -> int:
        """The contents of the tuple or dict that a `*args` or `**kwargs` parameter is."""
        contents = self.rest_of.get(parameter, -1)
        if contents < 0:
            contents = self.rest_of[parameter] = self.node("", self.file_of[parameter], self.lines[parameter])
            self.add_when_filled(parameter, Value(CONTAINER, contents), contents)
        return contents

    def _construct(self, index: int, offset: int, call: Call) -> None:
        initialiser = self._member_function(index, "__init__")
        if initialiser >= 0 and self.functions[initialiser][1].raises:
            return
        instance = self.number(Value(INSTANCE, index))
        result, line = call.result + offset, call.position[0]
        self.roomy.add(result)  # `table[name]()` makes one of many
        self.add(result, instance)
        if self.hierarchy.is_bag(index):
            contents = self._contents(result, line)
            self.bags.add(contents)
            self.add(result, self.number(Value(CONTAINER, contents)))
            for name, argument in call.keywords:
                if argument >= 0:
                    self.edge(argument + offset, self.field(contents, name), line)
            for argument in call.arguments:
                if argument >= 0:
                    self.pass_elements(argument + offset, contents)
        if initialiser >= 0:
            self._call_function(initialiser, offset, call, instance)
        if initialiser >= 0 or self.hierarchy.is_bag(index):
            return
        file = self.file_of[result]
        fields = [name for at in reversed(self.hierarchy.order(index)) for name in self.classes[at][1].fields]
        named = [*zip(fields, call.arguments, strict=False), *call.keywords]
        for name, argument in named:
            if argument >= 0:
                self.edge(argument + offset, self.attribute_node(index, name, line, file), line)
        self._defaults(index, {name for name, _ in named}, line, file)
        for name in self.hierarchy.all_foreign_bases(index):
            self._hand_to_base(name, index, offset, call)

    def _defaults(self, index: int, given: set[str], line: int, file: int) -> None:
        """An instance of a dataclass or the like keeps the defaults of what it is not given."""
        for at in self.hierarchy.order(index):
            home, made = self.classes[at]
            for name in made.fields if made.record else ():
                default = made.members.get(name, -1)
                if default >= 0 and name not in given:
                    self.edge(default + self.offsets[home], self.attribute_node(index, name, line, file), line)

    def _record(self, offset: int, call: Call) -> None:
        """The namedtuple that `call` makes."""
        contents = self._contents(call.result + offset, call.position[0])
        self.bags.add(contents)
        self.keep(contents, offset, replace(call, keywords=()))
        for name, argument in call.keywords:
            if argument >= 0:
                self.edge(argument + offset, self.field(contents, name), call.position[0])

    def _hand_to_base(self, base: str, index: int, offset: int, call: Call) -> None:
        """The arguments of `call` go to the initialiser of a base class outside the repo."""
        instance = self.number(Value(INSTANCE, index))
        line = call.position[0]
        self.boundary_arguments.call(base, offset, call, instance)
        if self.table.keeps(base) and self.table.carried(base) is None:
            held = self.attribute_node(index, f"<arguments of {base}>", line, self.file_of[call.result + offset])
            self.keep(held, offset, call)
        elif self.table.boundary(base) is None:  # a foreign Dataset: what it is given, it keeps
            held = self.attribute_node(index, "<arguments of the base class>", line, self.file_of[call.result + offset])
            self.keep(held, offset, call)

    def keep(self, contents: int, offset: int, call: Call) -> None:
        line = call.position[0]
        for argument in (*call.arguments, *(value for _, value in call.keywords)):
            if argument >= 0:
                self.edge(argument + offset, contents, line)
        for star in (*call.stars, *call.double_stars):
            if star >= 0:
                self.pass_elements(star + offset, contents)

    def _contents(self, result: int, line: int) -> int:
        """The contents of the container that a call gives."""
        contents = self.site_contents.get(result, -1)
        if contents < 0:
            contents = self.site_contents[result] = self.node("", self.file_of[result], line)
            self.add_when_filled(result, Value(CONTAINER, contents), contents)
        return contents
