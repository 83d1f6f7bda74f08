"""Names, modules, classes and attributes: which node a name, an import or `x.attribute` means."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ...syntax.modules import Modules
from ..boundaries import Table
from ..facts.records import Call, Class, FileFacts, Function, self_nodes
from .heap import (
    BOUND,
    CLASS,
    CONTAINER,
    FOREIGN,
    FUNCTION,
    HAZARD,
    INSTANCE,
    MODULE,
    NOTHING,
    OBJECT,
    SUPER,
    Heap,
    Value,
)
from .hierarchy import Hierarchy
from .module_names import ModuleNames

MAX_MEANT = 2  # a name that stands for instances of more classes than this says little of any of them
_MAX_DOTS = 8  # longer dotted names are not followed
# attributes by which objects that are not ours commonly give back what they were given
_KEPT_AS = frozenset(
    {"dataset", "datasets", "transform", "transforms", "target_transform", "module", "func", "args", "keywords",
     "collate_fn", "pipeline", "source", "fn", "config", "cfg"}
)  # fmt: skip
HOLDERS = frozenset({"OrderedDict", "deque", "ModuleList", "ModuleDict", "Sequential", "Namespace", "random_split"})


class Hazard(NamedTuple):
    """A value that plain pickle rejects whatever holds it: `kind` and where it is made."""

    kind: str
    path: str
    position: tuple[int, int, int, int]


class Members(Heap):
    """The facts of all files side by side, and what attributes lead to."""

    def __init__(self, facts: Mapping[str, FileFacts], table: Table) -> None:
        super().__init__()
        self.table = table
        self.files = list(facts)
        self.facts = [facts[path] for path in self.files]
        self.file_index = {path: index for index, path in enumerate(self.files)}
        self.modules = Modules(self.files, table.packages)
        self.bound_targets: dict[int, list[tuple[int, int, int]]] = {}  # member node -> (result, receiver, class)
        self.bound_keys: set[tuple[int, int, int]] = set()
        self.functions: list[tuple[int, Function]] = []
        self.function_offset: list[int] = []
        self.classes: list[tuple[int, Class]] = []
        self.class_offset: list[int] = []
        self.attributes: dict[int, dict[str, int]] = defaultdict(dict)  # class -> attribute -> node
        self.worker_attributes: dict[int, dict[str, int]] = defaultdict(dict)  # set by methods that run in the worker
        self._doubts: dict[tuple[int, int], bool] = {}
        self.stored_by: dict[int, set[int]] = defaultdict(set)  # attribute node -> nodes of `x` in `x.attribute = ...`
        self.bags: set[int | str] = set()  # containers whose keys are attributes too
        self.hazards: list[Hazard] = []
        self.loads_at: dict[int, list[tuple[str, int]]] = defaultdict(list)
        self.stores_at: dict[int, list[tuple[str, int, int, bool]]] = defaultdict(list)
        self.elements_at: dict[int, list[tuple[int, str]]] = defaultdict(list)
        self.puts_at: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
        self.calls_at: dict[int, list[tuple[int, Call]]] = defaultdict(list)
        self.module_names = ModuleNames(self)
        self.offsets: list[int] = []
        self.hierarchy = Hierarchy(self.facts, self.class_offset, self.classes)
        self._lay_out()

    def facts_of(self, path: str) -> FileFacts:
        """The facts of a file of the analysis."""
        return self.facts[self.file_index[path]]

    def _lay_out(self) -> None:
        for index, facts in enumerate(self.facts):
            offset = len(self.lines)
            self.offsets.append(offset)
            count = len(facts.lines)
            self.lines += facts.lines
            self.labels += facts.labels
            self.file_of += [index] * count
            self.holds += [NOTHING] * count
            self.targets += [None] * count
            self.function_offset.append(len(self.functions))
            self.functions += [(index, function) for function in facts.functions]
            self.class_offset.append(len(self.classes))
            self.classes += [(index, made) for made in facts.classes]
            self.module_names.nodes.append({name: node + offset for name, node in facts.module_names.items()})
            for base, attribute, result in facts.loads:
                self.loads_at[base + offset].append((attribute, result + offset))
            owners = self_nodes(facts) if facts.stores else {}
            for base, attribute, value, line, function in facts.stores:
                if base not in owners:
                    self.module_names.set_on_others.add(attribute)
                worker = function >= 0 and facts.functions[function].worker_side
                self.stores_at[base + offset].append((attribute, value + offset, line, worker))
            for container, result, key in facts.elements:
                if container >= 0:
                    self.elements_at[container + offset].append((result + offset, key))
            for container, value, line, key in facts.puts:
                self.puts_at[container + offset].append((value + offset, line, key))
            for call in facts.calls:
                self.calls_at[call.function + offset].append((offset, call))
            for source, target, line in facts.edges:
                self.edge(source + offset, target + offset, line)
        for index, facts in enumerate(self.facts):
            self.module_names.seed(index, facts)

    def _seed_objects(self, index: int, facts: FileFacts) -> None:
        offset, empty = self.offsets[index], set(facts.empty)
        for number, (node, function) in enumerate(zip(facts.function_nodes, facts.functions, strict=True)):
            self.add(node + offset, self.number(Value(FUNCTION, self.function_offset[index] + number)))
            self.modules_only.update(each.node + offset for each in function.parameters if each.module)
            if function.kind == "method" and function.binding != "staticmethod" and function.parameters:
                owner = self.class_offset[index] + function.owner
                kind = CLASS if function.binding == "classmethod" else INSTANCE
                self.add(function.parameters[0].node + offset, self.number(Value(kind, owner)))
                for derived in self.hierarchy.derived_makers.get(owner, ()) if kind == INSTANCE else ():
                    if function.name not in self.classes[derived][1].members:
                        self.add(function.parameters[0].node + offset, self.number(Value(kind, derived)))
        for node, contents, fields in facts.containers:
            made = Value(CONTAINER, contents + offset)
            if fields:
                self.fields[contents + offset] = {key: field + offset for key, field in fields}
            self.add_when_filled(node + offset, made, contents + offset)
        for node, contents, _ in facts.containers:
            if node in empty:
                self.add(node + offset, self.number(Value(CONTAINER, contents + offset)))
        for node, hazard, position in facts.hazards:
            self.hazards.append(Hazard(hazard, facts.path, position))
            self.add(node + offset, self.number(Value(HAZARD, len(self.hazards) - 1)))

    def _bases_of(self, index: int) -> tuple[list[int], list[str]]:
        """The bases of a class: classes of the repo, and canonical names of what lies outside."""
        file, made = self.classes[index]
        offset = self.offsets[file]
        own: list[int] = []
        foreign: list[str] = []
        for base, written in zip(made.bases, made.base_names, strict=True):
            held = [self.values[number] for number in self.holds[base + offset]] if base >= 0 else []
            own += [int(value.a) for value in held if value.kind == CLASS]
            foreign += [self.table.canonical(str(value.a)) for value in held if value.kind == FOREIGN]
            if not held and written:
                foreign.append(written)
        return own, foreign

    def is_hazard(self, value: Value) -> bool:
        if value.kind == FUNCTION:
            return self.functions[int(value.a)][1].kind in ("lambda", "function")
        if value.kind in (CLASS, INSTANCE):
            return int(value.a) in self.hierarchy.makers
        if value.kind == OBJECT:  # a pipeline: all it is for is to be loaded
            return value.b >= 0 and self.table.fluent(str(value.a))
        return value.kind == HAZARD

    def doubtful(self, owner: int, node: int) -> bool:
        """True for an attribute that only code stores which may mean many classes, and none of `owner` mentions.

        (`optimizer.optimizer = x` where all that a registry builds seems to be an `optimizer`.)
        """
        known = self._doubts.get((owner, node))
        if known is None:
            known = self._doubts[owner, node] = self._doubtful(owner, node)
        return known

    def _doubtful(self, owner: int, node: int) -> bool:
        stored = self.stored_by.get(node)
        if not stored or any(self._instances_at(base) <= MAX_MEANT for base in stored):
            return False
        order = self.hierarchy.order(owner)
        names = {name for at in order for name, kept in self.attributes[at].items() if kept == node}
        return not any(name in self.hierarchy.mentioned[at] for name in names for at in order)

    def _instances_at(self, node: int) -> int:
        return sum(1 for number in self.holds[node] if self.values[number].kind == INSTANCE)

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
            self.roomy.add(node)
        return node

    # attributes

    def _load(self, value: Value, number: int, attribute: str, result: int) -> None:
        kind = value.kind
        if kind == FOREIGN:
            self._name(f"{value.a}.{attribute}", value.b, result)
            if attribute in self.module_names.set_on_others and "(" not in str(value.a):
                self.edge(
                    self.module_names.foreign_attribute(f"{value.a}.{attribute}", result), result, self.lines[result]
                )
        elif kind == MODULE:
            self.module_names.load(int(value.a), attribute, result)
        elif kind == CLASS:
            self._load_member(self.hierarchy.order(int(value.a)), attribute, result, -1, int(value.a))
        elif not self.hierarchy.known:
            return
        elif kind == INSTANCE:
            self._load_instance(int(value.a), number, attribute, result)
        elif kind == OBJECT:
            self._name(f"{value.a}().{attribute}", number, result)
            if value.b >= 0 and attribute in _KEPT_AS and result not in self.calls_at:
                self.edge(value.b, result, self.lines[result])
        elif kind == CONTAINER:
            if result in self.calls_at:
                self.add(result, self.number(Value(FOREIGN, f"<container>.{attribute}", number)))
            elif value.a in self.bags:
                self.read(int(value.a), attribute, result)
        elif kind == SUPER:
            owner = int(value.a)
            order = self.hierarchy.order(owner)[1:]
            if not self._load_member(order, attribute, result, value.b, owner):
                for name in self.hierarchy.all_foreign_bases(owner):
                    self._name(f"{name}().{attribute}", value.b, result)

    def _name(self, name: str, receiver: int, result: int) -> None:
        """`result` is the foreign thing `name`; parts of what calls give only where the table knows them."""
        canonical = self.table.canonical(name)
        if "()" not in name:
            inside = name.rpartition(".")[0].rpartition(".")[2]
            if (not inside[:1].isupper() and name.count(".") < _MAX_DOTS) or self.table.concerns(canonical):
                self.add(result, self.number(Value(FOREIGN, name)))
        elif result in self.calls_at and (name.endswith("().__init__") or self.table.concerns(canonical)):
            self.add(result, self.number(Value(FOREIGN, name, receiver)))

    def _load_member(self, order: Iterable[int], attribute: str, result: int, receiver: int, owner: int) -> bool:
        for at in order:
            file, made = self.classes[at]
            member = made.members.get(attribute, -1)
            if member < 0:
                continue
            node = member + self.offsets[file]
            key = (node, result, receiver)
            if key not in self.bound_keys:
                self.bound_keys.add(key)
                self.bound_targets.setdefault(node, []).append((result, receiver, owner))
                for number in tuple(self.holds[node]):
                    self._bind_member(node, number, result, receiver, owner)
            return True
        return False

    def _bind_member(self, node: int, number: int, result: int, receiver: int, owner: int) -> None:
        value = self.values[number]
        if value.kind != FUNCTION:
            self.add(result, number, node)
            return
        function = self.functions[int(value.a)][1]
        if function.binding == "classmethod":
            target = (
                receiver if receiver >= 0 and self.values[receiver].kind == CLASS else self.number(Value(CLASS, owner))
            )
            self.add(result, self.number(Value(BOUND, int(value.a), target)), node)
        elif function.binding == "property" and receiver >= 0:
            file = self.functions[int(value.a)][0]
            if function.parameters:
                self.add(function.parameters[0].node + self.offsets[file], receiver)
            self.edge(function.returns + self.offsets[file], result, self.lines[result])
        elif function.binding == "staticmethod" or receiver < 0 or function.kind != "method":
            self.add(result, number, node)
        else:
            self.add(result, self.number(Value(BOUND, int(value.a), receiver)), node)

    def _load_instance(self, owner: int, number: int, attribute: str, result: int) -> None:
        order = self.hierarchy.order(owner)
        found = self._load_member(order, attribute, result, number, owner)
        for at in order:
            file, made = self.classes[at]
            line = made.position[0]
            self.edge(self.attribute_node(at, attribute, line, file), result, self.lines[result])
            if attribute in self.worker_attributes[at]:
                self.edge(self.worker_attributes[at][attribute], result, self.lines[result])
        if not found:
            for name in self.hierarchy.all_foreign_bases(owner):
                self._name(f"{name}().{attribute}", number, result)

    def _store(self, base: int, value: Value, attribute: str, stored: int, line: int, worker: bool) -> None:
        file = self.file_of[base]
        if value.kind == INSTANCE:
            node = self.attribute_node(int(value.a), attribute, line, file, worker)
            self.stored_by[node].add(base)
            if self.lines[node] == self.classes[int(value.a)][1].position[0]:
                self.lines[node], self.file_of[node] = line, file
            self.edge(stored, node, line)
        elif value.kind == CONTAINER and value.a in self.bags:
            self.edge(stored, self.field(int(value.a), attribute), line)
        elif value.kind == OBJECT and value.b >= 0:
            self.edge(stored, value.b, line)
        elif value.kind == MODULE:
            names = self.module_names.nodes[int(value.a)]
            if attribute not in names:
                self.module_names.bind(int(value.a), attribute, base)
            self.edge(stored, names[attribute], line)
        elif value.kind == FOREIGN and "(" not in str(value.a):
            self.edge(stored, self.module_names.foreign_attribute(f"{value.a}.{attribute}", base), line)

    # containers

    def _element(self, value: Value, result: int, key: str) -> None:
        if value.kind == CONTAINER:
            contents = int(value.a)
            if key:
                self.read(contents, key, result)
            else:
                self.edge(self.every(contents), result, self.lines[result])
        elif value.kind == OBJECT and value.b >= 0 and str(value.a).rpartition(".")[2] in HOLDERS:
            self.edge(value.b, result, self.lines[result])
        elif value.kind == OBJECT and self._has_parts_like_it(value, key):
            self.add(result, self.number(value))

    def _has_parts_like_it(self, value: Value, key: str) -> bool:
        """A pair of connections, or a dict of datasets: `load_dataset(...)["train"]`."""
        return value.a == "multiprocessing.Pipe" or (key != "" and value.b >= 0 and value.a in self.table.selective)

    def _put(self, value: Value, stored: int, line: int, key: str) -> None:
        if value.kind == CONTAINER:
            self.edge(stored, self.field(int(value.a), key) if key else int(value.a), line)
        elif value.kind == OBJECT and value.b >= 0:
            self.edge(stored, value.b, line)

    def pass_elements(self, source: int, target: int, key: str = "") -> None:
        """What containers at `source` hold (under `key`) is at `target`."""
        self.elements_at[source].append((target, key))
        for number in tuple(self.holds[source]):
            self._element(self.values[number], target, key)
