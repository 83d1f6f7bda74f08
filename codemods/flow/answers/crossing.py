"""One crossing: a hazard, the path by which it gets to a process boundary, and how sure we are."""

from __future__ import annotations

from dataclasses import dataclass

from ...finding import Confidence, Trace
from ...hazard_kind import HazardKind
from ...syntax.branches import no_one_run
from ...syntax.repo import Repo
from ..facts.records import Position
from ..facts.test_code import is_test
from ..kinds import LOOKED_UP, NAMED_BY_TEXT
from ..solve.heap import BOUND, CONTAINER, INSTANCE
from ..solve.solution import Solution
from .at_home import AtHome
from .by_habit import ByHabit
from .called_with import CalledWith
from .children import Children
from .closure import Closure
from .dead_branches import DeadBranches
from .defaults import Defaults
from .given_functions import GivenFunctions
from .levels import Levels
from .made_if_asked import MadeIfAsked
from .moments import Moments
from .one_program import OneProgram
from .opened_items import OpenedItems
from .other_holders import OtherHolders
from .python2 import Python2
from .replaced_by_decorators import may_be_other
from .same_object import SameObject
from .seeds import DATASET, gives_samples
from .steps import Step, Steps
from .trace import Reason, Reasons, chain_of, shorten, trace_of
from .type_branches import TypeBranches

_DEEPCOPY = "copy.deepcopy"

# A longer path is no proof: what the solver merges may have made it up.
MAX_PROOF = 20
MAX_LIKELY = 9  # where the end is a guess, or a step of the way
MAX_SAVED = 7  # into a file: what is saved is mostly a dict of numbers


@dataclass(frozen=True, slots=True)
class Crossing:
    """A hazard that crosses, or may.

    The position is that of the `ast` node: line 1-based, column 0-based in UTF-8 bytes. `boundary`: dotted name of the
    callable that pickles it, "" where none was seen.
    """

    kind: HazardKind
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    confidence: Confidence
    trace: Trace
    boundary: str
    aboard: bool = False  # what crosses is an object that keeps it, of the class whose code made it
    alone: bool = False  # no object of the repository's classes keeps it, but in a container of other code
    guessed: bool = False  # an object that may not keep it is on its way
    steps: tuple[Step, ...] = ()  # where it is passed on; not asked for what is possible
    saved: bool = False  # it is pickled for something else than another process: into a file, a copy
    beside: Step = ()  # where its maker is called beside the boundary; it runs in children but for that; as `steps`

    @property
    def place(self) -> tuple[int, int, int, int]:
        """Line and column of its begin and end, as in `ast`."""
        return self.line, self.column, self.end_line, self.end_column

    @property
    def in_words(self) -> str:
        """How it crosses, for a message."""
        if not self.boundary:
            return "is stored on an object that is sent to workers"
        return f"{'is pickled by' if self.saved else 'reaches another process through'} {self.boundary}"


def only_in_children(repo: Repo, crossing: Crossing) -> bool:
    """The parent makes it only in a branch that starts no children: `if jobs == 1: return work(0)`."""
    sent = [(hop.path, hop.line, -1) for hop in crossing.trace[-1:]]
    return bool(crossing.beside) and all(no_one_run(repo, [sent, [(*call, -1)]]) for call in crossing.beside)


class Crossings:
    """Describes crossings. What a long path, a guess or test code shows is worth less than what the seeds say."""

    def __init__(
        self, solution: Solution, closure: Closure, same_object: SameObject, home: AtHome, moments: Moments,
        defaults: Defaults, one_program: OneProgram, python2: Python2,
        dead_branches: DeadBranches,
    ) -> None:  # fmt: skip
        self.solution, self.closure, self.same_object, self.home = solution, closure, same_object, home
        self.moments, self.by_habit = moments, ByHabit(solution)
        self.levels = Levels(solution)
        self.opened_items = OpenedItems(solution)
        self.children = Children(closure.places, defaults.callers)
        self.one_program, self.other_holders = one_program, OtherHolders(closure)
        self.python2, self.dead_branches, self.type_branches = python2, dead_branches, TypeBranches(solution)
        self.defaults, self.steps = defaults, Steps(solution, defaults.callers)
        self.called_with = CalledWith(solution, defaults.callers)
        self.given_functions = GivenFunctions(solution, defaults.callers)
        self.made_if_asked = MadeIfAsked(same_object, defaults.callers, defaults.surroundings, home, dead_branches)

    def describe(
        self, hazard: tuple[HazardKind, str, Position], confidence: Confidence, number: int, reasons: Reasons
    ) -> Crossing:
        """The crossing of a hazard (kind, file, place) by the value `number`, by the path that `reasons` name."""
        kind, path, position = hazard
        reasons, trace, confidence = self._surest(hazard, confidence, number, reasons)
        if (own := self._own_root(number, reasons)) is not None:
            reasons, trace = own, trace_of(self.solution, number, own[number], own, kind, path, position)
        boundary = reasons.root(number).boundary
        steps, beside = tuple[Step, ...](), Step()
        if confidence is not Confidence.POSSIBLE:
            steps = self.steps.of(number, reasons)
            beside = self._beside(hazard, number, reasons)
        elif (why := self.python2.of(trace)) is not None:
            trace = (*trace, why)
        holder = reasons[number].parent
        while holder in reasons and self.solution.heap.values[holder].kind == CONTAINER:
            holder = reasons[holder].parent  # `self.steps.append(step)`: the object keeps what holds it
        aboard = self._is_in_class_of(holder, path, position[:2])
        return Crossing(
            kind, path, *position, confidence, shorten(trace), boundary, aboard,
            self._is_alone(number, reasons), self.closure.guessed(number, reasons), steps,
            self.solution.program.table.saves(boundary), beside,
        )  # fmt: skip

    def _own_root(self, number: int, reasons: Reasons) -> Reasons | None:
        """The same way to the boundary that gets the very object which is made with the value; None where that is it.

        Of many scripts that send objects of one class, the one that makes this one.
        """
        chain = chain_of(reasons, number)
        outermost, roots = chain[-1], reasons.roots.get(chain[-1], ())
        if len(chain) < 2 or len(roots) < 2 or self.solution.heap.values[outermost].kind != INSTANCE:
            return None
        made = self.same_object.made_to_keep(chain[-2], reasons[chain[-2]].node, outermost)
        own = [root for root in roots if self.same_object.gets_to(outermost, made, root.node)] if made else []
        if not own or reasons[outermost] in own:
            return None
        return self._by_root(own[0], number, reasons)

    def _by_root(self, root: Reason, number: int, reasons: Reasons) -> Reasons:
        """The same way to another boundary that gets the outermost value too."""
        chain = chain_of(reasons, number)
        return self.other_holders.only({each: reasons[each] for each in chain} | {chain[-1]: root}, chain[-1], reasons)

    def _for_python3(self, hazard: tuple[HazardKind, str, Position], number: int, reasons: Reasons) -> Reasons:
        """The way, where one of its boundaries is a script's that runs under Python 3, to that one."""
        kind, path, position = hazard
        for at, root in enumerate((reasons.root(number), *reasons.roots.get(reasons.outermost(number), ()))):
            way = self._by_root(root, number, reasons) if at else reasons
            if self.python2.of(trace_of(self.solution, number, way[number], way, kind, path, position)) is None:
                return way
        return reasons

    def _beside(self, hazard: tuple[HazardKind, str, Position], number: int, told: Reasons) -> Step:
        """As `made_beside` of all places where the hazard is made."""
        kind, path, position = hazard
        root, node = told.root(number), told[number].node
        if root.hop is None:
            return ()
        places = self.same_object.made_at(number) if kind is HazardKind.INSTANCE else [(-1, path, position)]
        beside = [self.children.made_beside(path, at, root.node, root.hop.line) for _, path, at in places]
        if not any(beside):
            return ()
        there = [made < 0 or node < 0 or self.same_object.gets_to(number, (made,), node) for made, _, _ in places]
        found = [calls for calls, counts in zip(beside, there, strict=True) if counts]
        return tuple(dict.fromkeys(call for calls in found for call in calls)) if all(found) else ()

    def _surest(
        self, hazard: tuple[HazardKind, str, Position], confidence: Confidence, number: int, reasons: Reasons
    ) -> tuple[Reasons, Trace, Confidence]:
        """The way of the hazard, and how sure it is: another than the first where that joins what is apart."""
        reasons = self._for_python3(hazard, number, reasons) if self.python2.anywhere else reasons
        trace, most = self._at_most(hazard, confidence, number, reasons)
        if most is Confidence.POSSIBLE:
            return reasons, trace, most
        if self.other_holders.is_whole(number, reasons) and not self._joins(number, reasons, trace):
            return reasons, trace, self._confidence(hazard, trace, most, number, reasons)
        for other in self.other_holders.ways(number, reasons):
            along, most = self._at_most(hazard, confidence, number, other)
            if most is not Confidence.POSSIBLE and not self._joins(number, other, along):
                found = self._confidence(hazard, along, most, number, other)
                if found is not Confidence.POSSIBLE:
                    return other, along, found
        return reasons, trace, Confidence.POSSIBLE

    def _joins(self, number: int, reasons: Reasons, trace: Trace) -> bool:
        """The way may be of two objects, programs, processes, or calls of a function; of no call; or of Python 2."""
        return (
            self.python2.of(trace) is not None
            or self.dead_branches.on(trace)
            or self.type_branches.other(number, reasons)
            or self.same_object.merged(number, reasons)
            or self.one_program.apart(number, reasons)
            or self.made_if_asked.left_off(number, reasons)
            or self.children.filled(number, reasons)
            or self.levels.merged(number, reasons)
            or self.opened_items.unopened(number, reasons)
        )

    def _at_most(
        self, hazard: tuple[HazardKind, str, Position], confidence: Confidence, number: int, reasons: Reasons
    ) -> tuple[Trace, Confidence]:
        """The way, and how sure it can be by its length, by what is guessed, and by the test code on it."""
        kind, path, position = hazard
        trace = trace_of(self.solution, number, reasons[number], reasons, kind, path, position)
        return trace, self._by_trace(path, position, trace, confidence, number, reasons)

    def _by_trace(
        self, path: str, position: Position, trace: Trace, confidence: Confidence, number: int, reasons: Reasons
    ) -> Confidence:
        boundary = reasons.root(number).boundary
        program = self.solution.program
        if any(first <= position[0] <= last for first, last in program.facts_of(path).stops):
            return Confidence.POSSIBLE  # it does not run, or a NameError comes before anything crosses
        guessed = self.closure.guessed(number, reasons)
        longest = MAX_LIKELY if guessed or confidence is Confidence.LIKELY else MAX_PROOF
        longest = min(longest, MAX_SAVED) if program.table.saves(boundary) else longest
        tests = {at for at in {hop.path for hop in trace} if is_test(at, program.facts_of)}
        if len(trace) > longest or (path in tests and any(hop.path != path for hop in trace)):
            return Confidence.POSSIBLE
        if tests and (trace[-1].path not in tests or boundary == _DEEPCOPY):
            return Confidence.POSSIBLE  # through what only a test puts there, or a test that would fail everywhere
        if confidence is Confidence.LIKELY and (guessed or path in tests):
            return Confidence.POSSIBLE
        if guessed and confidence is Confidence.PROVEN:
            return self.by_habit.surest(number, reasons)
        return confidence

    def _confidence(
        self, hazard: tuple[HazardKind, str, Position], trace: Trace, confidence: Confidence, number: int,
        reasons: Reasons,
    ) -> Confidence:  # fmt: skip
        """How sure a way is that joins nothing; at most `confidence`."""
        _, path, position = hazard
        if confidence is Confidence.POSSIBLE:
            return confidence
        if self.defaults.unused(number, reasons):
            return Confidence.POSSIBLE
        if self.made_if_asked.never(number, reasons):
            return Confidence.POSSIBLE
        if self.called_with.another(number, reasons):
            return Confidence.POSSIBLE
        if self.given_functions.another(number, reasons):
            return Confidence.POSSIBLE
        if confidence is Confidence.LIKELY and self.same_object.at_home(number, reasons, self.home):
            return Confidence.POSSIBLE
        root = reasons.root(number)
        if root.hop is not None and self.children.made(path, position, root.node, root.hop.line):
            return Confidence.POSSIBLE
        if self.moments.is_not_started(path, position, reasons.outermost(number), root.boundary):
            return Confidence.POSSIBLE
        if any(hop.what == LOOKED_UP for hop in trace):
            method = self.solution.heap.values[number].kind == BOUND  # which nobody takes for data
            meant = not method and self._may_be_meant(reasons.outermost(number), reasons)
            return Confidence.LIKELY if meant else Confidence.POSSIBLE
        by_text = any(hop.what == NAMED_BY_TEXT for hop in trace)
        if confidence is Confidence.PROVEN and (by_text or may_be_other(self.solution, number, reasons)):
            return Confidence.LIKELY
        return confidence

    def _may_be_meant(self, number: int, reasons: Reasons) -> bool:
        """What a computed name gives for a loader is of a class of datasets, and what is sent as data is no method."""
        value, argument = self.solution.heap.values[number], reasons[number].argument
        if argument == "obj":
            return value.kind != BOUND
        return value.kind != INSTANCE or argument != DATASET or gives_samples(self.solution, int(value.a))

    def _is_alone(self, number: int, reasons: Reasons) -> bool:
        heap = self.solution.heap
        held, parent = number, reasons[number].parent
        while parent >= 0 and heap.values[parent].kind == CONTAINER:
            held, parent = parent, reasons[parent].parent
        if parent < 0 or heap.values[parent].kind != INSTANCE:
            return True
        if held == number:
            return False
        contents = int(heap.values[held].a)
        path, line = self.solution.program.files[heap.file_of[contents]], heap.lines[contents]
        return not self._is_in_class_of(parent, path, (line, 1))

    def _is_in_class_of(self, number: int, path: str, place: tuple[int, int]) -> bool:
        if number < 0 or self.solution.heap.values[number].kind != INSTANCE:
            return False
        file, made = self.solution.program.classes[int(self.solution.heap.values[number].a)]
        return self.solution.program.files[file] == path and made.position[:2] <= place < made.position[2:]
