"""Finds code that inspects a function (`__name__`, `inspect.signature`), or distinguishes it from an equal one.

Two calls of a function that makes a function or class give two of them. A comparison, a dict or set with such keys, and
attributes that are set on them show it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple

from ..facts.records import Call, FileFacts
from ..solve.deferred_calls import STANDS_NOWHERE
from ..solve.heap import CLASS, CONTAINER, FOREIGN, FUNCTION, INSTANCE, OBJECT, Value
from ..solve.solution import Solution
from .places import Places

_ATTRIBUTES = frozenset(
    {"__name__", "__qualname__", "__doc__", "__module__", "__code__", "__defaults__", "__kwdefaults__", "__globals__",
     "__closure__", "__annotations__", "__get__", "__self__", "__func__", "__class__"}
)  # fmt: skip
_CALLS = frozenset(
    {"inspect.isfunction", "inspect.isroutine", "inspect.getsource", "inspect.getdoc", "inspect.getsourcelines",
     "functools.wraps", "functools.update_wrapper", "types.MethodType", "typing.get_type_hints", "inspect.ismethod",
     "inspect.getfullargspec", "inspect.signature", "inspect.getattr_static", "type", "inspect.getclosurevars",
     "inspect.getcallargs", "inspect.get_annotations", "inspect.getfile", "inspect.getsourcefile",
     "inspect.findsource", "inspect.getcomments", "inspect.getmodule", "inspect.isgeneratorfunction",
     "inspect.iscoroutinefunction", "inspect.isasyncgenfunction", "asyncio.iscoroutinefunction",
     "dis.dis", "dis.disassemble", "dis.Bytecode", "dis.get_instructions", "dis.code_info", "dis.show_code"}
)  # fmt: skip
_TOLD_APART_BY = frozenset(
    {"id", "hash", "set", "frozenset", "weakref.ref", "weakref.WeakSet", "weakref.finalize", "setattr", "vars",
     "collections.Counter", "dict.fromkeys"}
)  # fmt: skip
_TOLD_APART_BY_METHODS = frozenset(
    {"add", "count", "discard", "fromkeys", "index", "register", "remove", "setdefault", "unregister",
     "__subclasses__"}
)  # fmt: skip
_TAKE_CONTAINERS = frozenset(
    {"set", "frozenset", "weakref.WeakSet", "collections.Counter", "dict.fromkeys", "isinstance", "issubclass"}
)  # they look at what is in a list or tuple
_CLASS_TESTS = frozenset({"isinstance", "issubclass"})
_SHOWN_BY = frozenset({"print", "str", "repr", "format", "ascii"})
AS_TEXT = frozenset({"repr", "str", "ascii"})
_CACHES = frozenset({"functools.lru_cache", "functools.cache"})
_BY_VALUE = frozenset({"compared", "put in a set", "a key of a dict"})  # what is in it is compared, too
_NESTED = 2  # dataclasses and tuples in each other
_OF_PARTIALS = frozenset({"args", "func", "keywords"})
_TYPES = frozenset({"types.FunctionType", "types.LambdaType"})
# names of classes that may be types of functions
_LIKE_FUNCTIONS = re.compile(r"func|lambda|method|partial|callable|builtin", re.IGNORECASE)
COPY, THREAD = "copy.copy", "threading.Thread"
UNKNOWN = "?"  # in place of how many arguments a call gives
OF_ITS_PARTIAL = "of its partial: "  # what a partial that the program makes of it holds
ON_A_CLASS = "<kept on a class>"  # a class turns functions into methods, and nothing else


class Question(NamedTuple):
    """At `path`:`line` a function is inspected; `what`: by which attribute, or by which function (dotted)."""

    what: str
    path: str
    line: int
    node: int


def _type_tests(solution: Solution, ours: Set[int]) -> Iterator[tuple[bool, int, int, tuple[int, ...]]]:
    """The tests of types by name: whether a type that is named may be one of `ours` or that of what takes its place.

    With the file, the line, and the nodes of `type(x)` and of that type.
    """
    for at, facts in enumerate(solution.program.facts):
        offset = solution.program.offsets[at]
        for asked, named, line in facts.type_tests:
            held = solution.heap.holds[named + offset] if named >= 0 else ()
            others = named < 0 or (bool(held) and all(_is_a_class(solution.heap.values[number]) for number in held))
            yield (
                not others or not ours.isdisjoint(held),
                at,
                line,
                (asked + offset, named + offset)[: 1 + (named >= 0)],
            )


def _is_a_class(value: Value) -> bool:
    """It is a class of the repository, or one from outside that is no type of functions and what stands for them."""
    if value.kind == FOREIGN:
        return _LIKE_FUNCTIONS.search(str(value.a).rpartition(".")[2]) is None
    return value.kind == CLASS


def _questions(solution: Solution) -> Iterator[Question]:
    for node, loads in solution.constraints.loads.items():
        for attribute, result in loads:
            if attribute in _ATTRIBUTES:
                yield Question(
                    attribute, solution.program.files[solution.heap.file_of[result]], solution.heap.lines[result], node
                )
    for at, facts in enumerate(solution.program.facts):
        for call in facts.calls:
            name = call.literals.get(1)
            if (
                call.text in ("hasattr", "getattr")
                and name in _ATTRIBUTES
                and call.arguments
                and call.arguments[0] >= 0
            ):
                yield Question(
                    str(name),
                    solution.program.files[at],
                    call.position[0],
                    call.arguments[0] + solution.program.offsets[at],
                )
    tests = list(_type_tests(solution, frozenset()))
    harmless = {nodes[0] for *_, nodes in tests} - {nodes[0] for matters, _, _, nodes in tests if matters}
    for node, calls in solution.constraints.calls.items():
        for held in solution.heap.holds[node]:
            value = solution.heap.values[held]
            if value.kind == FOREIGN and (value.a in _CALLS or value.a == "isinstance"):
                for offset, call in calls:
                    asked = _asked(solution, str(value.a), offset, call)
                    if asked >= 0 and call.result + offset not in harmless:
                        file = solution.program.files[solution.heap.file_of[call.result + offset]]
                        yield Question(str(value.a), file, call.position[0], asked)


def _passed(solution: Solution) -> Iterator[Question]:
    """`copy.copy(fn)`, `repr(fn)`, and threads that run `fn` and are called after it, since they get no name."""
    for node, calls in solution.constraints.calls.items():
        for held in solution.heap.holds[node]:
            value = solution.heap.values[held]
            if value.kind != FOREIGN or value.a not in (COPY, THREAD, *AS_TEXT):
                continue
            for offset, call in calls:
                keywords = dict(call.keywords)
                if value.a == THREAD and ("name" in keywords or "name" in call.literals or len(call.arguments) > 2):
                    continue
                place = 1 if value.a == THREAD else 0
                argument = call.arguments[place] if len(call.arguments) > place else keywords.get("target", -1)
                if argument >= 0:
                    file = solution.program.files[solution.heap.file_of[call.result + offset]]
                    yield Question(str(value.a), file, call.position[0], argument + offset)


def _of_partials(solution: Solution) -> Iterator[Question]:
    """`made.args` of a partial: the partial of a partial joins what both hold."""
    for node, loads in solution.constraints.loads.items():
        for attribute, result in loads if any(attribute in _OF_PARTIALS for attribute, _ in loads) else ():
            for number in tuple(solution.heap.holds[node]) if attribute in _OF_PARTIALS else ():
                value = solution.heap.values[number]
                if value.kind == OBJECT and value.a == "functools.partial" and value.b >= 0:
                    file = solution.program.files[solution.heap.file_of[result]]
                    yield Question(OF_ITS_PARTIAL + attribute, file, solution.heap.lines[result], value.b)


def _kept_on_classes(solution: Solution) -> Iterator[Question]:
    """`SomeClass.name = fn` and `setattr(SomeClass, name, fn)`, whatever the class is called there."""
    classes = {number for number, value in enumerate(solution.heap.values) if value.kind == CLASS}
    for at, facts in enumerate(solution.program.facts):
        offset = solution.program.offsets[at]
        for base, _, value, line, _ in facts.stores:
            if not classes.isdisjoint(solution.heap.holds[base + offset]):
                yield Question(ON_A_CLASS, solution.program.files[at], line, value + offset)
        for call in facts.calls:
            if call.text != "setattr" or len(call.arguments) != 3 or min(call.arguments[0], call.arguments[2]) < 0:
                continue
            if not classes.isdisjoint(solution.heap.holds[call.arguments[0] + offset]):
                yield Question(ON_A_CLASS, solution.program.files[at], call.position[0], call.arguments[2] + offset)


def _asked(solution: Solution, name: str, offset: int, call: Call) -> int:
    """The node of the function that `call` looks at, -1 for none."""
    place = 1 if name == "functools.update_wrapper" else 0
    if len(call.arguments) <= place or call.arguments[place] < 0:
        return -1
    if name == "isinstance":
        types = call.arguments[1] if len(call.arguments) > 1 else -1
        if types < 0 or not _holds_type(solution, types + offset):
            return -1
    return call.arguments[place] + offset


def _holds_type(solution: Solution, types: int) -> bool:
    """The second argument of `isinstance` is a type of functions, or has one in its tuples."""
    todo, seen = [types], set[int]()
    while todo:
        node = todo.pop()
        seen.add(node)
        values = (solution.heap.values[number] for number in solution.heap.holds[node])
        if any(value.kind == FOREIGN and value.a in _TYPES for value in values):
            return True
        todo += [each for each in _inside(solution, node) if each not in seen]
    return False


class Seen(NamedTuple):
    """Where functions and lambdas get to, by value number: questions, calls and names at module level."""

    questions: Mapping[int, list[Question]]
    # `what` is how many arguments stand by position, "*" with a star, `UNKNOWN` where a process gets a tuple of them
    calls: Mapping[int, list[Question]]
    names: Mapping[int, list[Question]]  # `what` is the name
    identities: Mapping[int, list[Question]]  # of functions, and of local classes and their instances
    passed: Mapping[int, list[Question]]  # `what` is COPY, THREAD or one of AS_TEXT
    shown: Mapping[int, list[Question]]  # of instances of local classes: what makes a text of them


def look(solution: Solution) -> Seen:
    """One pass over the graph."""
    ours = {number for number, value in enumerate(solution.heap.values) if value.kind == FUNCTION}
    seen = Seen(*(defaultdict[int, list[Question]](list) for _ in Seen._fields))

    def note(found: Mapping[int, list[Question]], question: Question) -> None:
        for number in ours.intersection(solution.heap.holds[question.node]):
            found[number].append(question)

    for question in sorted({*_questions(solution), *_of_partials(solution), *_kept_on_classes(solution)}):
        note(seen.questions, question)
    for question in sorted(set(_passed(solution))):
        note(seen.passed, question)
    for node, calls in solution.constraints.calls.items():
        for offset, call in calls if not ours.isdisjoint(solution.heap.holds[node]) else ():
            starred = UNKNOWN if call.text in STANDS_NOWHERE else "*"
            count = starred if call.stars else str(len(call.arguments))
            file = solution.program.files[solution.heap.file_of[call.result + offset]]
            note(seen.calls, Question(count, file, call.position[0], node))
    for at, facts in enumerate(solution.program.facts):
        for name, own in facts.module_names.items():
            node = own + solution.program.offsets[at]
            note(seen.names, Question(name, solution.program.files[at], solution.heap.lines[node], node))
    local = {index for index, (_, made) in enumerate(solution.program.classes) if made.nested}
    made = {
        number
        for number, value in enumerate(solution.heap.values)
        if value.kind in (CLASS, INSTANCE) and value.a in local
    }
    ours |= made
    tested = (
        Question("compared", solution.program.files[at], line, node)
        for matters, at, line, nodes in _type_tests(solution, ours)
        for node in (nodes if matters else ())
    )
    for question in sorted({*_identity_questions(solution, ours), *tested}):
        for number in ours.intersection(solution.heap.holds[question.node]):
            seen.identities[number].append(question)
    for question in sorted(set(_shown(solution))) if made else ():
        for number in made.intersection(solution.heap.holds[question.node]):
            seen.shown[number].append(question)
    return seen


def _shown(solution: Solution) -> Iterator[Question]:
    """`print(value)` and the like, also for what a list or dict holds."""
    for node, calls in solution.constraints.calls.items():
        names = {solution.heap.values[held].a for held in solution.heap.holds[node]} & _SHOWN_BY
        for offset, call in calls if names else ():
            file = solution.program.files[solution.heap.file_of[call.result + offset]]
            for argument in (each + offset for each in call.arguments if each >= 0):
                for inner in (argument, *_inside(solution, argument)):
                    yield Question(str(min(map(str, names))), file, call.position[0], inner)


def _identity_questions(solution: Solution, ours: Set[int]) -> Iterator[Question]:
    """Places that distinguish a function, class or object (of `ours`) from another that does the same."""
    below: dict[tuple[int, int], list[int]] = {}
    inside: dict[int, list[int]] = {}

    def question(what: str, at: int, line: int, node: int) -> Question:
        return Question(what, solution.program.files[at], line, node)

    def compared(node: int) -> list[int]:
        return _compared_too(solution, node, ours, below, inside)

    for at, facts in enumerate(solution.program.facts):
        offset = solution.program.offsets[at]
        whole = attribute_dicts(facts) if facts.distinguished else {}
        for node, what, line in facts.distinguished:
            for each in compared(node + offset) if what in _BY_VALUE else (node + offset,):
                yield question(what, at, line, each)
            for kept in _attributes(solution, whole[node] + offset) if node in whole else ():
                for each in compared(kept):
                    yield question(what, at, line, each)
        for base, attribute, result in facts.loads:
            if attribute in ("__dict__", "__subclasses__"):
                yield question(f"asked for its `{attribute}`", at, facts.lines[result], base + offset)
        for call in facts.calls:
            method = call.text.rpartition(".")[2]
            if "." in call.text and method in _TOLD_APART_BY_METHODS:
                for argument in call.arguments:
                    if argument >= 0:
                        for each in compared(argument + offset):
                            yield question(f"passed to `{call.text}`", at, call.position[0], each)
    for node, calls in solution.constraints.calls.items():
        for held in tuple(solution.heap.holds[node]):
            value = solution.heap.values[held]
            if value.kind not in (FOREIGN, OBJECT):
                continue
            places = (0,) if value.a in _TOLD_APART_BY else (1,) if value.a in _CLASS_TESTS else ()
            for offset, call in calls:
                at = solution.heap.file_of[call.result + offset]
                for place in places:
                    if len(call.arguments) > place and call.arguments[place] >= 0:
                        argument = call.arguments[place] + offset
                        yield question(f"passed to `{value.a}`", at, call.position[0], argument)
                        for inner in _inside(solution, argument) if value.a in _TAKE_CONTAINERS else ():
                            yield question(f"passed to `{value.a}`", at, call.position[0], inner)
                if value.a in _CACHES:
                    made = [
                        (offset, call),
                        *solution.constraints.calls.get(call.result + offset, ()),
                    ]  # `@lru_cache(None)` too
                    for shift, decoration in made:
                        if decoration.arguments and decoration.arguments[0] >= 0:
                            yield from _cached(solution, decoration.arguments[0] + shift, at, call.position[0])


def _compared_too(
    solution: Solution, node: int, ours: Set[int], known: dict[tuple[int, int], list[int]],
    known_inside: dict[int, list[int]], depth: int = 0,
) -> list[int]:  # fmt: skip
    """The nodes with values of `ours` that are compared with `node`: it, fields of dataclasses, elements of tuples."""
    if (node, depth) in known:
        return known[node, depth]
    heap = solution.heap
    found: dict[int, None] = {} if ours.isdisjoint(heap.holds[node]) else {node: None}
    for number in tuple(heap.holds[node]) if depth < _NESTED else ():
        inner = known_inside.get(number)
        if inner is None:
            inner = known_inside[number] = _compared_inside(solution, number)
        for held in inner:
            found.update(dict.fromkeys(_compared_too(solution, held, ours, known, known_inside, depth + 1)))
    return known.setdefault((node, depth), list(found))


def _compared_inside(solution: Solution, number: int) -> list[int]:
    """The nodes of what is compared where the value `number` is: elements, or fields of dataclasses."""
    heap, value = solution.heap, solution.heap.values[number]
    inner: list[int] = []
    if value.kind == CONTAINER:
        inner = [int(value.a), *heap.fields.get(int(value.a), {}).values()]
    elif value.kind == INSTANCE:
        for owner in solution.hierarchy.order(int(value.a)):
            made = solution.program.classes[owner][1]
            attributes = solution.attributes.get(owner, {}) if made.record else {}
            inner += [held for name, held in attributes.items() if name in made.fields]
    return inner


def attribute_dicts(facts: FileFacts) -> dict[int, int]:
    """The nodes of `x.__dict__` and `vars(x)`, each with that of `x`: who compares one compares all attributes."""
    found = {result: base for base, attribute, result in facts.loads if attribute == "__dict__"}
    for call in facts.calls:
        if call.text == "vars" and len(call.arguments) == 1 and call.arguments[0] >= 0:
            found[call.result] = call.arguments[0]
    return found


def _attributes(solution: Solution, node: int) -> Iterator[int]:
    """What the objects of the repository in `node` keep."""
    for number in tuple(solution.heap.holds[node]):
        value = solution.heap.values[number]
        if value.kind == INSTANCE:
            for owner in solution.hierarchy.order(int(value.a)):
                yield from solution.attributes.get(owner, {}).values()


def _inside(solution: Solution, node: int) -> Iterator[int]:
    """The nodes of what the containers in `node` hold: `isinstance(x, (A, B))`."""
    for number in tuple(solution.heap.holds[node]):
        value = solution.heap.values[number]
        if value.kind == CONTAINER:
            yield from (int(value.a), *solution.heap.fields.get(int(value.a), {}).values())


def _cached(solution: Solution, node: int, at: int, line: int) -> Iterator[Question]:
    """The parameters of functions whose results are kept by argument."""
    for number in tuple(solution.heap.holds[node]):
        value = solution.heap.values[number]
        if value.kind == FUNCTION:
            for parameter in solution.program.parameters(int(value.a)):
                yield Question("a key of a cache", solution.program.files[at], line, parameter)


def reaching(places: Places, found: Mapping[int, list[Question]], path: str, line: int, column: int) -> list[Question]:
    """What of `found` the function or lambda at this position (as in `ast`) really gets to."""
    number = places.number_of_function(path, line, column)
    return without_nodes(each for each in found.get(number, ()) if places.gets_to(number, each.node))


def without_nodes(questions: Iterable[Question]) -> list[Question]:
    """As others may see them: numbers of nodes are of no use without the solution."""
    return [question._replace(node=-1) for question in questions]
