"""The value flow as rules see it: which hazards cross a process boundary, and how functions are used."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from ...finding import Confidence, Hop
from ...hazard_kind import HazardKind
from ...syntax.unpicklable import MODULE_GENERATORS
from ..boundaries import table
from ..facts.records import Position, project_facts
from ..facts.syntax import VIEW_METHODS
from ..solve.heap import BOUND, CLASS, CONTAINER, FOREIGN, FUNCTION, INSTANCE, OBJECT, Value
from ..solve.solution import Solution
from ..solve.solver import solve
from .at_home import AtHome
from .burdens import of_instances, of_nodes
from .callers import Called, Callers, called_in, given_to
from .closure import Closure
from .contents import Holders, classes_within, copies_itself, hazards, inside
from .crossing import Crossing, Crossings
from .defaults import Defaults
from .hazard_calls import is_called
from .hidden import captures, is_found_by_name, replaced, stands_for_wrapper, wrappers_of_their_own
from .instance_uses import InstanceUse, instance_uses
from .introspection import Question, Seen, look, reaching, without_nodes
from .kept_identities import KeptIdentities
from .moments import Moments
from .one_program import OneProgram
from .pickled_anyway import PickledAnyway
from .places import Places
from .programs import Programs
from .python2 import Python2
from .reached import Reached
from .recorded import Recorder, recorded
from .registries import Registries
from .same_object import SameObject
from .seeds import EVERY, evaluated_seeds, likely_seeds, named_seeds, possible_seeds, proven_seeds
from .shared_copies import SharedCopies
from .surroundings import NUMBERS, TEXTS, Surroundings, compared_numbers
from .taken_along import TakenAlong
from .trace import MAX_HOPS, Reason, Reasons, trace_of

if TYPE_CHECKING:
    from ...project import Project
    from ..facts.records import FileFacts

_DEEPCOPY = "copy.deepcopy"
_DEEP_COPIES = frozenset((_DEEPCOPY, "dataclasses.asdict", "dataclasses.astuple"))
_OF_ENVIRONMENTS = frozenset(("reset", "step"))  # of a simulation: each process makes its own
_PARTIAL = "functools.partial"
_OF_MODULES = "torch.nn.Module()."
_Hazard = tuple[HazardKind, str, Position]  # kind, file, place
_Way = tuple[Confidence, _Hazard, int, Reasons]  # of an instance, by its number


def flow_of(project: Project) -> Flow:
    """What reaches a process boundary, over all of `project`; solved once."""
    with project.noting(None):  # what is asked of it is noted instead
        return project.derive(_flow)


def _flow(project: Project) -> Flow:
    def facts() -> Mapping[str, FileFacts]:
        with project.noting(None):
            compared_numbers(project)  # so that its answer is known, on which all others depend
            return project_facts(project)

    if not project.known:
        facts = functools.partial(_same, facts())  # the project holds us: a circle is not freed as soon as it could be
    recorder = Recorder(project.notes, project.known, [TEXTS, NUMBERS])
    return Flow(facts, project.settings.boundaries, recorder, Surroundings.of(project))


def _same(facts: Mapping[str, FileFacts]) -> Mapping[str, FileFacts]:
    return facts


class Flow:
    """Value flow over a whole project; everything is computed on first use."""

    def __init__(
        self,
        facts: Callable[[], Mapping[str, FileFacts]],
        boundaries: Iterable[Mapping[str, object]] = (),
        recorder: Recorder | None = None,
        surroundings: Surroundings | None = None,
    ) -> None:
        self._facts, self._boundaries = facts, boundaries
        self._surroundings = surroundings or Surroundings()
        self.recorder = recorder or Recorder()
        self._described: dict[tuple[str, int], Crossing] = {}
        self._calls_in: dict[str, Called] = {}
        self._called: dict[str, dict[tuple[int, int], list[tuple[str, int]]]] = {}

    @cached_property
    def solution(self) -> Solution:
        """The solved graph."""
        return solve(self._facts(), table(self._boundaries))

    @cached_property
    def _places(self) -> Places:
        return Places(self.solution)

    @cached_property
    def _closure(self) -> Closure:
        return Closure(self._places, SameObject(self._places, self._registries), self._moments)

    @cached_property
    def _registries(self) -> Registries:
        return Registries(self._places, self._callers)

    @cached_property
    def _seen(self) -> Seen:
        return look(self.solution)

    @recorded
    def crossings(self, kinds: frozenset[HazardKind], bar: Confidence = Confidence.POSSIBLE) -> list[Crossing]:
        """All hazards of these kinds that cross or may, in the order of the files, each with its best confidence.

        Of what is below `bar`, some or all may be missing.
        """
        found = self._all if bar is Confidence.POSSIBLE or "_all" in self.__dict__ else self._sure
        return [crossing for crossing in found if crossing.kind in kinds]

    @recorded
    def instances(self, path: str, class_line: int) -> Crossing | None:
        """How instances of the class at `path`:`class_line` (of the `class` keyword) cross; None when none was seen to.

        The kind is INSTANCE and the position that of the class.
        """
        place = (path, class_line)
        if place not in self._described and place in self._instances:
            self._described[place] = self._describe_instances(self._instances[place])
        return self._described.get(place)

    @recorded
    def stays(self, path: str, line: int, column: int) -> bool:
        """True when the object that the call at this position makes is seen to be used, and to go nowhere."""
        program, heap = self.solution.program, self.solution.heap
        if path not in program.file_index:
            return False
        offset = program.offsets[program.file_index[path]]
        made = [
            (number, call.result + offset)
            for call in program.facts_of(path).calls
            if call.position[:2] == (line, column)
            for number in heap.holds[call.result + offset]
        ]
        instances = [heap.values[number].kind == INSTANCE for number, _ in made]
        return bool(made) and all(instances) and all(self._home.stays(number, node) for number, node in made)

    @recorded
    def needs_boundary(self, path: str, class_line: int) -> bool:
        """True where objects of the class here stay where they are made: modules, data modules, environments."""
        index = self._places.class_on_line.get((path, class_line), -1)
        if index >= 0 and self.solution.hierarchy.defines(index, _OF_ENVIRONMENTS):
            return True
        bases = self.solution.hierarchy.all_foreign_bases(index) if index >= 0 else ()
        carried = [base for base in bases if self.solution.program.table.carried(base) is not None]
        return bool(carried) and all(self.solution.program.table.needs_boundary(base) for base in carried)

    @cached_property
    def _crossings(self) -> Crossings:
        same_object = self._closure.same_object
        defaults = Defaults(self.solution, self._callers, same_object, self._surroundings)
        one_program = OneProgram(self._places, self._reached)
        return Crossings(
            self.solution, self._closure, same_object, self._home, self._moments, defaults, one_program, self._python2,
            self._reached.dead_branches,
        )  # fmt: skip

    @cached_property
    def _python2(self) -> Python2:
        return Python2(self._programs)

    @recorded
    def only_python2(self, places: tuple[tuple[str, int], ...]) -> tuple[str, int, str] | None:
        """A line without which no program gets to all of these places, and that Python 3 can't run; None for none."""
        hop = self._python2.of(tuple(Hop(path, line, "") for path, line in places))
        return (hop.path, hop.line, hop.what) if hop is not None else None

    @recorded
    def in_workers(self, path: str, line: int) -> bool:
        """The line is in a method that nothing but what workers run is seen to call in its file."""
        program = self.solution.program
        index = program.method_around(program.file_index[path], line) if path in program.file_index else -1
        return index >= 0 and program.functions[index][1].worker_side

    @recorded
    def never_runs(self, places: tuple[tuple[str, int], ...]) -> bool:
        """One of these lines is in a branch that no call of its function takes, as it gives a parameter a constant."""
        return any(self._reached.dead_branches.at(path, line) for path, line in places)

    @cached_property
    def _callers(self) -> Callers:
        return Callers(self.solution)

    @cached_property
    def _moments(self) -> Moments:
        return Moments(self.solution, self._callers)

    @cached_property
    def _reached(self) -> Reached:
        return Reached(self.solution, self._callers, self._surroundings)

    @cached_property
    def _home(self) -> AtHome:
        return AtHome(self.solution, self._callers)

    @cached_property
    def _all(self) -> list[Crossing]:
        """All crossings, those that were not seen but may happen among them."""
        found = dict(self._seen_to_cross)
        self._collect(found, Confidence.POSSIBLE, possible_seeds(self.solution, self._reached), EVERY)
        return _in_order(found)

    @cached_property
    def _sure(self) -> list[Crossing]:
        return _in_order(self._seen_to_cross)

    @cached_property
    def _seeds(self) -> list[tuple[Confidence, list[tuple[int, Reason]], frozenset[HazardKind]]]:
        """What is seen to start to cross, how sure that is, and the kinds that its boundary minds: all but files first.

        One list for all who follow it from there: the seeds take as long as a small program's closure.
        """
        solution, reached = self.solution, self._reached
        return [
            (Confidence.PROVEN, list(proven_seeds(solution, reached, files=False)), EVERY),
            (Confidence.PROVEN, list(proven_seeds(solution, reached, files=True)), EVERY),
            (Confidence.LIKELY, list(likely_seeds(solution, reached, self._home)), EVERY),
            (Confidence.LIKELY, [*evaluated_seeds(solution, reached), *named_seeds(solution, reached)], EVERY),
            *((Confidence.LIKELY, list(proven_seeds(solution, reached, only)), only) for only in self._pickier),
        ]

    @cached_property
    def _seen_to_cross(self) -> dict[_Hazard, Crossing]:
        found: dict[_Hazard, Crossing] = {}
        for confidence, seeds, only in self._seeds:
            self._collect(found, confidence, seeds, only)
        return found

    def _collect(
        self, found: dict[_Hazard, Crossing], confidence: Confidence, seeds: Iterable[tuple[int, Reason]],
        only: frozenset[HazardKind],
    ) -> None:  # fmt: skip
        """Enter in `found` what crosses with the seeds, where that is surer than what is there."""
        reasons = self._closure.of(seeds, self._holders[only], only)
        for number, reason in reasons.items():
            if reason.node < 0:  # a Dataset class in a function is no hazard before an instance is seen to cross
                continue
            for hazard in hazards(self.solution, number, only):
                if hazard[0] is HazardKind.WRAPPER and not replaced(self.solution, number, reason.node):
                    continue
                if hazard[0] is HazardKind.MISNAMED and is_found_by_name(self.solution, number, reason.node):
                    continue
                known = found.get(hazard)
                if known is None or not known.confidence.reaches(confidence):
                    made = self._crossings.describe(hazard, confidence, number, reasons)
                    if known is None or not known.confidence.reaches(made.confidence):
                        found[hazard] = made

    @cached_property
    def _holding(self) -> tuple[dict[frozenset[HazardKind], set[int]], set[int]]:
        """By the `only` of boundaries what of it crosses, and every value along with which it may.

        And objects of the repository's classes, with every value along with which one may cross.
        """
        holders = Holders(self.solution, self._closure.nodes_inside)  # what it looks up is large: all is asked at once
        objects, hazards = holders.of_objects(), holders.of(EVERY)
        return {EVERY: hazards} | {only: holders.of(only) for only in self._pickier}, objects

    @property
    def _holders(self) -> dict[frozenset[HazardKind], set[int]]:
        return self._holding[0]

    @recorded
    def cleared(self, path: str, class_line: int, attribute: str) -> bool:
        """True when instances of the class here are seen to cross, and never with anything in the attribute."""
        ways = self._instances.get((path, class_line), [])
        nodes = self._moments.attribute(self._places.class_on_line.get((path, class_line), -1), attribute)
        return bool(ways) and any(
            node in self._moments.only_in_init
            or all(node in reasons.absent.get(number, ()) for *_, number, reasons in ways)
            for node in nodes
        )

    @recorded
    def boundaries(self, path: str, class_line: int) -> list[str]:
        """What pickles instances of the class here, by all ways that are seen; "" for a way without a boundary."""
        ways = self._instances.get((path, class_line), [])
        return sorted({reasons.root(number).boundary for *_, number, reasons in ways})

    @recorded
    def may_be_made(self, path: str, class_line: int) -> bool:
        """A call may make an object of the class here, or of one below it; or no program is here that would."""
        index = self._places.class_on_line.get((path, class_line), -1)
        made = self._closure.same_object.constructed
        return not self._reached.in_use or any(
            each in made for each in (index, *self.solution.hierarchy.below.get(index, ()))
        )

    @recorded
    def crossing_classes(self) -> list[tuple[str, int]]:
        """The classes, as `path` and line, that `instances` may say more of than that none was seen to cross."""
        return list(self._instances)

    @recorded
    def crossing_with_method(self, name: str) -> list[tuple[str, int]]:
        """Those of them that define a method of that name, or a base class in the repository does."""
        hierarchy, names = self.solution.hierarchy, frozenset({name})
        defined = (place for place in self._instances if hierarchy.defines(self._places.class_on_line[place], names))
        return list(defined)

    @recorded
    def forks(self, path: str) -> str:
        """`path:line` of a call that chooses fork for every program that runs the file; "" where there is none."""
        return self._programs.forks(path)

    @cached_property
    def _programs(self) -> Programs:
        return Programs(self.solution)

    @recorded
    def sent(self) -> list[tuple[str, int, Hop]]:
        """Functions that boundaries get, also in a partial or a tuple, and classes of objects, by path and line.

        Each with the boundary.
        """
        heap, program = self.solution.heap, self.solution.program
        found: list[tuple[str, int, Hop]] = []
        for number, reason in self._seeds[0][1]:
            value = heap.values[number]
            packed = value.kind == CONTAINER or (value.kind == OBJECT and value.a == _PARTIAL)
            nodes = inside(self.solution, number, EVERY) if packed else ()
            for each in (value, *(heap.values[held] for node in sorted(nodes) for held in heap.holds[node])):
                if each.kind in (FUNCTION, BOUND) and reason.hop is not None:
                    file, function = program.functions[int(each.a)]
                    found.append((program.files[file], function.position[0], reason.hop))
                elif each.kind == INSTANCE and reason.hop is not None:
                    file, made = program.classes[int(each.a)]
                    found.append((program.files[file], made.position[0], reason.hop))
        return found

    @recorded
    def only_spawned(self, path: str, line: int) -> bool:
        """What the boundaries on the line get is pickled for another interpreter alone, and not under fork."""
        found = [sink for sink in self.solution.sinks if (sink.path, sink.line) == (path, line)]
        return bool(found) and not any(sink.always or sink.says for sink in found)

    def _describe_instances(self, ways: Iterable[_Way]) -> Crossing:
        """The surest of the ways by which instances of one class cross."""
        best: Crossing | None = None
        for confidence, hazard, number, reasons in ways:
            if best is not None and best.confidence.reaches(confidence):
                continue  # this way can be no surer
            crossing = self._crossings.describe(hazard, confidence, number, reasons)
            if best is None or not best.confidence.reaches(crossing.confidence):
                best = crossing
        assert best is not None
        return best

    @cached_property
    def _instances(self) -> dict[tuple[str, int], list[_Way]]:
        """By class the ways by which its instances cross."""
        found: dict[tuple[str, int], list[_Way]] = {}
        for confidence, seeds, only in self._seeds if self.solution.program.classes else ():
            if only and HazardKind.INSTANCE not in only:
                continue
            reasons = self._closure.of(seeds, self._holding[1], only)
            for number in reasons:
                value = self.solution.heap.values[number]
                if value.kind == INSTANCE and not (only and copies_itself(self.solution, int(value.a))):
                    file, made = self.solution.program.classes[int(value.a)]
                    hazard = (HazardKind.INSTANCE, self.solution.program.files[file], made.position)
                    way = (confidence, hazard, number, reasons)
                    found.setdefault((hazard[1], made.position[0]), []).append(way)
        return found

    @cached_property
    def _pickier(self) -> list[frozenset[HazardKind]]:
        """The `only` of boundaries that take some of what plain pickle doesn't."""
        return sorted(
            {sink.only for sink in self.solution.sinks if sink.only},
            key=lambda only: sorted(kind.value for kind in only),
        )

    def called_in(self, path: str) -> Mapping[tuple[int, int], list[tuple[str, int]]]:
        """The repository's functions and classes that calls in the file may call: by line and column, path and line."""
        rows = self._calls(path)  # asked each time: whoever asks depends on it
        if path not in self._called:
            self._called[path] = {(line, column): called for (_, line, column), called in rows}
        return self._called[path]

    @recorded
    def _calls(self, path: str) -> Called:
        """The same as rows, in which the places are seen to move with their files."""
        if path not in self._calls_in:
            self._calls_in[path] = called_in(self.solution, path)
        return self._calls_in[path]

    @recorded
    def given_to(self, path: str, line: int, parameter: str) -> list[tuple[str, int]]:
        """The classes whose objects a parameter of the function here gets, each by path and line."""
        return given_to(self.solution, path, line, parameter)

    @recorded
    def asked(self, path: str, line: int, column: int) -> list[Question]:
        """Where the function or lambda at this position (as in `ast`) is inspected."""
        return reaching(self._places, self._seen.questions, path, line, column)

    @recorded
    def walks_by_generator(self, path: str, line: int, column: int) -> bool:
        """Whether the objects that the call `iter(x)` here walks over do that by a method that yields.

        The same of `x.parameters()`, where x is a module of torch.
        """
        solution = self.solution
        heap, program = solution.heap, solution.program
        if path not in program.file_index:
            return False
        offset = program.offsets[program.file_index[path]]
        found: list[bool] = []
        for call in program.facts_of(path).calls:
            if call.position[:2] == (line, column) and call.text.rpartition(".")[2] in MODULE_GENERATORS:
                called = [heap.values[number] for number in heap.holds[call.function + offset]]
                found += [value.kind == FOREIGN and str(value.a).startswith(_OF_MODULES) for value in called]
            elif call.position[:2] == (line, column) and len(call.arguments) == 1 and call.arguments[0] >= 0:
                held = (heap.values[number] for number in heap.holds[call.arguments[0] + offset])
                methods = [self._callers.method(int(value.a), "__iter__") for value in held if value.kind == INSTANCE]
                functions = [program.functions[method][1] for method in methods if method >= 0]
                found += [function.generator for function in functions if not function.raises]
        return bool(found) and all(found)

    @recorded
    def given(self, path: str, line: int, column: int) -> list[Question]:
        """Calls of the function or lambda at this position, each with the number of its positional arguments."""
        return reaching(self._places, self._seen.calls, path, line, column)

    @recorded
    def passed(self, path: str, line: int, column: int) -> list[Question]:
        """Where the function or lambda at this position is copied by `copy.copy`, or gives a thread its name."""
        return reaching(self._places, self._seen.passed, path, line, column)

    @recorded
    def called(self, path: str, line: int, column: int) -> list[Question]:
        """Names at module level that hold the function or lambda at this position."""
        return reaching(self._places, self._seen.names, path, line, column)

    @recorded
    def identities(self, path: str, line: int, column: int) -> list[Question]:
        """Where the function or lambda at this position is distinguished from another that does the same."""
        return reaching(self._places, self._seen.identities, path, line, column)

    @recorded
    def class_identities(self, path: str, line: int, column: int) -> list[Question]:
        """Where the class at this position, local to a function, is distinguished from another with the same body."""
        return self._of_class(CLASS, path, line, column, self._seen.identities)

    @recorded
    def instance_identities(self, path: str, line: int, column: int) -> list[Question]:
        """Where an object of the class at this position, local to a function, is compared, or is a key."""
        return self._of_class(INSTANCE, path, line, column, self._seen.identities)

    @recorded
    def instance_shown(self, path: str, line: int, column: int) -> list[Question]:
        """Where an object of the class at this position, local to a function, becomes a text."""
        return self._of_class(INSTANCE, path, line, column, self._seen.shown)

    def _of_class(
        self, kind: int, path: str, line: int, column: int, found: Mapping[int, list[Question]]
    ) -> list[Question]:
        index = self._places.class_at.get((path, line, column))
        number = self.solution.heap.numbers.get(Value(kind, index), -1) if index is not None else -1
        return without_nodes(found.get(number, []))

    @recorded
    def kept_identities(self, path: str, class_line: int, attribute: str) -> list[Question]:
        """Where what objects of the class at `path`:`class_line` keep in an attribute is told from another."""
        index = self._places.class_on_line.get((path, class_line), -1)
        return self._kept_identities.of(index, attribute) if index >= 0 else []

    @cached_property
    def _kept_identities(self) -> KeptIdentities:
        return KeptIdentities(self.solution)

    @recorded
    def sent_with_copy(self, path: str, class_line: int, by_replace: bool) -> str | None:
        """`path:line` of what makes a copy of an object of the class here that shares its attributes and is sent
        together with it. `by_replace`: what `dataclasses.replace` makes shares them."""
        index = self._places.class_on_line.get((path, class_line), -1)
        return self._shared_copies.sent_with(index, by_replace) if index >= 0 else None

    @cached_property
    def _shared_copies(self) -> SharedCopies:
        return SharedCopies(self._closure)

    @recorded
    def called_by_path(self, path: str, line: int, column: int) -> bool:
        """Whether what is taken here from a module that is loaded by its path is called, or a boundary calls it."""
        return is_called(self.solution, path, line, column)

    @recorded
    def deep_copied(self, path: str, line: int, column: int) -> str | None:
        """`path:line` of a `copy.deepcopy`, or of what calls it, that gets what holds the function at this position.

        None when none is seen, or only by a way so long that the solver may have made it up.
        """
        number = self._places.number_of_function(path, line, column)
        if number not in self._deep_copied:
            return None
        way = trace_of(
            self.solution,
            number,
            self._deep_copied[number],
            self._deep_copied,
            HazardKind.FUNCTION,
            path,
            (line, column, 0, 0),
        )
        return f"{way[-1].path}:{way[-1].line}" if len(way) <= MAX_HOPS else None

    @recorded
    def takes_its_place(self, path: str, line: int, column: int) -> bool:
        """Whether the local function at this position has the name of the decorated function that it reads."""
        index = self._places.function_at.get((path, line, column))
        return index is not None and index in self._wrappers

    @recorded
    def stands_for_wrapper(self, path: str, line: int, column: int) -> bool:
        """Whether the name of the decorated function at this position is that of the wrapper that a decorator makes."""
        index = self._places.function_at.get((path, line, column))
        return index is not None and stands_for_wrapper(self.solution, index)

    @recorded
    def misnamed(self, path: str, line: int, column: int) -> str | None:
        """The function whose name `functools.wraps` gives the local function here, where pickle finds that instead."""
        return self.solution.misnamed.get(self._places.function_at.get((path, line, column), -1))

    @cached_property
    def _wrappers(self) -> set[int]:
        return wrappers_of_their_own(self.solution)

    @recorded
    def pickled_by(self, place: tuple[str | int, ...]) -> list[str]:
        """`path:line` of the calls that pickle or copy the hazard at `place` under every start method.

        A place is path, line and column; that of the class of an object has no column.
        """
        if len(place) == 2:
            return self._pickled_anyway.of_class(place, self._holding[1])
        return self._pickled_anyway.of_hazard(place, self._holders[EVERY])

    @cached_property
    def _pickled_anyway(self) -> PickledAnyway:
        return PickledAnyway(self.solution, self._closure, self._reached.without_workers)

    @recorded
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
        kinds = [sink.only for sink in self.solution.sinks if sink.boundary in _DEEP_COPIES]
        only = frozenset().union(*kinds) if kinds else EVERY
        seeds = (seed for seed in proven_seeds(self.solution, self._reached, only) if seed[1].boundary in _DEEP_COPIES)
        return self._closure.of(seeds, self._holders[EVERY], only)

    @recorded
    def instance_uses(self, path: str, class_line: int) -> list[InstanceUse]:
        """What code does to objects of the class at `path`:`class_line`, wherever it gets them from."""
        return self._instance_uses.get((path, class_line), [])

    @cached_property
    def _instance_uses(self) -> dict[tuple[str, int], list[InstanceUse]]:
        return instance_uses(self.solution)

    @recorded
    def burdens(self, path: str, class_line: int) -> tuple[str, ...]:
        """What instances of the class at `path`:`class_line` hold that should not be pickled along, in words."""
        return of_instances(self.solution, self._registries, path, class_line)

    @recorded
    def classes_within(self, path: str, class_line: int) -> tuple[tuple[str, int], ...]:
        """The classes whose objects are pickled along with those of the class at `path`:`class_line`: file and line."""
        return classes_within(self.solution, path, class_line)

    @recorded
    def carried(self, path: str, line: int, column: int) -> tuple[str, ...]:
        """What the variables hold, in words, that the function at this position reads and that is heavy to pickle."""
        index = self._places.function_at.get((path, line, column))
        return of_nodes(self.solution, captures(self.solution, index)) if index is not None else ()

    @recorded
    def taken_along(
        self, path: str, line: int, column: int, whole: bool
    ) -> tuple[tuple[HazardKind, str, Position], ...]:
        """What pickle can't name and the function or lambda at this position takes along: kind, file and place.

        `whole`: it is going to take all that the object of its method keeps.
        """
        index = self._places.function_at.get((path, line, column))
        return tuple(self._taken_along.of(index, whole)) if index is not None else ()

    @cached_property
    def _taken_along(self) -> TakenAlong:
        return TakenAlong(self._places)


def _in_order(found: Mapping[_Hazard, Crossing]) -> list[Crossing]:
    return sorted(found.values(), key=lambda c: (c.path, c.line, c.column, c.kind.value))
