"""Which values the calls of boundaries are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..boundaries import Boundary, Table
from ..facts.records import Call, FileFacts
from .heap import FOREIGN
from .members import Members


@dataclass(frozen=True, slots=True)
class Sink:
    """An argument of a boundary call. `crosses` False: this call is known not to pickle it (num_workers=0)."""

    node: int
    boundary: str
    argument: str
    path: str
    line: int
    crosses: bool
    always: bool  # under every start method, fork too
    method: str  # the start method that the call itself asks for, "" where it doesn't
    only: frozenset[str]  # as in `Boundary`
    says: str
    callee: int  # node of what is called


class Sinks(Members):
    """Collects the arguments of boundary calls."""

    def __init__(self, facts: Mapping[str, FileFacts], table: Table) -> None:
        super().__init__(facts, table)
        self.sinks: list[Sink] = []
        self.sink_keys: set[tuple[int, str, str]] = set()

    def _boundary(self, name: str, offset: int, call: Call, receiver: int) -> None:
        boundary = self.table.boundary(name)
        if boundary is None:
            return
        given: dict[str, int] = {}
        for place, argument in enumerate(call.arguments):
            known = place < len(boundary.parameters)
            given[boundary.parameters[place] if known else f"argument {place + 1}"] = argument
        given.update(call.keywords)
        open_ended = bool(call.double_stars or call.stars)
        crosses = boundary.crosses(call.literals, frozenset(given), open_ended)
        line, callee = call.position[0], call.function + offset
        context = call.literals.get("multiprocessing_context", call.literals.get("start_method"))
        method = context if isinstance(context, str) else ""
        for argument_name, argument in given.items():
            if argument < 0:
                continue
            if argument_name in boundary.pickles or "*" in boundary.pickles:
                self._sink(argument + offset, boundary, argument_name, line, crosses, method, callee)
            elif f"{argument_name}[]" in boundary.pickles or "*[]" in boundary.pickles:  # its elements, one by one
                node = self.node("", self.file_of[argument + offset], line)
                self._pass_elements(argument + offset, node)
                self._sink(node, boundary, argument_name, line, crosses, method, callee)
        if "self" in boundary.pickles and receiver >= 0:
            node = self.node("", self.file_of[call.result + offset], line)
            self.add(node, receiver)
            self._sink(node, boundary, "self", line, crosses, method, callee)
        for star in call.double_stars:
            for argument_name in boundary.pickles - {"*", "*[]", "self"} - set(given) if star >= 0 else ():
                node = self.node("", self.file_of[star + offset], line)
                self._pass_elements(star + offset, node, argument_name)
                self._sink(node, boundary, argument_name, line, crosses, method, callee)
        for star in call.stars:
            if star >= 0:
                node = self.node("", self.file_of[star + offset], line)
                self._pass_elements(star + offset, node)
                self._sink(node, boundary, "*", line, crosses, method, callee)

    def starts_threads(self, sink: Sink) -> bool:
        """What is called may also be a method of a pool of threads: `Pool(4) if flag else ThreadPool(4)`."""
        held = (self.values[number] for number in self.holds[sink.callee])
        names = (self.table.canonical(str(value.a)) for value in held if value.kind == FOREIGN)
        return any(self.table.why_harmless(name) is not None and self.table.boundary(name) is None for name in names)

    def _sink(
        self, node: int, boundary: Boundary, argument: str, line: int, crosses: bool, method: str, callee: int
    ) -> None:
        key = (node, boundary.callable, argument)
        if key not in self.sink_keys:
            self.sink_keys.add(key)
            path = self.files[self.file_of[node]]
            self.sinks.append(
                Sink(
                    node, boundary.callable, argument, path, line, crosses, boundary.always, method, boundary.only,
                    boundary.says, callee,
                )
            )  # fmt: skip
