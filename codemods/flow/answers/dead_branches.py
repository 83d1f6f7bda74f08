"""Branches that no call of their function takes, as each gives a parameter a constant that decides the test.

def load(path, mode="train"):
    if mode == "test":
        return Rows(path, lambda row: row)  # every call says "train", or nothing
"""

from __future__ import annotations

from ...finding import Trace
from ..facts.records import Branch, Parameter
from ..solve.program import Program
from .callers import Callers, Given
from .known_calls import KnownCalls
from .surroundings import Surroundings
from .without_workers import WithoutWorkers

_MAX_DEPTH = 4  # functions that pass the parameter on to each other
_MOST = 8  # constants that a parameter may be
_Values = tuple[object, ...]


class DeadBranches:
    """Answers for the functions of one solution."""

    def __init__(self, callers: Callers, surroundings: Surroundings) -> None:
        self.solution, self.callers = callers.solution, callers
        self.program: Program = callers.solution.program
        self.known_calls = KnownCalls(callers, surroundings)
        self.without_workers = WithoutWorkers(callers.solution, callers)
        self._known: dict[tuple[int, str], _Values] = {}
        self._never: dict[tuple[str, Branch], bool] = {}
        self._at: dict[tuple[str, int], bool] = {}

    def on(self, trace: Trace) -> bool:
        """True when a step of the trace is in such a branch."""
        return any(self.at(hop.path, hop.line) for hop in trace)

    def at(self, path: str, line: int) -> bool:
        """True when the line is in such a branch."""
        known = self._at.get((path, line))
        if known is None:
            file = self.program.file_index.get(path, -1)
            branches = self.program.facts[file].branches if file >= 0 else ()
            known = any(each.first <= line <= each.last and self._is_never_taken(path, each) for each in branches)
            self._at[path, line] = known
        return known

    def _is_never_taken(self, path: str, branch: Branch) -> bool:
        known = self._never.get((path, branch))
        if known is None:
            function = self.program.function_offset[self.program.file_index[path]] + branch.function
            values = self._values(function, branch.condition.name)
            known = bool(values) and all(branch.condition.holds(value) is False for value in values)
            self._never[path, branch] = known
        return known

    def _values(self, function: int, name: str, depth: int = 0) -> _Values:
        """What the parameter, or the attribute of the object, may be; nothing where that can't be told."""
        if (function, name) not in self._known:
            self._known[function, name] = ()  # of a function that calls itself
            found = self._found(function, name, depth)
            self._known[function, name] = found if len(found) <= _MOST else ()
        return self._known[function, name]

    def _found(self, function: int, name: str, depth: int) -> _Values:
        if depth > _MAX_DEPTH:
            return ()
        me, _, attribute = name.partition(".")
        if attribute:
            return self._of_attribute(function, attribute, depth) if me == "self" else ()
        parameters = self.program.functions[function][1].parameters
        parameter = next((each for each in parameters if each.name == name), None)
        if parameter is None or parameter.again:
            return ()
        values: dict[tuple[type, object], object] = {}  # True and 1 are two
        for given in self.callers.of(function):
            found = self._given(function, parameter, given, depth)
            if not found:
                return ()
            values |= {(type(value), value): value for value in found}
        return tuple(values.values()) if values and self.known_calls.all_of(function) else ()

    def _of_attribute(self, function: int, attribute: str, depth: int) -> _Values:
        """What `self.attribute` is, where the constructor sets it to a parameter, and nothing else sets it."""
        constructor = self.without_workers.constructor(function, attribute)
        if constructor < 0 or not self.known_calls.only_sets(function, attribute, self.without_workers.by_name):
            return ()
        file, made = self.program.functions[constructor]
        facts, index = self.program.facts[file], constructor - self.program.function_offset[file]
        owner = facts.classes[made.owner]
        if attribute not in owner.sets or attribute in owner.sets_again:
            return ()
        for _, name, value, _, stores in facts.stores:
            if stores == index and name == attribute:
                kept = next((each for each in made.parameters if each.node == value), None)
                return self._values(constructor, kept.name, depth + 1) if kept is not None else ()
        return ()

    def _given(self, function: int, parameter: Parameter, given: Given, depth: int) -> _Values:
        call, place = given.call, self._place(function, parameter, given.bound)
        at: str | int = parameter.name
        argument = dict(call.keywords).get(parameter.name)
        if argument is None and 0 <= place < len(call.arguments) and not call.stars:
            at, argument = place, call.arguments[place]
        if argument is None:
            return () if call.stars or call.double_stars else parameter.default
        if at in call.literals:
            value = call.literals[at]
            if argument >= 0 and self._may_be_set(given.offset, argument):
                return ()
            return (value,) if value is None or type(value) in (str, int, bool) else ()
        around = self.callers.around(given.offset, call)
        parameters = self.program.functions[around][1].parameters if around >= 0 else ()
        above = next((each for each in parameters if each.node == argument), None)
        return self._values(around, above.name, depth + 1) if above is not None else ()

    def _may_be_set(self, offset: int, argument: int) -> bool:
        """The argument is a global constant, and other code may give the module another value for it."""
        facts = self.program.facts[self.program.offsets.index(offset)]
        nodes = {argument, *(source for source, target, _ in facts.edges if target == argument)}
        names = [name for name, node in facts.module_names.items() if node in nodes]
        if any(name in self.without_workers.set_on_others for name in names):
            return True
        return any(self.known_calls.may_set_global(name, self.without_workers.by_name) for name in names)

    def _place(self, function: int, parameter: Parameter, bound: bool) -> int:
        positional = [each for each in self.program.functions[function][1].parameters if each.kind.is_positional]
        return positional.index(parameter) - bound if parameter in positional else -1
