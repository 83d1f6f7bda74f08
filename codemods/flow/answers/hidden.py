"""Functions and classes of modules that a decorator hides: their name is that of a local wrapper."""

from __future__ import annotations

from itertools import dropwhile

from ..facts.records import Function
from ..kinds import FunctionKind
from ..solve.heap import CLASS, FOREIGN, FUNCTION, Value
from ..solve.misnamed import GIVEN_NAMES
from ..solve.solution import Solution

_REDUCERS = frozenset(("__reduce__", "__reduce_ex__"))
_RENAMING = frozenset(("setattr", "update_wrapper", "functools.update_wrapper"))
_NAMES = frozenset(("__qualname__", "__name__", "__module__"))


def hiding(solution: Solution, index: int) -> int | None:
    """The local function that the name of the decorated function `index` of a module is; None where none surely is.

    The outermost decorator decides that gives something else than what it gets. That is the same for all that it
    decorates: the flow does not follow it.
    """
    program = solution.program
    decorator = _outermost(solution, index)
    wrapper = _given_by(solution, decorator) if decorator is not None else None
    if wrapper is None:
        return None
    home, inner = program.functions[wrapper]
    return wrapper if not inner.decorators and not _may_be_renamed(solution, home, wrapper) else None


def hides_class(solution: Solution, index: int) -> bool:
    """The name of the class of a module is that of a local function, so that pickle does not find it for an object."""
    program = solution.program
    file, made = program.classes[index]
    if made.nested or not made.decorators or made.decorators[0] < 0 or made.qualname != made.name:
        return False
    members = (program.classes[at][1].members for at in solution.hierarchy.order(index))
    if any(not _REDUCERS.isdisjoint(names) for names in members):
        return False
    return _given_by(solution, made.decorators[0] + program.offsets[file]) is not None


def stands_for_object(solution: Solution, index: int) -> bool:
    """The name of the function of a module is that of an object: a class is its decorator, and keeps the function."""
    program = solution.program
    node = _outermost(solution, index)
    if node is None:
        return False
    held = [solution.heap.values[number] for number in solution.heap.holds[node]]
    if len(held) != 1 or held[0].kind != CLASS:
        return False
    order = solution.hierarchy.order(int(held[0].a))
    members = {name for at in order for name in program.classes[at][1].members}
    kept = (held for at in order for held in solution.attributes.get(at, {}).values())
    is_kept = any(solution.heap.numbers.get(Value(FUNCTION, index)) in solution.heap.holds[held] for held in kept)
    return is_kept and members.isdisjoint((*_REDUCERS, "__getstate__", "__new__"))


def stands_for_wrapper(solution: Solution, index: int) -> bool:
    """The name of the function of a module is that of a wrapper, which `functools.wraps` names like the function.

    What sends the wrapper finds it by that name; what the decorator got is not found.
    """
    program = solution.program
    node = _outermost(solution, index)
    decorator = _only_function(solution, node) if node is not None else None
    if decorator is None:
        return False
    home, made = program.functions[decorator]
    if _is_renamed(solution, home, index):
        return False
    given = [solution.heap.values[number] for number in solution.heap.holds[made.returns + program.offsets[home]]]
    found = [program.functions[int(value.a)] for value in given if value.kind == FUNCTION]
    return len(found) == len(given) > 0 and all(
        at == home and inner.kind is FunctionKind.NESTED and inner.wraps and inner.qualname.startswith(made.qualname)
        for at, inner in found
    )


def _outermost(solution: Solution, index: int) -> int | None:
    """The node of the outermost decorator that the name of the function `index` of a module depends on.

    None for another function, and where that decorator can't be followed.
    """
    function = solution.program.functions[index][1]
    nodes = _deciding(solution, index) if function.kind is FunctionKind.TOP else []
    return nodes[0] if nodes and nodes[0] >= 0 else None


def _deciding(solution: Solution, index: int) -> list[int]:
    """The nodes of the decorators of the function, the outermost first, without those above that give what they get."""
    file, function = solution.program.functions[index]
    nodes = [node + solution.program.offsets[file] if node >= 0 else -1 for node in function.decorators]
    if len(nodes) > 1:
        nodes = [*dropwhile(lambda node: node >= 0 and _passes_on(solution, node), nodes[:-1]), nodes[-1]]
    return nodes


def _passes_on(solution: Solution, node: int) -> bool:
    """The decorator at `node`, such as a registry, gives back what it gets, under the name that has."""
    program = solution.program
    decorator = _only_function(solution, node)
    if decorator is None:
        return False
    home, made = program.functions[decorator]
    given = {parameter.node for parameter in made.parameters}
    if len(given) != 1:
        return False
    facts = program.facts[home]
    into = {made.returns: set[int](), **{each: set[int]() for each in given}}
    for source, target, _ in facts.edges:
        if target in into:
            into[target].add(source)
    renamed = {node for node, what, _ in facts.distinguished if what in GIVEN_NAMES}
    renamed |= {node for call in facts.calls for node in call.arguments[:1] if call.text in _RENAMING}
    return into.pop(made.returns) == given and not any(into.values()) and given.isdisjoint(renamed)


def is_private(function: Function) -> bool:
    """A method that pickle looks for as `__name`, which the object has as `_Class__name`."""
    name = function.name
    plain = function.kind is FunctionKind.METHOD and not function.decorators
    return plain and name.startswith("__") and not name.endswith("__")


def _given_by(solution: Solution, node: int) -> int | None:
    """The local function that is all that the decorator at `node` gives."""
    program = solution.program
    decorator = _only_function(solution, node)
    if decorator is None:
        return None
    home, made = program.functions[decorator]
    wrapper = _only_function(solution, made.returns + program.offsets[home])
    if wrapper is None or program.functions[wrapper][0] != home:
        return None
    inner = program.functions[wrapper][1]
    local = inner.kind is FunctionKind.NESTED and inner.qualname == f"{made.qualname}.<locals>.{inner.name}"
    return wrapper if local else None


def wrappers_of_their_own(solution: Solution) -> set[int]:
    """The local functions that read the very function whose name they are: pickle finds them under it, not that."""
    program, heap = solution.program, solution.heap
    found: set[int] = set()
    for index in range(len(program.functions)):
        wrapper = hiding(solution, index)
        if wrapper is not None and wrapper not in found:
            number = heap.numbers.get(Value(FUNCTION, index), -1)
            if any(number in heap.holds[node] for node in captures(solution, wrapper)):
                found.add(wrapper)
    return found


def captures(solution: Solution, function: int) -> list[int]:
    """The nodes of the variables of enclosing functions that a function reads."""
    file, made = solution.program.functions[function]
    return [node + solution.program.offsets[file] for node in made.captures]


def replaced(solution: Solution, number: int, node: int) -> bool:
    """The function of a decorated name that is at `node` came there by that name, and not as what decorators get."""
    heap, program = solution.heap, solution.program
    decorators = [
        _only_function(solution, each) for each in _deciding(solution, int(heap.values[number].a)) if each >= 0
    ]
    given = {node for index in decorators if index is not None for node in program.parameters(index)}
    return given.isdisjoint(heap.way(number, node))


def is_found_by_name(solution: Solution, number: int, node: int) -> bool:
    """The function whose name is that of a wrapper is at `node` by this name: what is there is the wrapper."""
    value = solution.heap.values[number]
    of_wrapper = value.kind == FUNCTION and stands_for_wrapper(solution, int(value.a))
    return of_wrapper and replaced(solution, number, node)


def _only_function(solution: Solution, node: int) -> int | None:
    """The function that is all that `node` holds."""
    values = [solution.heap.values[number] for number in solution.heap.holds[node]]
    return int(values[0].a) if len(values) == 1 and values[0].kind == FUNCTION else None


def _is_renamed(solution: Solution, file: int, function: int) -> bool:
    """Code of the file, such as a decorator, gives the function a name of its own, under which pickle looks for it."""
    heap, offset = solution.heap, solution.program.offsets[file]
    number = heap.numbers.get(Value(FUNCTION, function), -1)
    stores = solution.program.facts[file].stores
    return any(attribute in _NAMES and number in heap.holds[base + offset] for base, attribute, *_ in stores)


def _may_be_renamed(solution: Solution, file: int, wrapper: int) -> bool:
    """Some call gets the wrapper, as `update_wrapper` does, or `__qualname__` is set on it."""
    heap, facts, offset = solution.heap, solution.program.facts[file], solution.program.offsets[file]

    def is_it(node: int) -> bool:
        return node >= 0 and any(
            heap.values[number].kind == FUNCTION and heap.values[number].a == wrapper
            for number in heap.holds[node + offset]
        )

    if any(attribute == "__qualname__" and is_it(base) for base, attribute, *_ in facts.stores):
        return True
    return any(
        is_it(node) and not _is_boundary(solution, call.function + offset)
        for call in facts.calls
        for node in (*call.arguments, *(value for _, value in call.keywords))
    )


def _is_boundary(solution: Solution, callee: int) -> bool:
    """What is called sends its arguments, and leaves them as they are."""
    table, held = solution.program.table, [solution.heap.values[number] for number in solution.heap.holds[callee]]
    return bool(held) and all(
        value.kind == FOREIGN and table.boundary(table.canonical(str(value.a))) is not None for value in held
    )
