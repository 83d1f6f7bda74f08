"""Traces: the path of a value, hop by hop, from where it is made to where it crosses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...finding import Hop, Trace
from ...hazard_kind import HazardKind
from ..facts.records import Position
from ..kinds import FunctionKind
from ..solve.heap import CLASS, FUNCTION, STORED_BY
from ..solve.solution import Solution

MAX_HOPS = 12  # a longer path is shown without plain steps in its middle
_ENDS = 3  # hops that are always shown, at either end
CAPTURED = "captured by"
_JOINS = ("stored as", CAPTURED, STORED_BY, "returned by", "instances of")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a value crosses: it was found in `node`, inside `parent` (a value) or, when that is -1, at the end, `hop`.

    `argument`: which of the boundary's it is, at the end of a way to another process.
    """

    node: int
    parent: int
    hop: Hop | None
    boundary: str
    argument: str = ""


class Reasons(dict[int, Reason]):
    """Why each of some values crosses, by its number; `nodes`: every place by which one of them does.

    `of_boundaries`: those of these places that boundaries get themselves.
    `absent`: the nodes of attributes that hold nothing then, by the number of an object that always crosses so. `only`:
    the kinds of hazards that the boundaries mind, where they do not mind all. `holders`: by node the values that hold
    what is there, once somebody asks, and `held_at` by value the nodes that it is at; `places`: those of these, with
    their holders, that the value really gets to; `inner`: those where an object is kept by another one of its class.
    `roots`: why each value that crosses by itself does, by all boundaries that get it.
    """

    def __init__(self, known: Mapping[int, Reason] | None = None) -> None:
        super().__init__(known or {})
        self.nodes: set[int] = set()
        self.of_boundaries: set[int] = set()
        self.absent: dict[int, frozenset[int]] = {}
        self.only: frozenset[HazardKind] = frozenset()
        self.holders: dict[int, list[int]] = {}
        self.held_at: dict[int, list[int]] = {}
        self.places: dict[int, list[tuple[int, list[int]]]] = {}
        self.inner: dict[int, frozenset[int]] = {}
        self.roots: dict[int, list[Reason]] = {}

    def covers(self, number: int, absent: frozenset[int]) -> bool:
        """All that the value brings along without these nodes was followed."""
        return self.absent.get(number, absent) <= absent if self.absent else True

    def leave_out(self, number: int, absent: frozenset[int]) -> None:
        """The value crosses, once more maybe, without what these nodes hold at other times."""
        left = absent if number not in self.absent else self.absent[number] & absent
        if left:
            self.absent[number] = left
        else:
            self.absent.pop(number, None)

    def outermost(self, number: int) -> int:
        """The value that the value `number` crosses with, and that crosses by itself."""
        return chain_of(self, number)[-1]

    def root(self, number: int) -> Reason:
        """Why the outermost value crosses that the value `number` crosses with."""
        return self[self.outermost(number)]


def chain_of(reasons: Mapping[int, Reason], number: int) -> list[int]:
    """The value, what it crosses with, and so on to what crosses by itself."""
    chain = [number]
    while reasons[chain[-1]].parent >= 0:
        chain.append(reasons[chain[-1]].parent)
    return chain


def trace_of(
    solution: Solution, number: int, reason: Reason, reasons: Mapping[int, Reason], kind: HazardKind, path: str,
    position: Position,
) -> Trace:  # fmt: skip
    words = {
        HazardKind.LAMBDA: "a lambda is defined here",
        HazardKind.FUNCTION: "a function is defined inside another here",
        HazardKind.WRAPPER: "this function takes the place of what the decorator gets",
        HazardKind.CLASS: "a class is defined inside a function here",
        HazardKind.DICT_VIEW: "a view of a dict is taken here",
        HazardKind.GENERATOR: "a generator is created here",
        HazardKind.EVALUATED: "a text is evaluated here",
        HazardKind.LOADED: "this is taken from a module that is loaded by its path",
        HazardKind.MADE_CLASS: "a class that its module has not by its name is made here",
        HazardKind.MISNAMED: "a function is defined here that pickle does not find by its name",
        HazardKind.OBJECT: "an object that can't be pickled is created here",
        HazardKind.INSTANCE: "instances of this class",
    }
    hops = [Hop(path, position[0], words[kind])]
    if kind is HazardKind.WRAPPER:
        file, hidden = solution.program.functions[int(solution.heap.values[number].a)]
        hops.append(
            Hop(solution.program.files[file], hidden.position[0], f"here it takes the place of `{hidden.name}`")
        )
    seen: set[int] = set()
    while True:
        if reason.node >= 0:
            hops += _way(solution, reason.node, number)
        if reason.parent < 0 or reason.parent in seen:
            break
        number = reason.parent
        seen.add(number)
        value = solution.heap.values[number]
        if value.kind == FUNCTION:
            file, function = solution.program.functions[int(value.a)]
            what = "the lambda" if function.kind is FunctionKind.LAMBDA else f"`{function.name}`"
            hops.append(Hop(solution.program.files[file], function.position[0], f"{CAPTURED} {what} defined here"))
        reason = reasons[number]
    if reason.hop is not None:
        hops.append(reason.hop)
    return _tidy(hops)


def _way(solution: Solution, node: int, number: int) -> list[Hop]:
    """The hops of one value from where it is made to `node`."""
    hops, heap = list[Hop](), solution.heap
    for each in heap.way(number, node):
        label = heap.labels[each]
        if not label:
            continue
        source = heap.source(each, number)
        came = heap.line_between(source, each) if source >= 0 else 0
        same_file = source < 0 or heap.file_of[source] == heap.file_of[each]
        if not came or not same_file or label.startswith(("parameter", "returned")):
            came = heap.lines[each]
        if source < 0 and label.startswith("assigned to"):
            came = _defined_at(solution, number, heap.file_of[each]) or came  # its name may be bound elsewhere too
        hops.append(Hop(solution.program.files[heap.file_of[each]], came or heap.lines[node], label))
    return hops[::-1]


def _defined_at(solution: Solution, number: int, file: int) -> int:
    """The line of the `def` or `class` of a function or class of the file; 0 for other values."""
    value, program = solution.heap.values[number], solution.program
    if value.kind not in (FUNCTION, CLASS):
        return 0
    home, made = (program.functions if value.kind == FUNCTION else program.classes)[int(value.a)]
    return made.position[0] if home == file else 0


def _tidy(hops: list[Hop]) -> Trace:
    return tuple(hop for at, hop in enumerate(hops) if at == 0 or hops[at - 1] != hop)


def shorten(trace: Trace) -> Trace:
    """A long trace without what variables, parameters and containers do in its middle.

    Hops that join two objects or functions stay: a wrong step is one of these, and a reader must be able to see it.
    """
    if len(trace) <= MAX_HOPS:
        return trace
    shown: list[Hop] = []
    left_out = 0
    for at, hop in enumerate(trace):
        if _ENDS <= at < len(trace) - _ENDS and not hop.what.startswith(_JOINS):
            left_out += 1
            continue
        if left_out:
            before = trace[at - 1]
            shown.append(before if left_out == 1 else Hop(before.path, before.line, f"... {left_out} more steps ..."))
            left_out = 0
        shown.append(hop)
    return tuple(shown)
