"""What is made only where a parameter asks for it, which calls of the function leave off.

def load(path, limit=None):
    rows = Rows(path)
    if limit is not None:
        rows = Truncated(rows, limit)  # no call says a limit
    return DataLoader(rows, num_workers=4)

def steps(crop=None):
    return [lambda row: row[crop]] if crop is not None else []

Rows("train", steps())  # the lambda is in those that other calls give

The same of `if mode == "train":`, and of `KINDS[mode]()`, where calls say another mode.
"""

from __future__ import annotations

from functools import cached_property

from ..facts.passed_on import UNDER
from ..facts.records import Call, PassedOn, TakenFrom
from ..facts.syntax import KEYS
from ..facts.test_code import is_test
from ..solve.heap import CONTAINER, FUNCTION, INSTANCE
from ..solve.paths import Paths
from .at_home import AtHome
from .callers import Callers
from .dead_branches import DeadBranches
from .same_object import SameObject
from .surroundings import Surroundings
from .trace import Reasons


class _Without:
    """All nodes but some."""

    def __init__(self, nodes: set[int]) -> None:
        self.nodes = nodes

    def __contains__(self, node: object) -> bool:
        return node not in self.nodes


class MadeIfAsked:
    """Answers for the traces of one solution."""

    def __init__(
        self, same_object: SameObject, callers: Callers, surroundings: Surroundings, home: AtHome,
        dead_branches: DeadBranches,
    ) -> None:  # fmt: skip
        self.same_object, self.solution = same_object, same_object.solution
        self.callers, self.surroundings, self.home = callers, surroundings, home
        self.without_workers, self.dead_branches = dead_branches.without_workers, dead_branches
        self._never: dict[int, bool] = {}

    def never(self, number: int, reasons: Reasons) -> bool:
        """True when the value, or an object with which it crosses, is made by nobody who asks for it."""
        while number >= 0:
            value = self.solution.heap.values[number]
            if value.kind == INSTANCE and self._is_never_made(number):
                return True
            number = reasons[number].parent
        return False

    def left_off(self, number: int, reasons: Reasons) -> bool:
        """True when the way of a function leads by a call of the one around it that leaves its parameter off."""
        heap, program = self.solution.heap, self.solution.program
        if heap.values[number].kind != FUNCTION:
            return False
        file, made = program.functions[int(heap.values[number].a)]
        if made.under is None:
            return False
        function, under = program.function_offset[file] + made.under[0], made.under[1]
        returned = program.functions[function][1].returns + program.offsets[file]
        while number >= 0:
            node = reasons[number].node
            way = [*heap.way(number, node)]
            if returned in way[1:]:
                off = self._results_without(function, under, returned)
                return way[way.index(returned) - 1] in off and not self._comes_by_another(off, number, reasons)
            number = reasons[number].parent
        return False

    def _results_without(self, function: int, under: PassedOn, returned: int) -> frozenset[int]:
        """Where the results go of those calls of the function that leave the parameter off."""
        heap = self.solution.heap
        calls = {-given.call.result - given.offset - 1: given for given in self.callers.of(function)}
        off = {site for site, given in calls.items() if self.without_workers.leaves_off(function, given, under)}
        led_to = {target: heap.sites.get((returned, target), []) for target in heap.targets[returned] or ()}
        return frozenset(target for target, sites in led_to.items() if sites and off.issuperset(sites))

    def _comes_by_another(self, off: frozenset[int], number: int, reasons: Reasons) -> bool:
        """The value comes by none of the nodes `off` to an object that crosses, or to what no object keeps."""
        reason, values = reasons[number], self.solution.heap.values
        keepers, at = [reason.parent], reason.parent
        while at >= 0:
            at = reasons[at].parent
            keepers.append(at)
        without = set(off)
        if any(values[keeper].kind == INSTANCE for keeper in keepers if keeper >= 0):
            if values[reason.parent].kind != INSTANCE or reasons[reason.parent].node < 0:
                return False
            without |= self.same_object.arguments_of_others(reason.parent, reasons.nodes)
        origins = self.same_object.places.origins.get(number, ())
        return Paths(self.solution.heap, number, origins, _Without(without)).meet({reason.node})

    def _is_never_made(self, number: int) -> bool:
        """Of the calls that make such objects each is not asked for, is a test's, or makes one that goes nowhere."""
        if number not in self._never:
            program, heap = self.solution.program, self.solution.heap
            made = [
                (offset, call)
                for offset, call, _ in self.callers.of(self.callers.initialiser(int(heap.values[number].a)))
                if not is_test(program.files[heap.file_of[call.result + offset]], program.facts_of)
            ]
            taken = f"[{program.classes[int(heap.values[number].a)][1].name}]"
            asked = [
                given for given in made if not self._is_left_off(*given) and not self._is_left_off(*given, key=taken)
            ]
            self._never[number] = len(asked) < len(made) and all(
                self.home.stays(number, call.result + offset) for offset, call in asked
            )
        return self._never[number]

    def _is_left_off(self, offset: int, call: Call, key: str = UNDER) -> bool:
        """Not in a function that an installed package offers: others call it, too."""
        under, function = call.literals.get(key), self.callers.around(offset, call)
        if self.dead_branches.at(
            self.solution.program.files[self.solution.heap.file_of[call.result + offset]], call.position[0]
        ):
            return True
        if not isinstance(under, PassedOn) or function < 0:
            return False
        if under.table is not None and not self._is_as_written(under.table, offset):
            return False
        program = self.solution.program
        installed = self.surroundings.is_installed(program.files[program.functions[function][0]])
        return not installed and self.without_workers.is_left_off(function, under)

    def _is_as_written(self, table: TakenFrom, offset: int) -> bool:
        """No other dict is meant, as one of a class below, and nothing is put in."""
        heap = self.solution.heap
        if table.name in self._filled_names or self.solution.hierarchy.is_set_elsewhere(table.name):
            return False
        found = {number for number in heap.holds[table.node + offset] if heap.values[number].kind == CONTAINER}
        inner = {int(heap.values[number].a) for number in found}
        made = {(heap.file_of[at], heap.lines[at]) for at in inner}
        return made == {(heap.file_of[table.node + offset], table.line)} and found.isdisjoint(self._filled)

    @cached_property
    def _filled_names(self) -> set[str]:
        """Of what something is put into by a name."""
        return {name.lstrip(".") for facts in self.solution.program.facts for name, _ in facts.put_by_name}

    @cached_property
    def _filled(self) -> set[int]:
        """The values that something is put into: `x[key] = value`."""
        program, holds = self.solution.program, self.solution.heap.holds
        files = zip(program.facts, program.offsets, strict=True)
        return {
            number
            for facts, offset in files
            for at, _, _, key in facts.puts
            if key != KEYS
            for number in holds[at + offset]
        }
