"""Inclusion-based points-to analysis over the facts of a repo: which values can be in which node.

Field-sensitive for attributes of the repo's own classes (one abstract instance per class), one content node per container or
foreign object, flow- and context-insensitive. Every (node, value) pair remembers where it came from, so that a path can be
told afterwards. Linear in practice: each pair is handled once.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from .boundaries import Boundary, Table
from .facts import Call, Class, FileFacts, Function
from .modules import Modules

MAX_STEPS = 20_000_000  # pairs handled before the analysis gives up looking further
_MAX_DOTS = 8  # longer dotted names are not followed

FUNCTION, CLASS, INSTANCE, BOUND, CONTAINER, FOREIGN, OBJECT, MODULE, HAZARD, SUPER = range(10)


class Value(NamedTuple):
    """An abstract value. `kind` says what `a` and `b` are."""

    kind: int
    a: (
        int | str
    )  # FUNCTION, CLASS, INSTANCE, SUPER, HAZARD: index; BOUND: function; CONTAINER: content node; FOREIGN, OBJECT: dotted name; MODULE: file
    b: int = -1  # BOUND, FOREIGN: receiver (a value number); OBJECT: content node; SUPER: receiver


@dataclass(frozen=True, slots=True)
class Sink:
    """An argument of a boundary call. `crosses` False: a boundary that this call is known not to reach (num_workers=0)."""

    node: int
    boundary: str
    argument: str
    path: str
    line: int
    crosses: bool


class Hazard(NamedTuple):
    """A value that plain pickle rejects whatever holds it: `kind` and where it is made."""

    kind: str
    path: str
    position: tuple[int, int, int, int]


_ELEMENT_METHODS = frozenset(
    {"get", "pop", "popitem", "values", "items", "setdefault", "__getitem__", "popleft", "copy"}
)
_PUT_METHODS = frozenset({"append", "add", "insert", "setdefault", "appendleft", "put"})
_JOIN_METHODS = frozenset({"extend", "update", "union"})
_PASS_ELEMENTS = frozenset({"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "enumerate", "zip", "dict", "filter",
                            "copy.copy", "copy.deepcopy", "itertools.chain", "collections.OrderedDict", "collections.deque"})  # fmt: skip


class Solver:
    """Lays the files side by side and solves. Node and value numbers are valid for this solver only."""

    def __init__(self, facts: Mapping[str, FileFacts], table: Table) -> None:
        self.table = table
        self.files = list(facts)
        self.facts = [facts[path] for path in self.files]
        self.file_index = {path: index for index, path in enumerate(self.files)}
        self.modules = Modules(self.files)
        self.lines: list[int] = []
        self.labels: list[str] = []
        self.file_of: list[int] = []
        self.values: list[Value] = []
        self.numbers: dict[Value, int] = {}
        self.holds: list[set[int]] = []
        self.sources: dict[tuple[int, int], tuple[int, int]] = {}  # (node, value) -> (node it came from, line)
        self.targets: list[list[tuple[int, int]] | None] = []
        self.edge_set: set[tuple[int, int]] = set()
        self.bound_targets: dict[int, list[tuple[int, int, int]]] = {}  # member node -> (result, receiver, class)
        self.work: deque[tuple[int, int]] = deque()
        self.functions: list[tuple[int, Function]] = []
        self.function_offset: list[int] = []
        self.classes: list[tuple[int, Class]] = []
        self.class_offset: list[int] = []
        self.bases: list[tuple[int, ...]] = []  # repo classes, per class
        self.foreign_bases: list[tuple[str, ...]] = []  # canonical dotted names, per class
        self.orders: dict[int, tuple[int, ...]] = {}
        self.attributes: dict[int, dict[str, int]] = defaultdict(dict)  # class -> attribute -> node
        self.worker_attributes: dict[int, dict[str, int]] = defaultdict(dict)
        self.hazards: list[Hazard] = []
        self.site_contents: dict[int, int] = {}  # result of a call -> contents of the foreign object it makes
        self.sinks: list[Sink] = []
        self.sink_keys: set[tuple[int, str, str]] = set()
        self.loads_at: dict[int, list[tuple[str, int]]] = defaultdict(list)
        self.stores_at: dict[int, list[tuple[str, int, int, bool]]] = defaultdict(list)
        self.elements_at: dict[int, list[int]] = defaultdict(list)
        self.puts_at: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.calls_at: dict[int, list[tuple[int, Call]]] = defaultdict(list)
        self.module_nodes: list[dict[str, int]] = []
        self.offsets: list[int] = []
        self.star_files: list[list[int]] = []
        self.steps = 0
        self.calls_enabled = False
        self._lay_out()
        self._solve()

    # building

    def _lay_out(self) -> None:
        for index, facts in enumerate(self.facts):
            offset = len(self.lines)
            self.offsets.append(offset)
            count = len(facts.lines)
            self.lines += facts.lines
            self.labels += facts.labels
            self.file_of += [index] * count
            self.holds += [set() for _ in range(count)]
            self.targets += [None] * count
            self.function_offset.append(len(self.functions))
            self.functions += [(index, function) for function in facts.functions]
            self.class_offset.append(len(self.classes))
            self.classes += [(index, made) for made in facts.classes]
            self.module_nodes.append({name: node + offset for name, node in facts.module_names.items()})
            for base, attribute, result in facts.loads:
                self.loads_at[base + offset].append((attribute, result + offset))
            for base, attribute, value, line, function in facts.stores:
                worker = function >= 0 and facts.functions[function].worker_side
                self.stores_at[base + offset].append((attribute, value + offset, line, worker))
            for container, result in facts.elements:
                if container >= 0:
                    self.elements_at[container + offset].append(result + offset)
            for container, value, line in facts.puts:
                self.puts_at[container + offset].append((value + offset, line))
            for call in facts.calls:
                self.calls_at[call.function + offset].append((offset, call))
            for source, target, line in facts.edges:
                self._edge(source + offset, target + offset, line)
        for index, facts in enumerate(self.facts):
            self._seed_names(index, facts)

    def _seed_names(self, index: int, facts: FileFacts) -> None:
        offset = self.offsets[index]
        for node, module, level, name in facts.imports:
            self._import(index, node + offset, module, level, name)
        self.star_files.append([])
        for module, level in facts.star_imports:
            found = (
                self.modules.relative(facts.path, level, module) if level else self.modules.absolute(facts.path, module)
            )
            if found is not None:
                self.star_files[index].append(self.file_index[found])
        for name, node in facts.unbound:
            origin = next((m for m in self.star_files[index] if name in self.module_nodes[m]), None)
            if origin is not None:
                self._edge(self.module_nodes[origin][name], node + offset, self.lines[node + offset])
            else:
                self._add(node + offset, self.number(Value(FOREIGN, name)), -1, 0)
        for number, node in enumerate(facts.class_nodes):
            self._add(node + offset, self.number(Value(CLASS, self.class_offset[index] + number)), -1, 0)

    def _import(self, index: int, node: int, module: str, level: int, name: str) -> None:
        path = self.files[index]
        if name in ("", "*") and level == 0:  # import a.b.c as x / import a.b.c
            wanted = module if name == "" else module.partition(".")[0]
            found = self.modules.absolute(path, wanted)
            made = Value(MODULE, self.file_index[found]) if found else Value(FOREIGN, wanted)
            self._add(node, self.number(made), -1, 0)
            return
        found = self.modules.relative(path, level, module) if level else self.modules.absolute(path, module)
        if found is not None:
            origin = self.file_index[found]
            if name in self.module_nodes[origin]:
                self._edge(self.module_nodes[origin][name], node, self.lines[node])
                return
            if found.endswith("__init__.py"):
                inner = self.modules.relative(found, 1, name)
                if inner is not None:
                    self._add(node, self.number(Value(MODULE, self.file_index[inner])), -1, 0)
                    return
            for star in self._star_closure(origin):
                if name in self.module_nodes[star]:
                    self._edge(self.module_nodes[star][name], node, self.lines[node])
                    return
            return
        if level:
            inner = self.modules.relative(path, level, f"{module}.{name}" if module else name)
        else:
            inner = self.modules.absolute(path, f"{module}.{name}")  # a folder without __init__.py
        if inner is not None:
            self._add(node, self.number(Value(MODULE, self.file_index[inner])), -1, 0)
        elif not level:
            self._add(node, self.number(Value(FOREIGN, f"{module}.{name}")), -1, 0)

    def _star_closure(self, index: int) -> Iterator[int]:
        seen, todo = {index}, [index]
        while todo:
            at = todo.pop()
            facts = self.facts[at]
            for module, level in facts.star_imports:
                path = facts.path
                found = self.modules.relative(path, level, module) if level else self.modules.absolute(path, module)
                if found is not None and self.file_index[found] not in seen:
                    seen.add(self.file_index[found])
                    todo.append(self.file_index[found])
                    yield self.file_index[found]

    def number(self, value: Value) -> int:
        """The number of an abstract value, the same for equal values."""
        known = self.numbers.get(value)
        if known is None:
            known = self.numbers[value] = len(self.values)
            self.values.append(value)
        return known

    def node(self, label: str, file: int, line: int) -> int:
        """A new node, beyond those of the facts."""
        self.lines.append(line)
        self.labels.append(label)
        self.file_of.append(file)
        self.holds.append(set())
        self.targets.append(None)
        return len(self.lines) - 1

    def _edge(self, source: int, target: int, line: int) -> None:
        if source == target or (source, target) in self.edge_set:
            return
        self.edge_set.add((source, target))
        out = self.targets[source]
        if out is None:
            self.targets[source] = [(target, line)]
        else:
            out.append((target, line))
        for value in tuple(self.holds[source]):
            self._add(target, value, source, line)

    def _add(self, node: int, value: int, source: int, line: int) -> None:
        held = self.holds[node]
        if value not in held:
            held.add(value)
            self.sources[node, value] = (source, line)
            self.work.append((node, value))

    # solving

    def _solve(self) -> None:
        self._run()  # names, modules and classes only: bases are known after this
        self._resolve_bases()
        self.calls_enabled = True
        for index, facts in enumerate(self.facts):
            self._seed_objects(index, facts)
        for node, held in enumerate(self.holds):
            if node in self.calls_at or node in self.loads_at or node in self.stores_at:
                self.work.extend((node, value) for value in held)
        self._run()

    def _seed_objects(self, index: int, facts: FileFacts) -> None:
        offset = self.offsets[index]
        for number, (node, function) in enumerate(zip(facts.function_nodes, facts.functions, strict=True)):
            self._add(node + offset, self.number(Value(FUNCTION, self.function_offset[index] + number)), -1, 0)
            if function.kind == "method" and function.binding != "staticmethod" and function.parameters:
                owner = self.class_offset[index] + function.owner
                kind = CLASS if function.binding == "classmethod" else INSTANCE
                self._add(function.parameters[0].node + offset, self.number(Value(kind, owner)), -1, 0)
        for node, contents in facts.containers:
            self._add(node + offset, self.number(Value(CONTAINER, contents + offset)), -1, 0)
        for node, hazard, position in facts.hazards:
            self.hazards.append(Hazard(hazard, facts.path, position))
            self._add(node + offset, self.number(Value(HAZARD, len(self.hazards) - 1)), -1, 0)

    def _run(self) -> None:
        work, values, targets, sources = self.work, self.values, self.targets, self.sources
        while work:
            node, number = work.popleft()
            self.steps += 1
            if self.steps > MAX_STEPS:
                work.clear()
                return
            out = targets[node]
            if out is not None:
                for target, line in out:
                    held = self.holds[target]
                    if number not in held:
                        held.add(number)
                        sources[target, number] = (node, line)
                        work.append((target, number))
            value = values[number]
            if node in self.loads_at:
                for attribute, result in self.loads_at[node]:
                    self._load(value, number, attribute, result)
            if not self.calls_enabled:
                continue
            if node in self.bound_targets:
                for result, receiver, owner in self.bound_targets[node]:
                    self._bind_member(node, number, result, receiver, owner)
            if node in self.stores_at:
                for attribute, stored, line, worker in self.stores_at[node]:
                    self._store(value, attribute, stored, line, worker, self.file_of[node])
            if node in self.elements_at:
                for result in self.elements_at[node]:
                    self._element(value, result)
            if node in self.puts_at:
                for stored, line in self.puts_at[node]:
                    self._put(value, stored, line)
            if node in self.calls_at:
                for offset, call in self.calls_at[node]:
                    self._call(node, value, number, offset, call)

    def _resolve_bases(self) -> None:
        for file, made in self.classes:
            offset = self.offsets[file]
            own: list[int] = []
            foreign: list[str] = []
            for base, written in zip(made.bases, made.base_names, strict=True):
                held = [self.values[number] for number in self.holds[base + offset]] if base >= 0 else []
                own += [int(value.a) for value in held if value.kind == CLASS]
                names = [self.table.canonical(str(value.a)) for value in held if value.kind == FOREIGN]
                foreign += names
                if not held and written:
                    foreign.append(written)
            self.bases.append(tuple(dict.fromkeys(own)))
            self.foreign_bases.append(tuple(dict.fromkeys(foreign)))

    def order(self, index: int) -> tuple[int, ...]:
        """The class and its bases in the repo, nearest first (close enough to the method resolution order)."""
        if not self.calls_enabled:  # bases are being found out
            return (index,)
        known = self.orders.get(index)
        if known is None:
            found: dict[int, None] = {}
            todo = [index]
            while todo:
                at = todo.pop(0)
                if at not in found:
                    found[at] = None
                    todo = [*self.bases[at], *todo]
            known = self.orders[index] = tuple(found)
        return known

    def all_foreign_bases(self, index: int) -> list[str]:
        """Names of the bases that lie outside the repo, through the whole hierarchy."""
        return list(dict.fromkeys(name for at in self.order(index) for name in self.foreign_bases[at]))

    def number_of_instance(self, index: int) -> int:
        """The value number of the instance of a class; -1 when no instance appears anywhere."""
        return self.numbers.get(Value(INSTANCE, index), -1)

    def attribute_node(self, owner: int, attribute: str, line: int, file: int, worker: bool = False) -> int:
        """The node of an instance attribute of a class of the repo."""
        nodes = (self.worker_attributes if worker else self.attributes)[owner]
        node = nodes.get(attribute, -1)
        if node < 0:
            name = self.classes[owner][1].name
            label = f"stored as `{attribute}` on `{name}`"
            node = nodes[attribute] = self.node(label, file, line)
        return node

    # attributes

    def _load(self, value: Value, number: int, attribute: str, result: int) -> None:
        kind = value.kind
        if kind == FOREIGN:
            self._name(f"{value.a}.{attribute}", value.b, result)
        elif kind == MODULE:
            self._load_module(int(value.a), attribute, result)
        elif kind == CLASS:
            self._load_member(self.order(int(value.a)), attribute, result, -1, int(value.a))
        elif not self.calls_enabled:
            return
        elif kind == INSTANCE:
            self._load_instance(int(value.a), number, attribute, result)
        elif kind == OBJECT:
            self._name(f"{value.a}().{attribute}", number, result)
            if result not in self.calls_at:
                self._edge(value.b, result, self.lines[result])
        elif kind == CONTAINER:
            self._add(result, self.number(Value(FOREIGN, f"<container>.{attribute}", number)), -1, 0)
        elif kind == SUPER:
            owner = int(value.a)
            order = self.order(owner)[1:]
            if not self._load_member(order, attribute, result, value.b, owner):
                for name in self.all_foreign_bases(owner):
                    self._name(f"{name}().{attribute}", value.b, result)

    def _name(self, name: str, receiver: int, result: int) -> None:
        """`result` is the foreign thing called `name`; parts of calls' results are only followed where the table knows them."""
        plain = "()" not in name
        canonical = self.table.canonical(name)
        if (
            (plain and name.count(".") < _MAX_DOTS)
            or canonical.endswith("().__init__")
            or self.table.concerns(canonical)
        ):
            self._add(result, self.number(Value(FOREIGN, name, -1 if plain else receiver)), -1, 0)

    def _load_module(self, index: int, attribute: str, result: int) -> None:
        names = self.module_nodes[index]
        if attribute in names:
            self._edge(names[attribute], result, self.lines[result])
            return
        inner = self.modules.relative(self.files[index], 1, attribute)
        if inner is not None and self.files[index].endswith("__init__.py"):
            self._add(result, self.number(Value(MODULE, self.file_index[inner])), -1, 0)
            return
        for star in self._star_closure(index):
            if attribute in self.module_nodes[star]:
                self._edge(self.module_nodes[star][attribute], result, self.lines[result])
                return

    def _load_member(self, order: Iterable[int], attribute: str, result: int, receiver: int, owner: int) -> bool:
        for at in order:
            file, made = self.classes[at]
            member = made.members.get(attribute, -1)
            if member < 0:
                continue
            node = member + self.offsets[file]
            key = (node, result * 1_000_003 + receiver)
            if key not in self.edge_set:
                self.edge_set.add(key)
                self.bound_targets.setdefault(node, []).append((result, receiver, owner))
                for number in tuple(self.holds[node]):
                    self._bind_member(node, number, result, receiver, owner)
            return True
        return False

    def _bind_member(self, node: int, number: int, result: int, receiver: int, owner: int) -> None:
        value = self.values[number]
        if value.kind != FUNCTION:
            self._add(result, number, node, self.lines[result])
            return
        function = self.functions[int(value.a)][1]
        if function.binding == "classmethod":
            target = (
                receiver if receiver >= 0 and self.values[receiver].kind == CLASS else self.number(Value(CLASS, owner))
            )
            self._add(result, self.number(Value(BOUND, int(value.a), target)), node, 0)
        elif function.binding == "property" and receiver >= 0:
            file = self.functions[int(value.a)][0]
            if function.parameters:
                self._add(function.parameters[0].node + self.offsets[file], receiver, -1, 0)
            self._edge(function.returns + self.offsets[file], result, self.lines[result])
        elif function.binding == "staticmethod" or receiver < 0 or function.kind != "method":
            self._add(result, number, node, 0)
        else:
            self._add(result, self.number(Value(BOUND, int(value.a), receiver)), node, 0)

    def _load_instance(self, owner: int, number: int, attribute: str, result: int) -> None:
        order = self.order(owner)
        found = self._load_member(order, attribute, result, number, owner)
        for at in order:
            file, made = self.classes[at]
            line = made.position[0]
            self._edge(self.attribute_node(at, attribute, line, file), result, self.lines[result])
            if attribute in self.worker_attributes[at]:
                self._edge(self.worker_attributes[at][attribute], result, self.lines[result])
        if not found:
            for name in self.all_foreign_bases(owner):
                self._name(f"{name}().{attribute}", number, result)

    def _store(self, value: Value, attribute: str, stored: int, line: int, worker: bool, file: int) -> None:
        if value.kind == INSTANCE:
            node = self.attribute_node(int(value.a), attribute, line, file, worker)
            if self.lines[node] == self.classes[int(value.a)][1].position[0]:
                self.lines[node], self.file_of[node] = line, file
            self._edge(stored, node, line)
        elif value.kind == OBJECT:
            self._edge(stored, value.b, line)
        elif value.kind == MODULE and attribute in self.module_nodes[int(value.a)]:
            self._edge(stored, self.module_nodes[int(value.a)][attribute], line)

    # containers

    def _element(self, value: Value, result: int) -> None:
        if value.kind == CONTAINER:
            self._edge(int(value.a), result, self.lines[result])
        elif value.kind == OBJECT and self.table.canonical(str(value.a)).rpartition(".")[2] in (
            "OrderedDict", "defaultdict", "deque", "ModuleList", "ModuleDict", "Sequential",
        ):  # fmt: skip
            self._edge(value.b, result, self.lines[result])

    def _put(self, value: Value, stored: int, line: int) -> None:
        if value.kind == CONTAINER:
            self._edge(stored, int(value.a), line)
        elif value.kind == OBJECT:
            self._edge(stored, value.b, line)

    def _pass_elements(self, source: int, target: int, line: int) -> None:
        """Contents of what is at `source` join `target`."""
        self.elements_at[source].append(target)
        for number in tuple(self.holds[source]):
            self._element(self.values[number], target)
        self.lines[target] = self.lines[target] or line

    # calls

    def _call(self, node: int, value: Value, number: int, offset: int, call: Call) -> None:
        kind = value.kind
        if kind == FUNCTION:
            self._call_function(int(value.a), offset, call, -1)
        elif kind == BOUND:
            self._call_function(int(value.a), offset, call, value.b)
        elif kind == CLASS:
            self._construct(int(value.a), offset, call)
        elif kind == FOREIGN:
            self._call_foreign(node, value, offset, call)
        elif kind == OBJECT:
            if str(value.a) == "functools.partial":  # calling what it holds
                for held in tuple(self.holds[value.b]):
                    if self.values[held].kind in (FUNCTION, BOUND, CLASS):
                        self._call(node, self.values[held], held, offset, call)
        elif kind == INSTANCE:
            result = self._member_function(int(value.a), "__call__")
            if result >= 0:
                self._call_function(result, offset, call, number)

    def _member_function(self, owner: int, name: str) -> int:
        for at in self.order(owner):
            file, made = self.classes[at]
            member = made.members.get(name, -1)
            if member >= 0:
                for number in self.holds[member + self.offsets[file]]:
                    if self.values[number].kind == FUNCTION:
                        return int(self.values[number].a)
                return -1
        return -1

    def _call_function(self, index: int, offset: int, call: Call, receiver: int) -> None:
        file, function = self.functions[index]
        base = self.offsets[file]
        parameters = list(function.parameters)
        line = call.position[0]
        if receiver >= 0 and parameters and parameters[0].kind in ("", "/"):
            self._add(parameters.pop(0).node + base, receiver, -1, 0)
        positional = [p for p in parameters if p.kind in ("", "/")]
        rest = next((p for p in parameters if p.kind == "*"), None)
        named = {p.name: p for p in parameters if p.kind in ("", "k")}
        others = next((p for p in parameters if p.kind == "**"), None)
        for place, argument in enumerate(call.arguments):
            if argument < 0:
                continue
            if place < len(positional):
                self._edge(argument + offset, positional[place].node + base, line)
            elif rest is not None:
                self._edge(argument + offset, self._contents_of(rest.node + base), line)
        for name, argument in call.keywords:
            if argument < 0:
                continue
            if name in named:
                self._edge(argument + offset, named[name].node + base, line)
            elif others is not None:
                self._edge(argument + offset, self._contents_of(others.node + base), line)
        spread = [star for star in call.stars if star >= 0]
        for star in spread:
            for parameter in positional[len(call.arguments) :]:
                self._pass_elements(star + offset, parameter.node + base, line)
            if rest is not None:
                self._pass_elements(star + offset, self._contents_of(rest.node + base), line)
        given = {name for name, _ in call.keywords}
        for star in call.double_stars:
            if star < 0:
                continue
            for name, parameter in named.items():
                if name not in given:
                    self._pass_elements(star + offset, parameter.node + base, line)
            if others is not None:
                self._pass_elements(star + offset, self._contents_of(others.node + base), line)
        if function.generator:
            made = self._contents_of(function.returns + base, separate=True)
            self._add(call.result + offset, self.number(Value(CONTAINER, made)), -1, 0)
        else:
            self._edge(function.returns + base, call.result + offset, line)

    def _contents_of(self, node: int, separate: bool = False) -> int:
        """The content node of the container that a `*args` parameter is (or, `separate`, the node itself as contents)."""
        if separate:
            return node
        for number in self.holds[node]:
            value = self.values[number]
            if value.kind == CONTAINER and self.file_of[int(value.a)] == self.file_of[node]:
                return int(value.a)
        contents = self.node("", self.file_of[node], self.lines[node])
        self._add(node, self.number(Value(CONTAINER, contents)), -1, 0)
        return contents

    def _construct(self, index: int, offset: int, call: Call) -> None:
        instance = self.number(Value(INSTANCE, index))
        self._add(call.result + offset, instance, -1, 0)
        initialiser = self._member_function(index, "__init__")
        if initialiser >= 0:
            self._call_function(initialiser, offset, call, instance)
            return
        line = call.position[0]
        fields = [name for at in reversed(self.order(index)) for name in self.classes[at][1].fields]
        named = [*zip(fields, call.arguments, strict=False), *call.keywords]
        for name, value in named:
            if value >= 0:
                node = self.attribute_node(index, name, line, self.file_of[value + offset])
                self._edge(value + offset, node, line)
        foreign = self.all_foreign_bases(index)
        if not fields:
            held = self.attribute_node(index, "<arguments of the base class>", line, self.file_of[call.result + offset])
            for argument in [*call.arguments[len(named) - len(call.keywords) :], *call.stars, *call.double_stars]:
                if argument >= 0:
                    self._edge(argument + offset, held, line)
        for name in foreign:
            self._boundary(name, offset, call, instance)

    def _call_foreign(self, node: int, value: Value, offset: int, call: Call) -> None:
        written = str(value.a)
        name = self.table.canonical(written)
        line = call.position[0]
        result = call.result + offset
        receiver = self.values[value.b] if value.b >= 0 else None
        if written.startswith("<container>."):
            self._container_method(written[12:], receiver, offset, call)
            return
        self._boundary(name, offset, call, value.b)
        arguments = [a + offset for a in (*call.arguments, *(a for _, a in call.keywords)) if a >= 0]
        spread = [a + offset for a in (*call.stars, *call.double_stars) if a >= 0]
        if name == "super":
            self._super(node, offset, call)
            return
        if name.endswith("().__init__") and receiver is not None and receiver.kind == INSTANCE:
            base = name[: -len("().__init__")]
            self._boundary(base, offset, call, value.b)
            if self.table.keeps(base):
                owner = int(receiver.a)
                held = self.attribute_node(owner, f"<arguments of {base}>", line, self.file_of[result])
                for argument in arguments:
                    self._edge(argument, held, line)
                for star in spread:
                    self._pass_elements(star, held, line)
            return
        if name == "getattr" and len(call.arguments) > 1 and isinstance(call.literals.get(1), str):
            self._late_load(arguments, str(call.literals[1]), result)
            return
        if name == "setattr" and len(call.arguments) == 3 and isinstance(call.literals.get(1), str):
            base, stored = call.arguments[0], call.arguments[2]
            if base >= 0 and stored >= 0:
                self._late_store(base + offset, str(call.literals[1]), stored + offset, line)
            return
        if name == "type" and len(call.arguments) == 1 and call.arguments[0] >= 0:
            for held in tuple(self.holds[call.arguments[0] + offset]):
                if self.values[held].kind == INSTANCE:
                    self._add(result, self.number(Value(CLASS, self.values[held].a)), -1, 0)
            return
        if name in ("copy.deepcopy", "copy.copy") and arguments:
            self._edge(arguments[0], result, line)
            return
        if (name == "map" and len(call.arguments) > 1) or name in _PASS_ELEMENTS:
            self._builtin(name, offset, call, arguments, result)
            return
        if receiver is not None and self.table.fluent(name):
            self._add(result, value.b, -1, 0)
            if receiver.kind == OBJECT:
                for argument in arguments:
                    self._edge(argument, self._told(receiver.b, name, line, result), line)
                for star in spread:
                    self._pass_elements(star, self._told(receiver.b, name, line, result), line)
            return
        keeps = self.table.keeps(name)
        if not keeps and not self.table.concerns(name):
            return
        contents = self.site_contents.get(result, -1)
        if contents < 0:
            label = f"kept by `{call.text or name}(...)`" if keeps else ""
            contents = self.site_contents[result] = self.node(label, self.file_of[result], line)
        self._add(result, self.number(Value(OBJECT, name, contents)), -1, 0)
        if keeps:
            for argument in arguments:
                self._edge(argument, contents, line)
            for star in spread:
                self._pass_elements(star, contents, line)

    def _told(self, contents: int, name: str, line: int, result: int) -> int:
        """A node in front of `contents` that tells which stage of a pipeline took the value."""
        if result in self.site_contents:
            return self.site_contents[result]
        node = self.site_contents[result] = self.node(
            f"kept by the pipeline stage `.{name.rpartition('.')[2]}(...)`", self.file_of[result], line
        )
        self._edge(node, contents, line)
        return node

    def _late_load(self, arguments: list[int], attribute: str, result: int) -> None:
        if arguments:
            self.loads_at[arguments[0]].append((attribute, result))
            for number in tuple(self.holds[arguments[0]]):
                self._load(self.values[number], number, attribute, result)

    def _late_store(self, base: int, attribute: str, stored: int, line: int) -> None:
        self.stores_at[base].append((attribute, stored, line, False))
        for number in tuple(self.holds[base]):
            self._store(self.values[number], attribute, stored, line, False, self.file_of[base])

    def _super(self, node: int, offset: int, call: Call) -> None:
        file = self.file_of[node]
        index = call.scope
        functions = self.facts[file].functions
        if index < 0 or functions[index].kind != "method":
            return
        function = functions[index]
        owner = self.class_offset[file] + function.owner
        if function.parameters:
            parameter = function.parameters[0].node + self.offsets[file]
            result = call.result + offset
            holder = self.number(Value(INSTANCE, owner))
            for number in [holder, *self.holds[parameter]]:
                if self.values[number].kind in (INSTANCE, CLASS):
                    self._add(result, self.number(Value(SUPER, owner, number)), -1, 0)

    def _builtin(self, name: str, offset: int, call: Call, arguments: list[int], result: int) -> None:
        line = call.position[0]
        contents = self.node("", self.file_of[result], line)
        self._add(result, self.number(Value(CONTAINER, contents)), -1, 0)
        if name == "map":
            function = call.arguments[0]
            if function >= 0:
                inner = Call(function, (), (), (), (), contents - offset, call.position, call.text)
                self.calls_at[function + offset].append((offset, inner))
                for number in tuple(self.holds[function + offset]):
                    if self.values[number].kind in (FUNCTION, BOUND, CLASS):
                        self._call(function + offset, self.values[number], number, offset, inner)
            return
        if name == "filter":
            arguments = arguments[1:]
        elif name in ("sorted", "enumerate", "iter"):
            arguments = arguments[:1]
        for argument in arguments:
            if name in ("zip", "enumerate", "itertools.chain"):  # elements are tuples: keep one level
                inner_node = self.node("", self.file_of[result], line)
                self._pass_elements(argument, inner_node, line)
                self._add(contents, self.number(Value(CONTAINER, inner_node)), -1, 0)
            self._pass_elements(argument, contents, line)
        if name == "dict":
            for _, argument in call.keywords:
                if argument >= 0:
                    self._edge(argument + offset, contents, line)

    def _container_method(self, method: str, receiver: Value | None, offset: int, call: Call) -> None:
        if receiver is None:
            return
        contents, result, line = int(receiver.a), call.result + offset, call.position[0]
        if method in _PUT_METHODS:
            for argument in call.arguments:
                if argument >= 0:
                    self._edge(argument + offset, contents, line)
        elif method in _JOIN_METHODS:
            for argument in call.arguments:
                if argument >= 0:
                    self._pass_elements(argument + offset, contents, line)
            for _, argument in call.keywords:
                if argument >= 0:
                    self._edge(argument + offset, contents, line)
        if method in _ELEMENT_METHODS:
            if method in ("values", "items", "copy"):
                self._add(result, self.number(Value(CONTAINER, contents)), -1, 0)
            else:
                self._edge(contents, result, line)
            for argument in call.arguments[1:]:
                if argument >= 0:
                    self._edge(argument + offset, result, line)

    def _boundary(self, name: str, offset: int, call: Call, receiver: int) -> None:
        boundary = self.table.boundary(name)
        if boundary is None:
            return
        given: dict[str, int] = {}
        for place, argument in enumerate(call.arguments):
            given[boundary.parameters[place] if place < len(boundary.parameters) else f"argument {place + 1}"] = (
                argument
            )
        given.update(call.keywords)
        open_ended = bool(call.double_stars or call.stars)
        crosses = boundary.crosses(call.literals, frozenset(given), open_ended)
        self._sinks(boundary, given, offset, call, crosses)
        if "self" in boundary.pickles and receiver >= 0:
            node = self.node("", self.file_of[call.result + offset], call.position[0])
            self._add(node, receiver, -1, 0)
            self._sink(node, boundary, "self", call, crosses)
        for star in (*call.stars, *call.double_stars):
            if star >= 0:
                inner = self.node("", self.file_of[star + offset], call.position[0])
                self._pass_elements(star + offset, inner, call.position[0])
                self._sink(inner, boundary, "**", call, crosses)

    def _sinks(self, boundary: Boundary, given: Mapping[str, int], offset: int, call: Call, crosses: bool) -> None:
        for name, argument in given.items():
            if argument >= 0 and (name in boundary.pickles or "*" in boundary.pickles):
                self._sink(argument + offset, boundary, name, call, crosses)

    def _sink(self, node: int, boundary: Boundary, argument: str, call: Call, crosses: bool) -> None:
        key = (node, boundary.callable, argument)
        if key not in self.sink_keys:
            self.sink_keys.add(key)
            path = self.files[self.file_of[node]]
            self.sinks.append(Sink(node, boundary.callable, argument, path, call.position[0], crosses))
