"""Who asks a function for what only functions have: its `__name__`, its code, whether it is one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..facts.records import Call
from ..solve.deferred_calls import ELSEWHERE
from ..solve.heap import CONTAINER, FOREIGN, FUNCTION, Value

if TYPE_CHECKING:
    from .crossings import Flow

_ATTRIBUTES = frozenset(
    {"__name__", "__qualname__", "__doc__", "__module__", "__code__", "__defaults__", "__kwdefaults__", "__globals__",
     "__closure__", "__annotations__", "__get__"}
)  # fmt: skip
_CALLS = frozenset(
    {"inspect.isfunction", "inspect.isroutine", "inspect.getsource", "inspect.getdoc", "inspect.getsourcelines",
     "functools.wraps", "functools.update_wrapper", "types.MethodType", "typing.get_type_hints"}
)  # fmt: skip
_TYPES = frozenset({"types.FunctionType", "types.LambdaType"})


class Question(NamedTuple):
    """At `path`:`line` a function is asked for `what`: an attribute, or the dotted name of the function that asks."""

    what: str
    path: str
    line: int
    node: int


def _questions(flow: Flow) -> Iterator[Question]:
    solver = flow.solver
    for node, loads in solver.loads_at.items():
        for attribute, result in loads:
            if attribute in _ATTRIBUTES:
                yield Question(attribute, solver.files[solver.file_of[result]], solver.lines[result], node)
    for node, calls in solver.calls_at.items():
        for held in solver.holds[node]:
            value = solver.values[held]
            if value.kind == FOREIGN and (value.a in _CALLS or value.a == "isinstance"):
                for offset, call in calls:
                    asked = _asked(flow, str(value.a), offset, call)
                    if asked >= 0:
                        file = solver.files[solver.file_of[call.result + offset]]
                        yield Question(str(value.a), file, call.position[0], asked)


def _asked(flow: Flow, name: str, offset: int, call: Call) -> int:
    """The node of the function that `call` looks at, -1 for none."""
    solver, place = flow.solver, 1 if name == "functools.update_wrapper" else 0
    if len(call.arguments) <= place or call.arguments[place] < 0:
        return -1
    if name == "isinstance":
        types = call.arguments[1] if len(call.arguments) > 1 else -1
        held = [solver.values[number] for number in solver.holds[types + offset]] if types >= 0 else []
        for value in tuple(held):
            if value.kind == CONTAINER:
                nodes = (int(value.a), *solver.fields.get(int(value.a), {}).values())
                held += [solver.values[number] for node in nodes for number in solver.holds[node]]
        if not any(value.kind == FOREIGN and value.a in _TYPES for value in held):
            return -1
    return call.arguments[place] + offset


class Seen(NamedTuple):
    """Where functions and lambdas get to, by value number: questions, calls and names at module level."""

    questions: Mapping[int, list[Question]]
    calls: Mapping[int, list[Question]]  # `what` is how many arguments stand by position, "*" with a star
    names: Mapping[int, list[Question]]  # `what` is the name


def look(flow: Flow) -> Seen:
    """One pass over the graph."""
    solver = flow.solver
    ours = {number for number, value in enumerate(solver.values) if value.kind == FUNCTION}
    seen = Seen(defaultdict(list), defaultdict(list), defaultdict(list))

    def note(found: Mapping[int, list[Question]], question: Question) -> None:
        for number in solver.holds[question.node].keys() & ours:
            found[number].append(question)

    for question in sorted(set(_questions(flow))):
        note(seen.questions, question)
    for node, calls in solver.calls_at.items():
        for offset, call in calls if not ours.isdisjoint(solver.holds[node]) else ():
            if call.stars and call.text == ELSEWHERE:
                continue  # how many they are isn't known
            count = "*" if call.stars else str(len(call.arguments))
            file = solver.files[solver.file_of[call.result + offset]]
            note(seen.calls, Question(count, file, call.position[0], node))
    for at, facts in enumerate(solver.facts):
        for name, own in facts.module_names.items():
            node = own + solver.offsets[at]
            note(seen.names, Question(name, solver.files[at], solver.lines[node], node))
    return seen


def reaching(flow: Flow, found: Mapping[int, list[Question]], path: str, line: int, column: int) -> list[Question]:
    """What of `found` the function or lambda at this position (as in `ast`) really gets to."""
    index = flow.function_at.get((path, line, column))
    number = flow.solver.numbers.get(Value(FUNCTION, index), -1) if index is not None else -1
    near = found.get(number, [])
    reached = flow.reach(number) if near else set()
    return [each for each in near if each.node in reached]
