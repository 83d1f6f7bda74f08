"""Who asks a function for what only functions have: its `__name__`, its code, whether it is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .facts import Call
from .heap import CONTAINER, FOREIGN, FUNCTION, Value

if TYPE_CHECKING:
    from .graph import Flow

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


def questions(flow: Flow) -> list[Question]:
    """All of them, whatever is asked."""
    return sorted(set(_questions(flow)))


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


def asked(flow: Flow, known: list[Question], path: str, line: int, column: int) -> list[Question]:
    """Those of `known` that get to see the function or lambda at this position."""
    index = flow.function_at.get((path, line, column))
    number = flow.solver.numbers.get(Value(FUNCTION, index), -1) if index is not None else -1
    near = [each for each in known if number in flow.solver.holds[each.node]]
    reached = flow.reach(number) if near else set()
    return [each for each in near if each.node in reached]


def given(flow: Flow, path: str, line: int, column: int) -> list[Question]:
    """Calls of the function at this position; `what` is how many arguments stand by position, "*" with a star."""
    solver, index = flow.solver, flow.function_at.get((path, line, column))
    number = solver.numbers.get(Value(FUNCTION, index), -1) if index is not None else -1
    nodes = [node for node in solver.calls_at if number in solver.holds[node]]
    reached = flow.reach(number) if nodes else set()
    found: list[Question] = []
    for node in nodes:
        for offset, call in solver.calls_at[node] if node in reached else ():
            file = solver.files[solver.file_of[call.result + offset]]
            count = "*" if call.stars else str(len(call.arguments))
            found.append(Question(count, file, call.position[0], node))
    return found


def called(flow: Flow, path: str, line: int, column: int) -> list[Question]:
    """Names at module level, of any file, that hold the function at this position; `what` is the name."""
    solver, index = flow.solver, flow.function_at.get((path, line, column))
    number = solver.numbers.get(Value(FUNCTION, index), -1) if index is not None else -1
    found: list[Question] = []
    for file, facts in enumerate(solver.facts):
        for name, own in facts.module_names.items():
            node = own + solver.offsets[file]
            if number in solver.holds[node] and node in flow.reach(number):
                found.append(Question(name, solver.files[file], solver.lines[node], node))
    return found
