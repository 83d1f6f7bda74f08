"""Containers of the graph: what is taken out and put in, and those that calls make."""

from __future__ import annotations

from ..boundaries import Table
from ..facts.records import Call
from ..facts.syntax import EACH, IN_A_DICT, SLICE
from .attributes import Attributes
from .constraints import Constraints
from .heap import CLASS, CONTAINER, FOREIGN, INSTANCE, OBJECT, Heap, Value
from .hierarchy import Hierarchy
from .keyed_methods import KeyedMethods

NAMES = ".__dict__"  # of an installed module
DEFAULT_DICT = "collections.defaultdict"  # beside what is put in it, it holds what makes that
SPREAD = -2  # in place of a node, of what is copied by `**x`
# foreign containers, of which all elements are one node
HOLDERS = frozenset({"OrderedDict", "deque", "ModuleList", "ModuleDict", "Sequential", "Namespace"})
_LISTING = frozenset(  # keep what is in the argument, not the argument
    {"ModuleList", "ModuleDict", "ConcatDataset", "DataFrame", "Series"}
)


class Containers:
    """Applies what code does with containers. Containers go by the node of their contents."""

    def __init__(
        self, heap: Heap, constraints: Constraints, table: Table, hierarchy: Hierarchy, attributes: Attributes
    ) -> None:
        self.heap, self.constraints, self.table, self.hierarchy = heap, constraints, table, hierarchy
        self.attributes = attributes
        # result of a call, or a `*args` or `**kwargs` parameter -> contents of what it makes, or of its tuple or dict
        self.of_result: dict[int, int] = {}
        self.by_default: dict[int, int] = {}  # contents of a defaultdict -> what it makes, once something is taken out
        self._pairs: set[int] = set()  # contents of the results of `x.items()`
        self._iterated: set[tuple[int, int]] = set()  # (own `__iter__`, what a loop gives)
        self.keyed = KeyedMethods(attributes.program, heap)

    def take(self, value: Value, result: int, key: str) -> None:
        """`result` is what `value` holds under `key`; any element where that is "", what a loop gives for `EACH`.

        For `SLICE` what an own class gives: a part of a list is a list, which has an edge of its own.
        """
        heap = self.heap
        if key == SLICE:
            if value.kind == INSTANCE:
                self._by_getter(value, result, "")
            return
        subscript = key != EACH
        if not subscript:
            if value.kind == CONTAINER and heap.labels[int(value.a)] == IN_A_DICT:
                heap.read_keys(int(value.a), result)
                return
            key = ""
        if value.kind == CONTAINER:
            contents = int(value.a)
            if self._has_own(value, "__getitem__" if subscript else "__iter__"):
                return  # the object itself is there, too
            self.take_out(contents, result, key)
        elif value.kind == INSTANCE:
            if subscript or not self._by_iterator(value, result):
                self._by_getter(value, result, key)
        elif value.kind == CLASS and self.hierarchy.is_enum(int(value.a)):
            self.attributes.enum_members(int(value.a), key, result)
        elif value.kind == CLASS and subscript and self.hierarchy.is_generic(int(value.a)):
            heap.add(result, heap.number(value))  # `Pipe[int]`
        elif value.kind == FOREIGN and subscript and self.table.boundary(self.table.canonical(str(value.a))):
            heap.add(result, heap.number(value))  # `DataLoader[Item]`
        elif value.kind == OBJECT and value.b >= 0 and str(value.a).rpartition(".")[2] in HOLDERS:
            heap.edge(value.b, result, heap.lines[result])
        elif value.kind == OBJECT and self._has_parts_like_it(value, key):
            heap.add(result, heap.number(value))
        elif value.kind == FOREIGN and str(value.a).endswith(NAMES):
            self._by_name(str(value.a).removesuffix(NAMES), result, key)

    def _has_own(self, value: Value, method: str) -> bool:
        """The container is an object of a class that has this method itself, whose `self` it is then."""
        owner = self.heap.bags.get(value.a, -1)
        found = self.attributes.method(owner, method) if owner >= 0 else -1
        if found >= 0 and (me := self.attributes.program.own_parameters.get(found, -1)) >= 0:
            self.heap.add(me, self.heap.number(value))
        return found >= 0

    def take_out(self, contents: int, result: int, key: str) -> None:
        """As `take`, of what has these contents, and without its own methods."""
        heap = self.heap
        if contents in self.by_default:
            heap.edge(self.by_default.pop(contents), contents, heap.lines[contents])
        if key:
            heap.read(contents, key, result)
        else:
            heap.edge(heap.every(contents), result, heap.lines[result])

    def _by_name(self, module: str, result: int, key: str) -> None:
        """What an installed module binds to `key`; one of its classes where that is not known."""
        if key:
            self.heap.add(result, self.heap.number(Value(FOREIGN, f"{module}.{key}")))
        else:
            self.attributes.load_foreign_class(module, result)

    def _by_getter(self, value: Value, result: int, key: str) -> None:
        """What the class's own `__getitem__` gives for `key` is at `result`."""
        found = self.attributes.method(int(value.a), "__getitem__")
        if found < 0:
            if self.hierarchy.is_bag(int(value.a)):
                self.take_out(self.attributes.items_of(int(value.a)), result, key)
            return
        file, function = self.attributes.program.functions[found]
        source = self.given(found, 1, key)
        if source < 0 and not function.generator:
            source = function.returns + self.attributes.program.offsets[file]
        if source >= 0:
            self.heap.edge(source, result, self.heap.lines[result])

    def _by_iterator(self, value: Value, result: int) -> bool:
        """What a loop over a dict or the like gives by the class's own `__iter__` is at `result`; False without one."""
        bag = self.hierarchy.is_bag(int(value.a))
        found = self.attributes.method(int(value.a), "__iter__") if bag else -1
        if found < 0:
            return False
        file, function = self.attributes.program.functions[found]
        given = function.returns + self.attributes.program.offsets[file]
        if function.generator:
            self.heap.edge(given, result, self.heap.lines[result])
        elif (found, result) not in self._iterated:
            self._iterated.add((found, result))
            self.pass_elements(given, result)
        return True

    def _by_setter(self, value: Value, stored: int, line: int, key: str) -> None:
        """The class's own `__setitem__` gets what is in `stored`, as its last argument."""
        found = self.attributes.method(int(value.a), "__setitem__")
        if found >= 0 and (parameters := self.attributes.program.functions[found][1].parameters):
            kept = self.kept(found, 1, len(parameters) - 1, key) if key else -1
            file = self.attributes.program.functions[found][0]
            place = kept if kept >= 0 else parameters[-1].node + self.attributes.program.offsets[file]
            self.heap.edge(stored, place, line)
        elif found < 0 and self.hierarchy.is_bag(int(value.a)):
            self.heap.edge(stored, self.attributes.items_of(int(value.a)), line)

    def given(self, index: int, place: int, key: str) -> int:
        """As `KeyedMethods.given`."""
        return self.keyed.given(index, place, key, self.pass_elements)

    def kept(self, index: int, place: int, value: int, key: str) -> int:
        """As `KeyedMethods.kept`."""
        return self.keyed.kept(index, place, value, key, self._pass_put)

    def _pass_put(self, container: int, stored: int, line: int, key: str) -> None:
        """What is in `stored` is put into all that gets to the node `container`."""
        self.constraints.add(self.constraints.puts, container, (stored, line, key))
        for number in tuple(self.heap.holds[container]):
            self.put(self.heap.values[number], stored, line, key)

    def _has_parts_like_it(self, value: Value, key: str) -> bool:
        """A pair of connections, or a dict of datasets: `load_dataset(...)["train"]`."""
        return value.a == "multiprocessing.Pipe" or (key != "" and value.b >= 0 and value.a in self.table.selective)

    def put(self, value: Value, stored: int, line: int, key: str) -> None:
        """What is in the node `stored` is put into `value` under `key`, "" where that is not known."""
        heap = self.heap
        if value.kind == CONTAINER:
            if not self._has_own(value, "__setitem__"):
                self.put_in(int(value.a), stored, line, key)
        elif value.kind == OBJECT and value.b >= 0:
            heap.edge(stored, value.b, line)
        elif value.kind == INSTANCE:
            self._by_setter(value, stored, line, key)

    def put_in(self, contents: int, stored: int, line: int, key: str) -> None:
        """As `put`, into what has these contents, and without its own methods."""
        self.heap.edge(stored, self.heap.field(contents, key) if key else contents, line)

    def pass_elements(self, source: int, target: int, key: str = "") -> None:
        """What containers at `source` hold (under `key`) is at `target`."""
        self.constraints.add(self.constraints.elements, source, (target, key))
        for number in tuple(self.heap.holds[source]):
            self.take(self.heap.values[number], target, key)

    def pass_copy(self, source: int, target: int) -> None:
        """The dict at `target` holds what mappings at `source` do: `**options`."""
        self.constraints.add(self.constraints.copies, source, (target, SPREAD))
        for number in tuple(self.heap.holds[source]):
            self.copy(self.heap.values[number], target, SPREAD)

    def pass_into(self, source: int, contents: int) -> None:
        """A dict with these contents holds what mappings at `source` do: `d.update(other)`."""
        target = self.heap.node("", self.heap.file_of[contents], self.heap.lines[source])
        self.of_result[target] = contents
        self.pass_copy(source, target)

    def copy(self, value: Value, result: int, other: int = -1) -> None:
        """`result` is a shallow copy of `value`, where that is a container: `dict(value)`; else what is in `other`."""
        heap = self.heap
        if value.kind == CONTAINER:
            contents = int(value.a)
            copy = self.contents_of(result, heap.lines[result])
            if contents in heap.bags:
                heap.bags[copy] = -1  # a plain dict
            if result in self.constraints.left_out:
                heap.left_out.update((copy, key) for key in self.constraints.left_out[result])
            heap.copy_into(contents, copy, heap.lines[result])
            heap.add(result, heap.number(Value(CONTAINER, copy)))
        elif other >= 0:
            heap.edge(other, result, heap.lines[result])
        elif other == SPREAD and value.kind == OBJECT and value.a != DEFAULT_DICT:
            contents = self.contents_of(result, heap.lines[result])
            if value.b >= 0 and str(value.a).rpartition(".")[2] in HOLDERS:
                heap.edge(value.b, contents, heap.lines[result])
            else:
                heap.add(contents, heap.number(value))
        elif other == SPREAD and value.kind == INSTANCE:
            self._by_getter(value, self.contents_of(result, heap.lines[result]), "")

    def pairs_of(self, contents: int, result: int, line: int) -> None:
        """`result` is what `.items()` of a container gives."""
        heap = self.heap
        pairs = self.contents_of(result, line)
        if pairs not in self._pairs:
            self._pairs.add(pairs)
            pair = heap.node("", heap.file_of[result], line)
            if heap.labels[contents] == IN_A_DICT:
                heap.read_keys(contents, heap.field(pair, "#0"))
            heap.edge(heap.every(contents), heap.field(pair, "#1"), line)
            heap.add_when_filled(pairs, Value(CONTAINER, pair), pair)

    def contents_of(self, result: int, line: int) -> int:
        """The contents of the container that a call gives."""
        contents = self.of_result.get(result, -1)
        if contents < 0:
            contents = self.of_result[result] = self.heap.node("", self.heap.file_of[result], line)
            self.heap.add_when_filled(result, Value(CONTAINER, contents), contents)
        return contents

    def rest_of(self, parameter: int) -> int:
        """The contents of the tuple or dict that a `*args` or `**kwargs` parameter is."""
        return self.contents_of(parameter, self.heap.lines[parameter])

    def keep(self, contents: int, offset: int, call: Call, name: str = "") -> None:
        """All arguments of `call`, which makes the foreign thing `name`, are among `contents`."""
        line, listing = call.position[0], name.rpartition(".")[2] in _LISTING
        for argument in (*call.arguments, *(value for _, value in call.keywords)):
            if argument >= 0 and listing:
                self.pass_elements(argument + offset, contents)
            elif argument >= 0:
                self.heap.edge(argument + offset, contents, line)
        for star in (*call.stars, *call.double_stars):
            if star >= 0:
                self.pass_elements(star + offset, contents)
