"""Calls of Python's own functions, and of methods of its containers: which values they pass on, and where to."""

from __future__ import annotations

from dataclasses import replace

from ..facts.records import Call, Function
from ..kinds import ANY, FunctionKind
from .attributes import CONTAINER_METHODS, NEW, NO_CLASS, Attributes
from .constraints import Constraints
from .containers import Containers
from .heap import CLASS, CONTAINER, FOREIGN, FUNCTION, HAZARD, INSTANCE, MODULE, OBJECT, SUPER, Heap, Value
from .hierarchy import BAGS
from .program import Program

_ELEMENT_METHODS = frozenset({"get", "pop", "popitem", "setdefault", "__getitem__", "popleft"})
_PUT_METHODS = frozenset({"append", "add", "insert", "appendleft", "put"})
_JOIN_METHODS = frozenset({"extend", "update", "union"})
_SAME_ELEMENTS = frozenset(
    {"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "filter", "itertools.chain", "itertools.cycle",
     "collections.OrderedDict", "collections.deque", "dict"}
)  # fmt: skip
_NEW_CLASS = "type.__new__"
_ONE_OF = frozenset({"next", "random.choice", "max", "min"})
RECORDS = frozenset({"collections.namedtuple", "typing.NamedTuple"})
_GIVE_IT = frozenset({"copy.copy", "copy.deepcopy", "functools.update_wrapper"})  # their first argument, or a copy
_REPLACE = frozenset({"dataclasses.replace", "attr.evolve", "attrs.evolve"})
_LOOK_UP = frozenset({"getattr", "vars", "globals", "eval"})
_METHODS = ("staticmethod", "classmethod")
_PAIRS = frozenset({"zip", "enumerate"})
_SOME_CLASS = "<class>"


class PythonBuiltins:
    """Applies these calls. `offset` is always that of the file with the call."""

    def __init__(
        self, program: Program, heap: Heap, constraints: Constraints, attributes: Attributes, containers: Containers
    ) -> None:
        self.program, self.heap, self.constraints = program, heap, constraints
        self.attributes, self.containers = attributes, containers
        self.takes_class: dict[int, int] = {}  # lambdas in `classmethod`, each with what its first parameter gets

    def call(self, name: str, node: int, offset: int, call: Call) -> bool:
        """Apply a call of one of Python's own functions that pass values on; False for all others."""
        heap = self.heap
        result, line = call.result + offset, call.position[0]
        first = call.arguments[0] + offset if call.arguments and call.arguments[0] >= 0 else -1
        key = call.literals.get(1)
        if name == "super":
            self._super(node, result, call)
        elif name == "getattr" and first >= 0 and isinstance(key, str):
            self._get(first, key, result)
        elif name in _LOOK_UP:
            return self._look_up(name, first, offset, call)
        elif name == "setattr" and first >= 0:
            if len(call.arguments) == 3 and call.arguments[2] >= 0:
                stored = call.arguments[2] + offset
                key = key if isinstance(key, str) else ANY
                self._set(first, key, stored, line)
        elif name == "object.__setattr__" and first >= 0:
            if len(call.arguments) == 3 and call.arguments[2] >= 0 and isinstance(key, str):
                self._set(first, key, call.arguments[2] + offset, line)
        elif name in _ONE_OF or name == "dict.fromkeys":
            self._hand_on(name, first, offset, call)
        elif name == "type" and first >= 0 and len(call.arguments) == 1:
            self.constraints.add(self.constraints.types, first, result)
            for value in [heap.values[number] for number in heap.holds[first]]:
                if value.kind == INSTANCE:
                    heap.add(result, heap.number(Value(CLASS, value.a)))
        elif name in (NEW, _NEW_CLASS) and first >= 0:
            self.constraints.add(self.constraints.made, first, result)
            for value in [heap.values[number] for number in heap.holds[first]]:
                if value.kind == CLASS:
                    self.attributes.make(int(value.a), result)
        elif name == "types.MethodType" and first >= 0:  # pickle looks on the object for a method of that name
            heap.edge(first, result, line)
        elif name in _METHODS and first >= 0:  # `fold = staticmethod(lambda ...)`: a call of `fold` calls it
            self._lambda_as_method(name, first, result)
        elif name in RECORDS:
            heap.add(result, heap.number(Value(OBJECT, name)))
        elif name in _GIVE_IT and first >= 0:
            heap.edge(first, result, line)
        elif name == "functools.wraps":
            self._wraps(result, line)
        elif name in _REPLACE and first >= 0:
            heap.edge(first, result, line)  # another object of the same class
            for key, argument in call.keywords:
                # only functions by their names: to follow `replace(x, data=data)` finds little and mixes a lot
                held = heap.holds[argument + offset] if argument >= 0 else ()
                if any(heap.values[number].kind in (FUNCTION, HAZARD) for number in held):
                    self._set(first, key, argument + offset, line)
        elif name in _SAME_ELEMENTS or name in _PAIRS:
            self._regroup(name, result, offset, call)
        elif first >= 0 and _is_of_container(name):
            self._call_by_class(name.rpartition(".")[2], first, offset, call)
        else:
            return False
        return True

    def _wraps(self, result: int, line: int) -> None:
        """`functools.wraps(other)(fn)` gives `fn`."""
        for offset, call in tuple(self.constraints.calls.get(result, ())):
            if call.arguments and call.arguments[0] >= 0:
                self.heap.edge(call.arguments[0] + offset, call.result + offset, line)

    def _call_by_class(self, method: str, first: int, offset: int, call: Call) -> None:
        """`dict.get(table, name)`: the method of the builtin class, whatever else the class of `table` has as `get`."""
        heap, line = self.heap, call.position[0]
        base, callee = (heap.node("", heap.file_of[call.result + offset], line) for _ in range(2))
        literals = {key - 1 if isinstance(key, int) else key: value for key, value in call.literals.items() if key != 0}
        bound = replace(call, arguments=call.arguments[1:], literals=literals)
        self.constraints.add(self.constraints.calls, callee, (offset, bound))
        self._look_above(first, NO_CLASS, base)
        self._get(base, method, callee)

    def _lambda_as_method(self, name: str, first: int, result: int) -> None:
        heap = self.heap
        for number in tuple(heap.holds[first]):
            value = heap.values[number]
            if value.kind == FUNCTION and self.program.functions[int(value.a)][1].kind is FunctionKind.LAMBDA:
                heap.add(result, number, first)
                if name == "classmethod":
                    self.takes_class[int(value.a)] = heap.number(Value(FOREIGN, _SOME_CLASS))

    def _hand_on(self, name: str, first: int, offset: int, call: Call) -> None:
        """`next(fns, other)`, `random.choice(fns)`, `max(fns, key=len)`, `dict.fromkeys(keys, value)`."""
        result, line = call.result + offset, call.position[0]
        if name in ("max", "min") and len(call.arguments) > 1:
            self.heap.edge(first, result, line) if first >= 0 else None
        elif name in _ONE_OF and first >= 0:
            self.containers.pass_elements(first, result)
        target = result if name in _ONE_OF else self.containers.contents_of(result, line)
        for argument in call.arguments[1:]:
            if argument >= 0:
                self.heap.edge(argument + offset, target, line)

    def _get(self, base: int, key: str, result: int) -> None:
        """`getattr(base, key)`."""
        self.constraints.add(self.constraints.loads, base, (key, result))
        for number in tuple(self.heap.holds[base]):
            self.attributes.load(self.heap.values[number], number, key, result)

    def _set(self, base: int, key: str, stored: int, line: int) -> None:
        """`setattr(base, key, stored)`."""
        heap = self.heap
        self.constraints.add(self.constraints.stores, base, (key, stored, line, False))
        for number in tuple(heap.holds[base]):
            self.attributes.store(base, heap.values[number], key, stored, line, False)

    def _look_up(self, name: str, first: int, offset: int, call: Call) -> bool:
        """What stands under a name that is not known: a class of the module, out of a configuration."""
        result = call.result + offset
        file = self.heap.file_of[result]
        if name == "globals":
            self.attributes.module_names.add_namespace(file, result)
        elif name == "vars" and first >= 0:
            self._namespace(first, result)
        elif name == "getattr" and first >= 0 and len(call.arguments) > 1:
            self.attributes.look_up(first, result)
        elif name == "eval" and 0 not in call.literals and result in self.constraints.calls:
            self.attributes.look_up_class(file, result)
        else:
            return False  # `eval` of a text that stands there, or that is not called at once: it may be any expression
        return True

    def _namespace(self, module: int, result: int) -> None:
        """`result` is what `vars` gives of the modules in the node `module`."""
        self.constraints.add(self.constraints.namespaces, module, result)
        for number in tuple(self.heap.holds[module]):
            value = self.heap.values[number]
            if value.kind in (MODULE, FOREIGN):
                self.attributes.load(value, number, "__dict__", result)

    def _regroup(self, name: str, result: int, offset: int, call: Call) -> None:
        heap = self.heap
        line = call.position[0]
        contents = self.containers.contents_of(result, line)
        arguments = call.arguments[1:] if name == "filter" else call.arguments
        if name in ("sorted", "enumerate", "iter"):
            arguments = arguments[:1]
        given = [argument for argument in arguments if argument >= 0]
        if not call.arguments and not call.keywords and not call.stars:
            heap.add(result, heap.number(Value(CONTAINER, contents)))
        target = contents
        if name in _PAIRS:  # tuples of elements
            target = heap.node("", heap.file_of[result], line)
            heap.add_when_filled(contents, Value(CONTAINER, target), target)
        for at, argument in enumerate(arguments):
            if argument < 0:
                continue
            place = 1 if name == "enumerate" else at
            self.containers.pass_elements(
                argument + offset, heap.field(target, f"#{place}") if name in _PAIRS else target
            )
        if name == "dict":
            for key, argument in call.keywords:
                if argument >= 0:
                    heap.edge(argument + offset, heap.field(contents, key), line)
            for other in (*call.double_stars, *given):  # its keys are kept
                if other >= 0:
                    self.constraints.add(self.constraints.copies, other + offset, (result, -1))
                    for number in tuple(heap.holds[other + offset]):
                        self.containers.copy(heap.values[number], result)

    def _super(self, node: int, result: int, call: Call) -> None:
        heap = self.heap
        file = heap.file_of[node]
        function: Function | None = self.program.facts[file].functions[call.scope] if call.scope >= 0 else None
        if function is None or function.kind is not FunctionKind.METHOD or not function.parameters:
            return
        owner = self.program.class_offset[file] + function.owner
        parameter = function.parameters[0].node + self.program.offsets[file]
        self._look_above(parameter, owner, result)

    def _look_above(self, node: int, owner: int, result: int) -> None:
        """`result` is `super()` of what is at `node` in a method of the class `owner`."""
        heap = self.heap
        self.constraints.add(self.constraints.supers, node, (owner, result))
        for number in tuple(heap.holds[node]):
            if self.attributes.has_super(heap.values[number], owner):
                heap.add(result, heap.number(Value(SUPER, owner, number)))

    def call_container_method(self, method: str, contents: int, offset: int, call: Call) -> None:
        heap = self.heap
        result, line = call.result + offset, call.position[0]
        literal = call.literals.get(0)
        key = literal if isinstance(literal, str) else ""
        if method == "__setitem__":
            if len(call.arguments) == 2 and call.arguments[1] >= 0:
                self.containers.put_in(contents, call.arguments[1] + offset, line, key)
        elif method in _PUT_METHODS:
            for argument in call.arguments:
                if argument >= 0:
                    heap.edge(argument + offset, contents, line)
        elif method in _JOIN_METHODS:
            for argument in call.arguments:
                if argument < 0:
                    continue
                if method == "update":  # the keys are kept
                    self.containers.pass_into(argument + offset, contents)
                else:
                    self.containers.pass_elements(argument + offset, contents)
            for name, argument in call.keywords:
                if argument >= 0:
                    heap.edge(argument + offset, heap.field(contents, name), line)
        elif method in _ELEMENT_METHODS:
            self.containers.take_out(contents, result, key)
            for argument in call.arguments[1:]:  # the default
                if argument >= 0:
                    heap.edge(argument + offset, result, line)
                    if method == "setdefault":
                        self.containers.put_in(contents, argument + offset, line, key)
            if method == "setdefault" and call.arguments and call.arguments[0] >= 0:  # the key
                heap.edge(call.arguments[0] + offset, contents, line)
        elif method in ("copy", "_replace"):  # the latter of a namedtuple
            self.containers.copy(Value(CONTAINER, contents), result)
            for name, argument in call.keywords:
                if argument >= 0:
                    heap.edge(argument + offset, heap.field(self.containers.contents_of(result, line), name), line)
        elif method == "values":
            heap.edge(heap.every(contents), self.containers.contents_of(result, line), line)
        elif method == "items":
            self.containers.pairs_of(contents, result, line)


def _is_of_container(name: str) -> bool:
    """`dict.get`, `list.append`: a method of a builtin container, by its class."""
    base, _, method = name.rpartition(".")
    return base in BAGS and method in CONTAINER_METHODS and method not in ("__init__", "__new__")
