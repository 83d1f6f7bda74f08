"""The answer that the rules ask for: which hazards cross a process boundary, by which path, and how sure we are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

from ...finding import Confidence, Trace
from ..boundaries import table
from ..facts.expressions import VIEW_METHODS
from ..facts.records import Position, project_facts
from ..facts.test_code import is_test
from ..solve.heap import (
    BOUND,
    CLASS,
    CONTAINER,
    FUNCTION,
    HAZARD,
    INSTANCE,
    OBJECT,
    PERHAPS_KEPT,
    Value,
)
from ..solve.paths import reach
from ..solve.solution import Solution
from ..solve.solver import solve
from .burdens import of_instances, of_nodes
from .introspection import Question, Seen, look, reaching
from .same_object import SameObject
from .seeds import EVERY, likely_seeds, possible_seeds, proven_seeds
from .trace import MAX_HOPS, Reason, Reasons, shorten, trace_of

if TYPE_CHECKING:
    from ...project import Project
    from ..facts.records import FileFacts

_NAMELESS = frozenset({"lambda", "function"})  # kinds of functions that pickle finds no name for
_DEEPCOPY = "copy.deepcopy"
# A longer path is no proof: what the solver merges may have made it up.
MAX_PROOF = 20
MAX_LIKELY = 9  # where the end is a guess, or a step of the way, or a file: what is saved is mostly a dict of numbers


@dataclass(frozen=True, slots=True)
class Crossing:
    """A hazard that crosses, or may.

    `kind`: "lambda", "function" (a def inside a def), "class" (defined inside a function), "dict-view", "generator".
    The position is that of the `ast` node: line 1-based, column 0-based in UTF-8 bytes. `boundary`: dotted name of
    the callable that pickles it, "" where none was seen.
    """

    kind: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    confidence: Confidence
    trace: Trace
    boundary: str
    aboard: bool = False  # what crosses is an object that keeps it, of the class whose code made it


def flow_of(project: Project) -> Flow:
    """What reaches a process boundary, over all of `project`; solved once."""
    return project.derive(_flow)


def _flow(project: Project) -> Flow:
    return Flow(project_facts(project), project.settings.boundaries)


class Flow:
    """Value flow over a whole project; everything is computed on first use."""

    def __init__(self, facts: Mapping[str, FileFacts], boundaries: Iterable[Mapping[str, object]] = ()) -> None:
        self._facts, self._boundaries = facts, boundaries  # not the project: that holds us, and a circle is never freed
        self._reached: dict[int, set[int]] = {}
        self._counted: dict[tuple[int, int], int] = {}

    @cached_property
    def solution(self) -> Solution:
        """The solved graph."""
        return solve(self._facts, table(self._boundaries))

    def crossings(self, kinds: frozenset[str]) -> list[Crossing]:
        """All hazards of these kinds that cross or may, in the order of the files, each with its best confidence."""
        return [crossing for crossing in self._all if crossing.kind in kinds]

    def instances(self, path: str, class_line: int) -> Crossing | None:
        """How instances of the class at `path`:`class_line` (of the `class` keyword) cross; None when none was seen to.

        The kind is "instance" and the position that of the class.
        """
        return self._instances.get((path, class_line))

    def needs_boundary(self, path: str, class_line: int) -> bool:
        """True where objects of the class here stay at home in most programs: modules, data modules."""
        index = self._class_on_line.get((path, class_line), -1)
        bases = self.solution.hierarchy.all_foreign_bases(index) if index >= 0 else ()
        carried = [base for base in bases if self.solution.program.table.carried(base) is not None]
        return bool(carried) and all(self.solution.program.table.needs_boundary(base) for base in carried)

    @cached_property
    def _class_on_line(self) -> dict[tuple[str, int], int]:
        """The classes by path and line."""
        files, classes = self.solution.program.files, enumerate(self.solution.program.classes)
        return {(files[file], made.position[0]): index for index, (file, made) in classes}

    @cached_property
    def _all(self) -> list[Crossing]:
        found: dict[tuple[str, str, Position], Crossing] = {}
        for confidence, seeds, only in (
            (Confidence.PROVEN, proven_seeds(self.solution, files=False), EVERY),
            (Confidence.PROVEN, proven_seeds(self.solution, files=True), EVERY),
            (Confidence.LIKELY, likely_seeds(self.solution), EVERY),
            *((Confidence.LIKELY, proven_seeds(self.solution, only), only) for only in self._pickier),
            (Confidence.POSSIBLE, possible_seeds(self.solution), EVERY),
        ):
            reasons = self._closure(seeds, self._holders(only), only)
            for number, reason in reasons.items():
                if reason.node < 0:  # a Dataset class in a function is no hazard before an instance is seen to cross
                    continue
                for kind, path, position in self._hazards(number, only):
                    known = found.get((kind, path, position))
                    if known is None or not known.confidence.reaches(confidence):
                        made = self._crossing(kind, path, position, confidence, number, reasons)
                        if known is None or not known.confidence.reaches(made.confidence):
                            found[kind, path, position] = made
        return sorted(found.values(), key=lambda c: (c.path, c.line, c.column, c.kind))

    @cached_property
    def _instances(self) -> dict[tuple[str, int], Crossing]:
        found: dict[tuple[str, int], Crossing] = {}
        for confidence, seeds, only in (
            (Confidence.PROVEN, proven_seeds(self.solution), EVERY),
            (Confidence.LIKELY, likely_seeds(self.solution), EVERY),
            *(
                (Confidence.LIKELY, proven_seeds(self.solution, only), only)
                for only in self._pickier
                if "instance" in only
            ),
        ):
            reasons = self._closure(seeds, None, only)
            for number in reasons:
                value = self.solution.heap.values[number]
                if value.kind == INSTANCE:
                    file, made = self.solution.program.classes[int(value.a)]
                    path = self.solution.program.files[file]
                    crossing = self._crossing("instance", path, made.position, confidence, number, reasons)
                    known = found.get((path, made.position[0]))
                    if known is None or not known.confidence.reaches(crossing.confidence):
                        found[path, made.position[0]] = crossing
        return found

    @cached_property
    def _pickier(self) -> list[frozenset[str]]:
        """The `only` of boundaries that take some of what plain pickle doesn't."""
        return sorted({sink.only for sink in self.solution.sinks if sink.only}, key=sorted)

    def _holders(self, only: frozenset[str]) -> set[int]:
        """The hazards of the kinds `only`, and every value that one may ride on."""
        solution = self.solution
        outer: dict[int, list[int]] = {}
        todo: list[int] = []
        for number, value in enumerate(solution.heap.values):
            if self._hazards(number, only):
                todo.append(number)
            inside = self._inside(number, only)
            if value.kind == FUNCTION and not only:
                inside = self._captures(int(value.a))
            for node in inside:
                for held in solution.heap.holds[node]:
                    outer.setdefault(held, []).append(number)
            if value.kind == BOUND:
                outer.setdefault(value.b, []).append(number)
        found = set(todo)
        while todo:
            for number in outer.get(todo.pop(), ()):
                if number not in found:
                    found.add(number)
                    todo.append(number)
        return found

    def _crossing(
        self,
        kind: str,
        path: str,
        position: Position,
        confidence: Confidence,
        number: int,
        reasons: Reasons,
    ) -> Crossing:
        trace = trace_of(self.solution, number, reasons[number], reasons, kind, path, position)
        guessed = self._guessed(number, reasons)
        boundary = self._boundary(reasons[number], reasons)
        to_file = bool(boundary) and bool(self.solution.program.table.boundaries[boundary].says)
        longest = MAX_LIKELY if guessed or to_file or confidence is Confidence.LIKELY else MAX_PROOF
        tests = {each for each in {hop.path for hop in trace} if is_test(each, self._facts.get)}
        if len(trace) > longest or (path in tests and any(hop.path != path for hop in trace)):
            confidence = Confidence.POSSIBLE
        if tests and trace[-1].path not in tests:  # through what only a test puts there
            confidence = Confidence.POSSIBLE
        if confidence is Confidence.LIKELY and (guessed or path in tests):
            confidence = Confidence.POSSIBLE
        if confidence is not Confidence.POSSIBLE and self._same_object.merged(number, reasons):
            confidence = Confidence.POSSIBLE
        aboard = self._is_in_class_of(reasons[number].parent, path, position)
        return Crossing(kind, path, *position, confidence, shorten(trace), boundary, aboard)

    def _is_in_class_of(self, number: int, path: str, position: Position) -> bool:
        if number < 0 or self.solution.heap.values[number].kind != INSTANCE:
            return False
        file, made = self.solution.program.classes[int(self.solution.heap.values[number].a)]
        return self.solution.program.files[file] == path and made.position[:2] <= position[:2] < made.position[2:]

    def _guessed(self, number: int, reasons: Reasons) -> bool:
        """True when the value rides on a foreign object that may not have kept it (`Mlp(act_layer=lambda: ...)`), or
        on one of the repo that may be none of those that it was put on."""
        while reasons[number].parent >= 0:
            node, number = reasons[number].node, reasons[number].parent
            if self._guess(number, node):
                return True
        return False

    @cached_property
    def _same_object(self) -> SameObject:
        return SameObject(self.solution, self._origins)

    def _guess(self, number: int, node: int) -> bool:
        """True when it is a guess that the value `number` holds what is at `node`."""
        value = self.solution.heap.values[number]
        return value.a == PERHAPS_KEPT or (value.kind == INSTANCE and self._same_object.doubtful(int(value.a), node))

    def _closure(self, seeds: Iterable[tuple[int, Reason]], among: set[int] | None, only: frozenset[str]) -> Reasons:
        """Every value (`among` these) that crosses along with the seeds, and why.

        Where a boundary minds `only` some kinds, functions go by reference: what they capture stays behind.
        """
        solution = self.solution
        reasons = Reasons()
        # shortest traces first, and those with a guess after all others: (guesses, hops, order, value, why)
        todo: list[tuple[int, int, int, int, Reason]] = []
        order = count()

        def wait(number: int, reason: Reason, guesses: int, hops: int) -> None:
            heappush(todo, (guesses, hops, next(order), number, reason))

        for number, reason in seeds:
            if (among is None or number in among) and (reason.node < 0 or reason.node in self.reach(number)):
                wait(number, reason, 0, self._hops(reason.node, number))
                reasons.nodes.add(reason.node)
        while todo:
            guesses, hops, _, number, reason = heappop(todo)
            if number in reasons:
                continue
            reasons[number] = reason
            for node in self._inside(number, only):
                reasons.nodes.add(node)
                for held in solution.heap.holds[node]:
                    if held in reasons or (among is not None and held not in among):
                        continue
                    if node in self.reach(held):
                        more = guesses + self._guess(number, node)
                        wait(held, Reason(node, number, None, ""), more, hops + self._hops(node, held))
            value = solution.heap.values[number]
            if value.kind == BOUND and value.b not in reasons:
                wait(value.b, Reason(reason.node, number, None, ""), guesses, hops)
            elif value.kind == FUNCTION and not only and solution.program.functions[int(value.a)][1].kind in _NAMELESS:
                for node in self._captures(int(value.a)):
                    for held in solution.heap.holds[node]:
                        if held not in reasons and solution.heap.values[held].kind in (FUNCTION, CLASS, CONTAINER):
                            wait(held, Reason(node, number, None, ""), guesses, hops + self._hops(node, held) + 1)
        return reasons

    def _hops(self, node: int, number: int) -> int:
        """How many hops tell the way of a value to `node`."""
        holds, labels, known = self.solution.heap.holds, self.solution.heap.labels, self._counted
        way: list[int] = []
        while node >= 0 and (node, number) not in known:
            known[node, number] = 0  # a circle ends here
            way.append(node)
            node = holds[node].get(number, -1)
        hops = known[node, number] if node >= 0 else 0
        for each in reversed(way):
            hops += bool(labels[each])
            known[each, number] = hops
        return hops

    def reach(self, number: int) -> set[int]:
        """Nodes that a value gets to."""
        known = self._reached.get(number)
        if known is None:
            known = self._reached[number] = reach(self.solution.heap, number, self._origins.get(number, ()))
        return known

    def asked(self, path: str, line: int, column: int) -> list[Question]:
        """Where the function or lambda at this position (as in `ast`) is asked for what only functions have."""
        return reaching(self, self._seen.questions, path, line, column)

    def given(self, path: str, line: int, column: int) -> list[Question]:
        """Calls of the function or lambda at this position, each with how much it gives by position."""
        return reaching(self, self._seen.calls, path, line, column)

    def called(self, path: str, line: int, column: int) -> list[Question]:
        """Names at module level that hold the function or lambda at this position."""
        return reaching(self, self._seen.names, path, line, column)

    def identities(self, path: str, line: int, column: int) -> list[Question]:
        """Where the function or lambda at this position is told from another that does the same."""
        return reaching(self, self._seen.identities, path, line, column)

    def class_identities(self, path: str, line: int, column: int) -> list[Question]:
        """Where the class at this position, local to a function, is told from another with the same body."""
        return self._of_class(CLASS, path, line, column)

    def instance_identities(self, path: str, line: int, column: int) -> list[Question]:
        """Where an object of the class at this position, local to a function, is compared, or is a key."""
        return self._of_class(INSTANCE, path, line, column)

    def _of_class(self, kind: int, path: str, line: int, column: int) -> list[Question]:
        index = self._class_at.get((path, line, column))
        number = self.solution.heap.numbers.get(Value(kind, index), -1) if index is not None else -1
        return self._seen.identities.get(number, [])

    @cached_property
    def _class_at(self) -> dict[tuple[str, int, int], int]:
        files = self.solution.program.files
        return {(files[file], *made.position[:2]): at for at, (file, made) in enumerate(self.solution.program.classes)}

    def deep_copied(self, path: str, line: int, column: int) -> str | None:
        """`path:line` of a `copy.deepcopy` that is given what holds the function at this position.

        None when none is seen, or only by a way so long that the solver may have made it up.
        """
        index = self.function_at.get((path, line, column))
        number = self.solution.heap.numbers.get(Value(FUNCTION, index), -1) if index is not None else -1
        if number not in self._deep_copied:
            return None
        way = trace_of(
            self.solution, number, self._deep_copied[number], self._deep_copied, "function", path, (line, column, 0, 0)
        )
        return f"{way[-1].path}:{way[-1].line}" if len(way) <= MAX_HOPS else None

    def own_methods(self, path: str, line: int, column: int) -> list[tuple[str, int]]:
        """`path` and line of the project's functions that the call `x.keys()` (or `values`, `items`) here may run."""
        solution = self.solution
        held = (
            solution.heap.values[number]
            for callee in self._called_views.get((path, line, column), ())
            for number in solution.heap.holds[callee]
        )
        functions = (solution.program.functions[int(value.a)] for value in held if value.kind in (FUNCTION, BOUND))
        return sorted({(solution.program.files[file], function.position[0]) for file, function in functions})

    @cached_property
    def _called_views(self) -> dict[tuple[str, int, int], list[int]]:
        """Calls that look like those for a view of a dict, by place, and the nodes of what is called."""
        found: dict[tuple[str, int, int], list[int]] = {}
        for own, offset in zip(self.solution.program.facts, self.solution.program.offsets, strict=True):
            for call in own.calls:
                if call.text.rpartition(".")[2] in VIEW_METHODS:
                    found.setdefault((own.path, *call.position[:2]), []).append(call.function + offset)
        return found

    @cached_property
    def _deep_copied(self) -> Reasons:
        only = next((sink.only for sink in self.solution.sinks if sink.boundary == _DEEPCOPY), EVERY)
        seeds = (seed for seed in proven_seeds(self.solution, only) if seed[1].boundary == _DEEPCOPY)
        return self._closure(seeds, None, only)

    @cached_property
    def function_at(self) -> dict[tuple[str, int, int], int]:
        """The functions and lambdas by path, line and column."""
        files, functions = self.solution.program.files, enumerate(self.solution.program.functions)
        return {(files[file], *function.position[:2]): index for index, (file, function) in functions}

    @cached_property
    def _seen(self) -> Seen:
        return look(self)

    @cached_property
    def _origins(self) -> dict[int, list[int]]:
        """Per value the nodes where it is made, or added without an edge."""
        found: dict[int, list[int]] = {}
        holds = self.solution.heap.holds
        for node, held in enumerate(holds):
            for number, source in held.items():
                if source < 0 or number not in holds[source]:
                    found.setdefault(number, []).append(node)
        return found

    def burdens(self, path: str, class_line: int) -> tuple[str, ...]:
        """What instances of the class at `path`:`class_line` hold that should not be pickled along, in words."""
        return of_instances(self.solution, path, class_line)

    def carried(self, path: str, line: int, column: int) -> tuple[str, ...]:
        """What the variables hold, in words, that the function at this position reads and that is heavy to pickle."""
        index = self.function_at.get((path, line, column))
        return of_nodes(self.solution, self._captures(index)) if index is not None else ()

    def _captures(self, function: int) -> list[int]:
        file, made = self.solution.program.functions[function]
        return [node + self.solution.program.offsets[file] for node in made.captures]

    def _inside(self, number: int, only: frozenset[str]) -> list[int]:
        """Nodes whose values are pickled (or copied, where `only` some kinds matter) along with this value."""
        solution = self.solution
        value = solution.heap.values[number]
        if value.kind == CONTAINER:
            return [int(value.a), *solution.heap.fields.get(int(value.a), {}).values()]
        if value.kind == OBJECT:
            return [value.b] if value.b >= 0 else []
        if value.kind != INSTANCE or solution.hierarchy.is_bag(int(value.a)):
            return []
        found: list[int] = []
        order = solution.hierarchy.order(int(value.a))
        dropped: set[str] = set()
        for owner in order:
            left_out = solution.program.classes[owner][1].dropped
            if left_out is None or (only and "__deepcopy__" in solution.program.classes[owner][1].members):
                return []
            dropped |= left_out
        for owner in order:
            found += [node for name, node in solution.attributes.get(owner, {}).items() if name not in dropped]
        return found

    def _hazards(self, number: int, only: frozenset[str]) -> list[tuple[str, str, Position]]:
        """What makes pickle fail for this value: kind, file and place."""
        return [hazard for hazard in self._every_hazard(number) if not only or hazard[0] in only]

    def _every_hazard(self, number: int) -> list[tuple[str, str, Position]]:
        solution = self.solution
        value = solution.heap.values[number]
        if value.kind == HAZARD:
            hazard = solution.program.hazards[int(value.a)]
            return [(hazard.kind, hazard.path, hazard.position)]
        if value.kind == FUNCTION:
            file, function = solution.program.functions[int(value.a)]
            if function.kind in _NAMELESS and not function.wraps:
                return [(function.kind, solution.program.files[file], function.position)]
        elif value.kind in (CLASS, INSTANCE):
            file, made = solution.program.classes[int(value.a)]
            if made.nested:
                return [("class", solution.program.files[file], made.position)]
        return []

    def _boundary(self, reason: Reason, reasons: Reasons) -> str:
        while reason.parent >= 0:
            reason = reasons[reason.parent]
        return reason.boundary
