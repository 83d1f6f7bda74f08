"""What gets to a loader only by calls that ask for no workers: it is pickled for nobody.

def load(dataset, **options):
    return DataLoader(dataset, **options)

load(Images(), num_workers=4)
load(Buffer(), num_workers=0)  # the buffer stays

The same of a parameter that decides whether a process is started: `if parallel: Process(target=run).start()`.
"""

from __future__ import annotations

from functools import cached_property

from ..facts.passed_on import AT_TIMES, COUNT, IN_STARS
from ..facts.records import Call, PassedOn
from ..facts.test_code import is_test
from ..solve.heap import INSTANCE
from ..solve.sinks import Sink
from ..solve.solution import Solution
from .callers import Callers, Given
from .instance_uses import GIVEN

_SET = "__setattr__"
_MAX_DEPTH = 3  # functions that pass the number on to each other


class WithoutWorkers:
    """Answers for the loaders of one solution."""

    def __init__(self, solution: Solution, callers: Callers) -> None:
        self.solution, self.callers = solution, callers
        self._known: dict[tuple[int, PassedOn], tuple[list[Given], list[Given]]] = {}
        self._only_kept: dict[tuple[int, str], bool] = {}

    def stays(self, sink: Sink) -> frozenset[int]:
        """The values at the sink that nobody sends to a worker from there."""
        held = frozenset(self.solution.heap.holds[sink.node])
        if sink.function < 0 or not held:
            return frozenset()
        found = frozenset[int]()
        for passed in (each for each in (sink.passed, sink.under) if each is not None):
            without, others = self._callers(sink.function, passed)
            if without and not others and passed is sink.passed:
                return held
            found |= held & (self._given(without) - self._given(others)) if without and others else frozenset()
        return found

    def is_off(self, sink: Sink) -> bool:
        """The call stands under a parameter that every call of its function leaves off, those of tests among them."""
        return sink.under is not None and sink.function >= 0 and self.is_left_off(sink.function, sink.under)

    def is_left_off(self, function: int, under: PassedOn) -> bool:
        """Every call of the function leaves the parameter off, those of tests among them."""
        without, others = self._callers(function, under)
        if under.attribute:
            function = self.constructor(function, under.attribute)
        tested = (
            self._asks_for_none(function, offset, call, bound, under, 0)
            for offset, call, bound in self.callers.of(function)
        )
        return bool(without) and not others and all(tested)

    def is_asked(self, function: int, under: PassedOn, depth: int = 0) -> bool:
        """A call of the function says itself that the parameter is set; where no call is seen, the default does."""
        without, others = self._callers(function, under)
        if under.negated:
            return bool(without) or (not others and under.absent)
        return (not others and not without and not under.absent) or any(
            self._sets(function, given, under, depth) for given in others
        )

    def _sets(self, function: int, given: Given, under: PassedOn, depth: int) -> bool:
        place = self._place(function, under.parameter, given.bound)
        literals, call = given.call.literals, given.call
        if under.parameter not in dict(call.keywords) and not 0 <= place < len(call.arguments):
            return not under.absent and not call.stars and not call.double_stars
        value = literals.get(under.parameter, literals.get(place))
        if isinstance(value, PassedOn):
            above = self.callers.around(given.offset, call)
            return above >= 0 and depth < _MAX_DEPTH and self.is_asked(above, value, depth + 1)
        at_times = any(f"{AT_TIMES}{key}" in literals for key in (under.parameter, place))
        return at_times or (value is not None and not under.is_off(value))

    def leaves_off(self, function: int, given: Given, under: PassedOn) -> bool:
        """This call of the function leaves the parameter off."""
        return self._asks_for_none(function, given.offset, given.call, given.bound, under, 0)

    def _callers(self, function: int, passed: PassedOn, depth: int = 0) -> tuple[list[Given], list[Given]]:
        """The calls of a function that say there are no workers, and the others; those of tests are left out."""
        program, heap = self.solution.program, self.solution.heap
        if passed.attribute:
            function = self.constructor(function, passed.attribute)
        if (function, passed) not in self._known:
            found: tuple[list[Given], list[Given]] = ([], [])
            for given in self.callers.of(function):
                offset, call, bound = given
                path = program.files[heap.file_of[call.result + offset]]
                if not is_test(path, program.facts_of):
                    none = self._asks_for_none(function, offset, call, bound, passed, depth)
                    found[0 if none else 1].append(given)
            self._known[function, passed] = found
        return self._known[function, passed]

    def constructor(self, method: int, attribute: str) -> int:
        """The `__init__` of the class of a method; -1 where other code may set the attribute as well."""
        program = self.solution.program
        file, function = program.functions[method]
        owner = program.class_offset[file] + function.owner
        if function.owner < 0 or attribute in self.set_on_others or not self._is_only_kept(owner, attribute):
            return -1
        return self.callers.initialiser(owner)

    def _is_only_kept(self, owner: int, attribute: str) -> bool:
        """No class above or below sets the attribute, and no code sets some attribute of such objects by its name."""
        if (owner, attribute) not in self._only_kept:
            program, hierarchy = self.solution.program, self.solution.hierarchy
            family = {at for index in (owner, *hierarchy.below.get(owner, ())) for at in hierarchy.order(index)}
            classes = {index: program.classes[index][1] for index in family}
            members = any(attribute in made.members for made in classes.values())
            sets = any(attribute in made.sets for index, made in classes.items() if index != owner)
            self._only_kept[owner, attribute] = not (members or sets or self._is_set_by_name(family, attribute))
        return self._only_kept[owner, attribute]

    def _is_set_by_name(self, family: set[int], attribute: str) -> bool:
        """`setattr(x, name, value)`, `x.__dict__.update(values)`, `vars(x)[name] = value`, of such an object."""
        heap = self.solution.heap
        held = (
            heap.values[number] for node, name in self.by_name if name in ("", attribute) for number in heap.holds[node]
        )
        return any(value.kind == INSTANCE and int(value.a) in family for value in held)

    @cached_property
    def by_name(self) -> list[tuple[int, str]]:
        """Objects whose attributes code may set by their names, each with the name, where it is known."""
        program, found = self.solution.program, list[tuple[int, str]]()
        for facts, offset in zip(program.facts, program.offsets, strict=True):
            found += [(base + offset, "") for base, name, _ in facts.loads if name in ("__dict__", _SET)]
            for call in facts.calls:
                if (
                    call.arguments
                    and call.arguments[0] >= 0
                    and (call.text in ("vars", "setattr") or call.text.endswith(f".{_SET}"))
                ):
                    name = call.literals.get(1)
                    found.append((call.arguments[0] + offset, name if isinstance(name, str) else ""))
        return found

    @cached_property
    def set_on_others(self) -> set[str]:
        """The attributes that code sets on something else than `self`, also to numbers."""
        whats = (what for facts in self.solution.program.facts for _, what, _ in facts.distinguished)
        set_to_any = {what[len(GIVEN) : -1] for what in whats if what.startswith(GIVEN)}
        return set_to_any | self.solution.constraints.stored_on_others

    def _asks_for_none(self, function: int, offset: int, call: Call, bound: bool, passed: PassedOn, depth: int) -> bool:
        literals, place = call.literals, -1
        name = COUNT if passed.starred else passed.parameter
        if not passed.starred:
            place = self._place(function, name, bound)
        given = name in dict(call.keywords) or 0 <= place < len(call.arguments)
        value = literals.get(name, literals.get(place)) if given else None
        if not given and name == COUNT:
            value = literals.get(IN_STARS)
        if passed.among and given:
            return isinstance(value, str) and value not in passed.among
        if isinstance(value, PassedOn):
            above = self.callers.around(offset, call)
            if above < 0 or depth >= _MAX_DEPTH:
                return False
            without, others = self._callers(above, value, depth + 1)
            return bool(without) and not others
        if given:
            return (name in literals or place in literals) and passed.is_off(value)
        return passed.absent and not call.stars and not call.double_stars

    def _place(self, function: int, parameter: str, bound: bool) -> int:
        """Which argument of a call the parameter gets by its place; -1 for none."""
        parameters = self.solution.program.functions[function][1].parameters
        positional = [each.name for each in parameters if each.kind.is_positional]
        return positional.index(parameter) - bound if parameter in positional else -1

    def _given(self, calls: list[Given]) -> set[int]:
        """All values that these calls hand over."""
        holds = self.solution.heap.holds
        nodes = {
            node + offset
            for offset, call, _ in calls
            for node in (*call.arguments, *call.stars, *call.double_stars, *(value for _, value in call.keywords))
            if node >= 0
        }
        return {number for node in nodes for number in holds[node]}
