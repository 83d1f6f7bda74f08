"""Calls of Python's own functions, and of methods of its containers: what they hand on, and where to."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..facts.records import Call, Function
from .heap import CLASS, CONTAINER, FUNCTION, HAZARD, INSTANCE, OBJECT, SUPER, Value

if TYPE_CHECKING:
    from .solver import Solver

ANY = "<some name>"  # the attribute that `setattr(x, name, value)` sets where the name isn't known
_ELEMENT_METHODS = frozenset({"get", "pop", "popitem", "setdefault", "__getitem__", "popleft"})
_PUT_METHODS = frozenset({"append", "add", "insert", "appendleft", "put"})
_JOIN_METHODS = frozenset({"extend", "update", "union"})
_SAME_ELEMENTS = frozenset(
    {"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "filter", "itertools.chain",
     "collections.OrderedDict", "collections.deque", "dict"}
)  # fmt: skip
RECORDS = frozenset({"collections.namedtuple", "typing.NamedTuple"})
_FIELDS = frozenset({"dataclasses.field", "attr.ib", "attr.field", "attrs.field", "pydantic.Field"})
_REPLACE = frozenset({"dataclasses.replace", "attr.evolve", "attrs.evolve"})
_PAIRS = frozenset({"zip", "enumerate"})


class PythonBuiltins:
    """Follows values through these calls; what waits for a value to come is in tables by node."""

    def __init__(self, graph: Solver) -> None:
        self.graph = graph
        self.supers_at: dict[int, list[tuple[int, int]]] = defaultdict(list)  # self -> (class, result of super())
        self.copies_at: dict[int, list[int]] = defaultdict(list)  # x -> result of dict(x)
        self.types_at: dict[int, list[int]] = defaultdict(list)  # x -> result of type(x)

    def call(self, name: str, node: int, offset: int, call: Call) -> bool:
        """Calls of Python's own functions that hand values on; False for all others."""
        graph = self.graph
        result, line = call.result + offset, call.position[0]
        first = call.arguments[0] + offset if call.arguments and call.arguments[0] >= 0 else -1
        key = call.literals.get(1)
        if name == "super":
            self._super(node, result, call)
        elif name == "getattr" and first >= 0 and isinstance(key, str):
            graph.loads_at[first].append((key, result))
            for number in tuple(graph.holds[first]):
                graph._load(graph.values[number], number, key, result)
        elif name == "setattr" and first >= 0:
            if len(call.arguments) == 3 and call.arguments[2] >= 0:
                stored = call.arguments[2] + offset
                key = key if isinstance(key, str) else ANY
                self._set(first, key, stored, line)
        elif name == "type" and first >= 0 and len(call.arguments) == 1:
            self.types_at[first].append(result)
            for number in tuple(graph.holds[first]):
                if graph.values[number].kind == INSTANCE:
                    graph.add(result, graph.number(Value(CLASS, graph.values[number].a)))
        elif name in _FIELDS:
            for key, argument in call.keywords:
                if argument >= 0 and key == "default":
                    graph.edge(argument + offset, result, line)
                elif argument >= 0 and key in ("default_factory", "factory"):
                    made = Call(argument, (), (), (), (), call.result, call.position, call.text)
                    graph._call_later(argument + offset, offset, made)
        elif name in RECORDS:
            graph.add(result, graph.number(Value(OBJECT, name)))
        elif name in ("copy.copy", "copy.deepcopy") and first >= 0:
            graph.edge(first, result, line)
        elif name in _REPLACE and first >= 0:
            for key, argument in call.keywords:
                # only functions by their names: to follow `replace(x, data=data)` finds little and mixes a lot
                held = graph.holds[argument + offset] if argument >= 0 else ()
                if any(graph.values[number].kind in (FUNCTION, HAZARD) for number in held):
                    graph.edge(first, result, line)
                    self._set(first, key, argument + offset, line)
        elif name == "functools.reduce" and first >= 0 and len(call.arguments) > 1:
            element = graph.node("", graph.file_of[result], line)
            if call.arguments[1] >= 0:
                graph.pass_elements(call.arguments[1] + offset, element)
            if len(call.arguments) > 2 and call.arguments[2] >= 0:
                graph.edge(call.arguments[2] + offset, result, line)
            graph.edge(element, result, line)
            both = (call.result, element - offset)
            graph._call_later(first, offset, Call(first - offset, both, (), (), (), call.result, call.position, name))
        elif name == "map" and first >= 0 and len(call.arguments) > 1:
            contents = graph._contents(result, line)
            graph._call_later(
                first, offset, Call(first - offset, (), (), (), (), contents - offset, call.position, "map")
            )
        elif name in _SAME_ELEMENTS or name in _PAIRS:
            self._regroup(name, result, offset, call)
        else:
            return False
        return True

    def _set(self, base: int, key: str, stored: int, line: int) -> None:
        """`setattr(base, key, stored)`."""
        graph = self.graph
        graph.stores_at[base].append((key, stored, line, False))
        for number in tuple(graph.holds[base]):
            graph._store(base, graph.values[number], key, stored, line, False)

    def _regroup(self, name: str, result: int, offset: int, call: Call) -> None:
        graph = self.graph
        line = call.position[0]
        contents = graph._contents(result, line)
        arguments = call.arguments[1:] if name == "filter" else call.arguments
        if name in ("sorted", "enumerate", "iter"):
            arguments = arguments[:1]
        given = [argument for argument in arguments if argument >= 0]
        if not call.arguments and not call.keywords and not call.stars:
            graph.add(result, graph.number(Value(CONTAINER, contents)))
        target = contents
        if name in _PAIRS:  # tuples of elements
            target = graph.node("", graph.file_of[result], line)
            graph.add_when_filled(contents, Value(CONTAINER, target), target)
        for at, argument in enumerate(arguments):
            if argument < 0:
                continue
            place = 1 if name == "enumerate" else at
            graph.pass_elements(argument + offset, graph.field(target, f"#{place}") if name in _PAIRS else target)
        if name == "dict":
            for key, argument in call.keywords:
                if argument >= 0:
                    graph.edge(argument + offset, graph.field(contents, key), line)
            for other in (*call.double_stars, *given):  # its keys are kept
                if other >= 0:
                    self.copies_at[other + offset].append(result)
                    for number in tuple(graph.holds[other + offset]):
                        self.copy(graph.values[number], result)

    def copy(self, value: Value, result: int) -> None:
        graph = self.graph
        if value.kind == CONTAINER:
            contents = int(value.a)
            copy = graph._contents(result, graph.lines[result])
            if contents in graph.bags:
                graph.bags.add(copy)
            graph.copy_into(contents, copy, graph.lines[result])
            graph.add(result, graph.number(Value(CONTAINER, copy)))

    def _super(self, node: int, result: int, call: Call) -> None:
        graph = self.graph
        file = graph.file_of[node]
        function: Function | None = graph.facts[file].functions[call.scope] if call.scope >= 0 else None
        if function is None or function.kind != "method" or not function.parameters:
            return
        owner = graph.class_offset[file] + function.owner
        parameter = function.parameters[0].node + graph.offsets[file]
        self.supers_at[parameter].append((owner, result))
        for number in tuple(graph.holds[parameter]):
            if graph.values[number].kind in (INSTANCE, CLASS):
                graph.add(result, graph.number(Value(SUPER, owner, number)))

    def call_container_method(self, method: str, contents: int, offset: int, call: Call) -> None:
        graph = self.graph
        result, line = call.result + offset, call.position[0]
        literal = call.literals.get(0)
        key = literal if isinstance(literal, str) else ""
        if method in _PUT_METHODS:
            for argument in call.arguments:
                if argument >= 0:
                    graph.edge(argument + offset, contents, line)
        elif method in _JOIN_METHODS:
            for argument in call.arguments:
                if argument >= 0:
                    graph.pass_elements(argument + offset, contents)
            for name, argument in call.keywords:
                if argument >= 0:
                    graph.edge(argument + offset, graph.field(contents, name), line)
        elif method in _ELEMENT_METHODS:
            held = graph.number(Value(CONTAINER, contents))
            graph._element(graph.values[held], result, key)
            for argument in call.arguments[1:]:  # the default
                if argument >= 0:
                    graph.edge(argument + offset, result, line)
                    if method == "setdefault":
                        graph._put(graph.values[held], argument + offset, line, key)
        elif method == "copy":
            self.copy(Value(CONTAINER, contents), result)
        elif method == "values":
            graph.edge(graph.every(contents), graph._contents(result, line), line)
        elif method == "items":
            pairs = graph._contents(result, line)
            if pairs not in graph.rest_of:
                pair = graph.rest_of[pairs] = graph.node("", graph.file_of[result], line)
                graph.edge(graph.every(contents), graph.field(pair, "#1"), line)
                graph.add_when_filled(pairs, Value(CONTAINER, pair), pair)
