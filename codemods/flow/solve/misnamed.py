"""Local functions that `functools.wraps` names like another one, under whose name pickle finds that other one.

def timed(function):
    @wraps(function)
    def run(*args): ...
    return run

quiet = timed(plain)  # pickle looks for `plain`, and that is not the same object
"""

from __future__ import annotations

from ..facts.records import Call, FileFacts, Function
from ..kinds import FunctionKind
from .constraints import Constraints
from .heap import FOREIGN, FUNCTION, Heap, Value
from .program import Program

# What pickle looks a function up by: the code that sets one of these may well set what it is kept under.
_NAMES = frozenset({"__qualname__", "__module__"})
GIVEN_NAMES = frozenset(f"given the attribute `{name}`" for name in _NAMES)
_RENAMES = frozenset({Value(FOREIGN, "functools.update_wrapper")})  # what gives its argument another name
_SETTERS = frozenset({Value(FOREIGN, "setattr"), Value(FOREIGN, "object.__setattr__")})


def misnamed(program: Program, heap: Heap, constraints: Constraints) -> dict[int, str]:
    """Each of them that is made by calls alone, with the name of what it wraps; no decorator puts it in place."""
    makers: dict[int, int] = {}  # value number of what makes one -> the function that it makes
    for index, (file, function) in enumerate(program.functions):
        if function.wraps and function.kind is FunctionKind.NESTED:
            made_by = _maker(program.facts[file], function)
            number = heap.numbers.get(Value(FUNCTION, made_by + program.function_offset[file]), -1)
            if made_by >= 0 and number >= 0:
                makers[number] = index
    found: dict[int, dict[str, bool]] = {}
    for callee, calls in constraints.calls.items() if makers else ():
        for number in heap.holds[callee]:
            if number in makers:
                wrapper = makers[number]
                for offset, call in calls:
                    if not _decorates(program, heap, offset, call):
                        node = call.arguments[0] + offset if call.arguments[:1] > (-1,) else -1
                        name = _hidden_by_none(program, heap, node, wrapper)
                        found.setdefault(wrapper, {})[name] = bool(name)
    sure = {wrapper: min(names) for wrapper, names in found.items() if all(names.values())}
    renamed = _renamed(program, heap, constraints) if sure else set()
    return {wrapper: name for wrapper, name in sure.items() if wrapper not in renamed}


def _renamed(program: Program, heap: Heap, constraints: Constraints) -> set[int]:
    """The functions whose name for pickle some code sets: `inner.__qualname__ = name`, `setattr(inner, key, name)`."""
    nodes: list[int] = []
    for offset, facts in zip(program.offsets, program.facts, strict=False):
        nodes += [node + offset for node, what, _ in facts.distinguished if what in GIVEN_NAMES]
    for callee, calls in constraints.calls.items():
        held = {heap.values[number]._replace(b=-1) for number in heap.holds[callee]}
        sets = not _SETTERS.isdisjoint(held)
        if sets or not _RENAMES.isdisjoint(held):
            for offset, call in calls:
                if not sets or call.looks_up or call.literals[1] in _NAMES:
                    given = [*call.arguments[:1], *(node for name, node in call.keywords if name == "wrapper")]
                    nodes += [node + offset for node in given if node >= 0]
    values = (heap.values[number] for node in nodes for number in heap.holds[node])
    return {int(value.a) for value in values if value.kind == FUNCTION}


def _decorates(program: Program, heap: Heap, offset: int, call: Call) -> bool:
    """What it makes has the place of what it wraps: the call stands above a `def`, and not in the code."""
    facts = program.facts[heap.file_of[call.result + offset]]
    return not call.text and any(each.position == call.position for each in facts.functions)


def _maker(facts: FileFacts, function: Function) -> int:
    """The function of the file whose parameter is what `function` wraps; -1 for none."""
    wrapped = [call.arguments[:1] for call in facts.calls if call.result in function.decorators]
    nodes = {node for given in wrapped for node in given}
    if len(function.decorators) != 1 or len(nodes) != 1:
        return -1
    has_it = (at for at, each in enumerate(facts.functions) if any(p.node in nodes for p in each.parameters))
    return next(has_it, -1)


def _hidden_by_none(program: Program, heap: Heap, node: int, wrapper: int) -> str:
    """The name of the functions of modules that are all that `node` holds, and keep their names; else ""."""
    values = [heap.values[number] for number in heap.holds[node]] if node >= 0 else []
    names = [""]
    for value in values:
        file, function = program.functions[int(value.a)] if value.kind == FUNCTION else (-1, None)
        if function is None or function.kind is not FunctionKind.TOP or function.decorators:
            return ""
        own = program.facts[file].module_names.get(function.name, -1)
        held = [heap.values[number] for number in heap.holds[own + program.offsets[file]]] if own >= 0 else []
        if held != [value] or value.a == wrapper:
            return ""
        names.append(function.name)
    return max(names)
