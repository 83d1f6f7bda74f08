"""Which values the calls of boundaries get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...hazard_kind import HazardKind
from ..boundaries import Boundary
from ..facts.passed_on import COUNT, IN_STARS, UNDER
from ..facts.records import Call, PassedOn
from .containers import Containers
from .heap import Heap
from .program import Program

STARRED = "*"  # the argument of what comes from a tuple


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
    method: str  # the start method that the call itself names, "" where it doesn't
    only: frozenset[HazardKind]  # as in `Boundary`
    says: str
    callee: int  # node of what is called
    function: int = -1  # the function that the call stands in
    context: int = -1  # node of the `multiprocessing_context` that the call names
    passed: PassedOn | None = None  # what decides whether there are workers, where callers of `function` say that
    under: PassedOn | None = None  # what decides whether the call is made at all, where they say that


class _Use(NamedTuple):
    """One call of a boundary."""

    boundary: Boundary
    line: int
    crosses: bool
    method: str
    callee: int
    function: int
    context: int = -1
    passed: PassedOn | None = None
    under: PassedOn | None = None


class Sinks:
    """Collects the arguments of boundary calls; `call` is to be called for every call of a foreign name."""

    def __init__(self, program: Program, heap: Heap, containers: Containers) -> None:
        self.program, self.heap, self.containers = program, heap, containers
        self.found: list[Sink] = []
        self._known: set[tuple[object, ...]] = set()

    def call(self, name: str, offset: int, call: Call, receiver: int, pickles: bool = True) -> None:
        """A call of `name` (canonical), on the value `receiver` or -1.

        `pickles`: not where the receiver is a loader that needs no workers of the class `name` above its own.
        """
        boundary = self.program.table.boundary(name)
        if boundary is None or (boundary.unless_called and self._stays(boundary, call.result + offset)):
            return
        given = arguments_by_name(boundary, call)
        open_ended = bool(call.double_stars or call.stars)
        crosses = boundary.crosses(call.literals, frozenset(given), open_ended)
        crosses = crosses and (pickles or COUNT not in boundary.when)
        context = call.literals.get("multiprocessing_context", call.literals.get("start_method"))
        method = context if isinstance(context, str) else ""
        crosses = crosses and (method != "fork" or boundary.always)
        asked = given.get("multiprocessing_context", -1)
        use = _Use(
            boundary, call.position[0], crosses, method, call.function + offset, self._function_of(offset, call),
            asked + offset if asked >= 0 else -1, _passed(boundary, call), _literal(call, UNDER),
        )  # fmt: skip
        for argument_name, argument in given.items():
            if argument < 0:
                continue
            if argument_name in boundary.pickles or "*" in boundary.pickles:
                self._add(argument + offset, argument_name, use)
            elif f"{argument_name}[]" in boundary.pickles or "*[]" in boundary.pickles:  # its elements, one by one
                self._add_elements(argument + offset, argument_name, use)
        if "self" in boundary.pickles and receiver >= 0:
            node = self.heap.node("", self.heap.file_of[call.result + offset], use.line)
            self.heap.add(node, receiver)
            self._add(node, "self", use)
        for star in call.double_stars:
            # sorted: what crosses is the same, in the same order, in each run
            for argument_name in sorted(boundary.pickles - {"*", "*[]", "self"} - set(given)) if star >= 0 else ():
                self._add_elements(star + offset, argument_name, use, argument_name)
        for star in call.stars:
            if star >= 0:
                self._add_star(star + offset, use)

    def _stays(self, boundary: Boundary, result: int) -> bool:
        """The file of the call has another one by which nothing is pickled."""
        calls = self.program.facts[self.heap.file_of[result]].calls
        return any(call.text.rpartition(".")[2] in boundary.unless_called for call in calls)

    def contents(self, node: int, boundary: Boundary, offset: int, call: Call) -> None:
        """What is put into the result of `call`, at `node`, is pickled."""
        function = self._function_of(offset, call)
        self._add(node, "contents", _Use(boundary, call.position[0], True, "", call.function + offset, function))

    def _function_of(self, offset: int, call: Call) -> int:
        if call.scope < 0:
            return -1
        return self.program.function_offset[self.heap.file_of[call.result + offset]] + call.scope

    def _add_star(self, star: int, use: _Use) -> None:
        """Arguments from a tuple, whose places are not known: each may be one that is sent item by item."""
        self._add_elements(star, STARRED, use)
        if use.boundary.by_items:
            each = self.heap.node("", self.heap.file_of[star], use.line)
            self.containers.pass_elements(star, each)
            self._add_elements(each, "*[]", use)

    def _add_elements(self, container: int, argument: str, use: _Use, key: str = "") -> None:
        node = self.heap.node("", self.heap.file_of[container], use.line)
        self.containers.pass_elements(container, node, key)
        self._add(node, argument, use)

    def _add(self, node: int, argument: str, use: _Use) -> None:
        boundary = use.boundary
        # a second call may cross where the first, of the same value, does not
        key = (
            node, boundary.callable, argument,
            use.crosses, use.method, use.context, use.function, use.passed, use.under,
        )  # fmt: skip
        if key not in self._known:
            self._known.add(key)
            path = self.program.files[self.heap.file_of[node]]
            self.found.append(
                Sink(
                    node, boundary.callable, argument, path, use.line, use.crosses, boundary.always, use.method,
                    boundary.only, boundary.says, use.callee, use.function, use.context, use.passed, use.under,
                )
            )  # fmt: skip


def arguments_by_name(boundary: Boundary, call: Call) -> dict[str, int]:
    """The nodes of the arguments of a call by the parameters that the table names."""
    given: dict[str, int] = {}
    for place, argument in enumerate(call.arguments):
        known = place < len(boundary.parameters)
        given[boundary.parameters[place] if known else f"argument {place + 1}"] = argument
    return given | dict(call.keywords)


def _passed(boundary: Boundary, call: Call) -> PassedOn | None:
    """By what the callers of the function around the call say how many workers it starts."""
    return _literal(call, COUNT) or _literal(call, IN_STARS) if COUNT in boundary.when else None


def _literal(call: Call, key: str) -> PassedOn | None:
    found = call.literals.get(key)
    return found if isinstance(found, PassedOn) else None
