"""Attributes: which node `x.attribute` is, for every kind of value that `x` may be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ...hazard_kind import HazardKind
from ...syntax.unpicklable import MODULE_GENERATORS
from ..facts.records import Function
from ..kinds import LOOKED_UP, FunctionKind, MethodBinding
from .constraints import Constraints
from .heap import (
    BOUND,
    CLASS,
    CONTAINER,
    FOREIGN,
    FUNCTION,
    HAZARD,
    INSTANCE,
    MODULE,
    OBJECT,
    SUPER,
    Heap,
    Value,
)
from .hierarchy import Hierarchy
from .module_names import ModuleNames
from .program import Program

NEW = "object.__new__"
ITEMS = "an item"
RECORD = "<record>.__init__ above "  # and the number of the class: the initialiser that a dataclass gets
CONTAINER_METHODS = frozenset(name for kind in (dict, list, set) for name in vars(kind))
NO_CLASS = -1  # in place of the class whose bases `super()` means: those of the repository are left out
_GIVES_ANOTHER = frozenset({"_replace", "_make"})  # methods of a namedtuple
_DATA = "data"  # as which an object of a class that derives from `UserDict` has the dict that it stands for
_CACHED = "cached_property"
SUBCLASSES = "<class>.__subclasses__"
LOADS = "<class>.load"  # a class method of a library, by which a class gives an object of its own
_LOADERS = {  # by the beginnings of the names of bases
    "transformers.": ("from_pretrained", "from_config"),
    "diffusers.": ("from_pretrained", "from_config"),
    "huggingface_hub.": ("from_pretrained",),
    "lightning.": ("load_from_checkpoint",),
}
_SETS = "<set>"  # as an attribute: what a store gives to a setter
_VALUES = frozenset({"value", "_value_"})  # attributes of members of an Enum
_MEMBER = -2  # in place of a receiver, where a name of the body is read for a member: functions there are methods
_MAX_STEPS = 4  # from where a value is looked up to where it is called
_MAX_DOTS = 8  # longer dotted names are not followed
# attributes by which objects that are not ours commonly return what they got
KEPT_AS = frozenset(
    {"dataset", "datasets", "transform", "transforms", "target_transform", "module", "func", "args", "keywords",
     "collate_fn", "pipeline", "source", "fn", "config", "cfg"}
)  # fmt: skip


class Attributes:
    """Applies loads and stores of attributes. An attribute of a class is one node, for all its instances."""

    def __init__(
        self, program: Program, heap: Heap, constraints: Constraints, hierarchy: Hierarchy, module_names: ModuleNames
    ) -> None:
        self.program, self.heap, self.constraints = program, heap, constraints
        self.hierarchy, self.module_names = hierarchy, module_names
        self.nodes: dict[int, dict[str, int]] = defaultdict(dict)  # class -> attribute -> node
        self.worker_nodes: dict[int, dict[str, int]] = defaultdict(dict)  # set by methods that run in the worker
        self.of_classes: dict[int, dict[str, int]] = defaultdict(dict)  # as `nodes`, of the class itself
        # attribute node -> nodes of `x` and `y` in `x.attribute = y`
        self.stored_by: dict[int, set[tuple[int, int]]] = defaultdict(set)
        self.properties: frozenset[int] = frozenset()  # methods that their decorators turn into such
        self._followed: dict[str, bool] = {}  # foreign names
        self._passed_on: dict[str, bool] = {}
        self.looked_up: set[int] = set()  # nodes of what `getattr(x, name)` may give
        self._handed: set[tuple[int, int]] = set()  # to setters: (member node, node of the value)
        self._seen_by_class: set[tuple[int, int]] = set()  # by its own `__setattr__`: (class, node of the value)
        self._members_read: set[tuple[int, int, int]] = set()  # (member node, result, receiver)
        self._members = frozenset(name for _, made in program.classes for name in made.members)  # of any class

    def node(self, owner: int, attribute: str, line: int, file: int, worker: bool = False) -> int:
        """The node of an instance attribute of a class of the repo."""
        nodes = (self.worker_nodes if worker else self.nodes)[owner]
        node = nodes.get(attribute, -1)
        if node < 0:
            name = self.program.classes[owner][1].name
            label = f"stored as `{attribute}` on `{name}`"
            node = nodes[attribute] = self.heap.node(label, file, line)
            self.heap.roomy.add(node)
        return node

    def items_of(self, owner: int) -> int:
        """The node of what the methods of a class that is a dict or a list put into it: `self[name] = value`."""
        file, made = self.program.classes[owner]
        return self.node(owner, ITEMS, made.position[0], file)

    def of_class(self, owner: int, attribute: str, near: int) -> int:
        """The node of what code stores on a class of the repo; its objects are pickled without."""
        node = self.of_classes[owner].get(attribute, -1)
        if node < 0:
            label = f"stored as `{attribute}` on the class `{self.program.classes[owner][1].name}`"
            node = self.of_classes[owner][attribute] = self.heap.node(
                label, self.heap.file_of[near], self.heap.lines[near]
            )
        return node

    # `x.attribute`

    def load(self, value: Value, number: int, attribute: str, result: int) -> None:
        """`result` is the attribute of `value`, whose number is `number`."""
        kind, heap = value.kind, self.heap
        if attribute == LOOKED_UP:
            self._load_any(value, number, result)
        elif kind == FOREIGN:
            self._name(f"{value.a}.{attribute}", value.b, result)
            if attribute in self.constraints.stored_on_others and "(" not in str(value.a):
                node = self.module_names.foreign_attribute(f"{value.a}.{attribute}", result)
                heap.edge(node, result, heap.lines[result])
        elif kind == MODULE and attribute == "__dict__" and self.hierarchy.known:
            self.module_names.add_namespace(int(value.a), result)
        elif kind == MODULE:
            self.module_names.load(int(value.a), attribute, result)
        elif kind == CLASS and attribute == "__subclasses__":
            heap.add(result, heap.number(Value(FOREIGN, SUBCLASSES, number)))
        elif kind == CLASS:
            self._load_of_class(int(value.a), attribute, result)
        elif not self.hierarchy.known:
            return
        elif kind == INSTANCE:
            self._load_instance(int(value.a), number, attribute, result)
        elif kind == OBJECT:
            self._name(self._method_of(str(value.a), attribute), number, result)
            given = heap.given_as.get(value.b, {}).get(attribute, value.b if attribute in KEPT_AS else -1)
            if given >= 0 and result not in self.constraints.calls:
                heap.edge(given, result, heap.lines[result])
        elif kind == HAZARD:
            if attribute in _GIVES_ANOTHER and self.program.hazards[int(value.a)].kind is HazardKind.MADE_CLASS:
                heap.add(result, number)  # a call of it gives what a call of the class does
        elif kind == CONTAINER:
            self._load_of_container(int(value.a), number, attribute, result)
        elif kind == FUNCTION and attribute == "__get__":  # pickle looks on the object for a method of that name
            for offset, call in tuple(self.constraints.calls.get(result, ())):
                heap.add(call.result + offset, number)
        elif kind == SUPER:
            self._load_of_base(int(value.a), value.b, attribute, result)

    def has_super(self, value: Value, owner: int) -> bool:
        """`super()` in a method of the class `owner` means something for this value as its object."""
        if value.kind == CONTAINER:
            return owner == NO_CLASS or self.heap.bags.get(value.a, -1) >= 0
        return value.kind in (INSTANCE, CLASS)

    def _load_of_container(self, contents: int, number: int, attribute: str, result: int) -> None:
        heap, owner = self.heap, self.heap.bags.get(contents, -1)
        if owner >= 0 and attribute in CONTAINER_METHODS:
            if self._load_member(self.hierarchy.order(owner), attribute, result, number, owner):
                return  # a class that derives from `dict` has its own methods before those of `dict`
        elif attribute == _DATA and self.hierarchy.keeps_data(owner):
            heap.add(result, number)
        if result in self.constraints.calls:
            heap.add(result, heap.number(Value(FOREIGN, f"<container>.{attribute}", number)))
        elif contents in heap.bags:
            heap.read(contents, attribute, result)

    def _load_of_base(self, owner: int, receiver: int, attribute: str, result: int) -> None:
        """`result` is `super().attribute` in a method of the class `owner`."""
        heap, order = self.heap, self.hierarchy.order(owner)[1:] if owner != NO_CLASS else ()
        if self._load_member(order, attribute, result, receiver, owner):
            return
        if attribute == "__new__":
            heap.add(result, heap.number(Value(FOREIGN, NEW)))
        elif attribute in CONTAINER_METHODS and result in self.constraints.calls:
            self._load_of_container_base(heap.values[receiver], attribute, result)
        if owner == NO_CLASS:
            return
        for name in self.hierarchy.all_foreign_bases(owner):
            self._name(f"{name}().{attribute}", receiver, result)
        if attribute == "__init__" and any(self.program.classes[at][1].record for at in order):
            heap.add(result, heap.number(Value(FOREIGN, f"{RECORD}{owner}", receiver)))

    def _load_of_container_base(self, me: Value, attribute: str, result: int) -> None:
        """The same where the base of the object `me` is a builtin container, perhaps that of a class beside `owner`."""
        heap = self.heap
        found = [me] if me.kind == CONTAINER else []
        if me.kind == INSTANCE and self.hierarchy.known:
            family = (int(me.a), *sorted(self.hierarchy.below.get(int(me.a), ())))
            found = [Value(CONTAINER, self.items_of(at)) for at in family if self.hierarchy.is_bag(at)]
        for items in found:
            heap.add(result, heap.number(Value(FOREIGN, f"<container>.{attribute}", heap.number(items))))

    def _load_of_class(self, owner: int, attribute: str, result: int) -> None:
        heap, known = self.heap, self.hierarchy.known
        found = self._load_member(self.hierarchy.order(owner), attribute, result, -1, owner)
        if known and not found and (above := self.hierarchy.metaclasses(owner)):
            found = self._load_of_metaclass(owner, above, attribute, result)
        for base in self.hierarchy.all_foreign_bases(owner) if known and not found else ():
            if self._is_passed_on(name := f"{base}.{attribute}"):  # `Tables.register(...)` of a manager
                self._name(name, -1, result)
            if any(base.startswith(start) and attribute in loads for start, loads in _LOADERS.items()):
                heap.add(result, heap.number(Value(FOREIGN, LOADS, heap.number(Value(CLASS, owner)))))
        if attribute in self.constraints.stored_on_others and known:
            for at in self.hierarchy.order(owner):
                heap.edge(self.of_class(at, attribute, result), result, heap.lines[result])
        if attribute in self.program.classes[owner][1].members and self.hierarchy.is_enum(owner):
            self._load_enum_member(owner, result)

    def _load_of_metaclass(self, owner: int, above: tuple[int, ...], attribute: str, result: int) -> bool:
        """`result` is what a class has of its metaclass, which is the first of `above`."""
        heap = self.heap
        if attribute in self.constraints.stored_on_others:
            for at in above:  # `cls.known = {}`, or `Meta.known = {}`
                heap.edge(self.of_class(at, attribute, result), result, heap.lines[result])
        return self._load_member(above, attribute, result, heap.number(Value(CLASS, owner)), owner)

    def _method_of(self, made: str, attribute: str) -> str:
        """The name of a method of a foreign object: `eval` of `nn.Sequential(...)` is that of every module."""
        of_modules = f"torch.nn.Module().{attribute}"
        if f"{made}.".startswith("torch.nn.") and attribute in MODULE_GENERATORS:
            return of_modules
        whole = made.startswith("torch.nn.") and self.program.table.fluent(of_modules)
        return of_modules if whole else f"{made}().{attribute}"

    def _load_enum_member(self, owner: int, result: int) -> None:
        """`result` is a member of an Enum: `Task.READ`, of which `.value` is what the body binds."""
        heap = self.heap
        if self.program.classes[owner][1].nested:
            heap.add(result, heap.number(Value(INSTANCE, owner)))
        if any("__new__" in self.program.classes[at][1].members for at in self.hierarchy.order(owner)):
            return  # it may choose another value
        for attribute, taken in self.constraints.loads.get(result, ()):
            if attribute in _VALUES:
                heap.edge(result, taken, heap.lines[taken])

    def enum_members(self, owner: int, key: str, result: int) -> None:
        """`result` is what a loop over an Enum of the repo gives, or its member called `key`: what the body binds."""
        body = self.program.classes[owner][1].members
        for name in (key,) if key in body else body:
            if name[:1] != "_":
                self._load_member((owner,), name, result, _MEMBER, owner)
        self._load_enum_member(owner, result)

    def make(self, owner: int, result: int) -> None:
        """`result` is what `object.__new__` makes of a class: its object, or a class that it is the metaclass of."""
        heap = self.heap
        heap.add(result, heap.number(Value(INSTANCE, owner)))
        for made in self.hierarchy.made_by.get(owner, ()) if self.hierarchy.known else ():
            heap.add(result, heap.number(Value(CLASS, made)))

    def look_up(self, base: int, result: int) -> None:
        """`result` is an attribute of what is in the node `base`, by a name that is not known."""
        found = self._by_some_name(result)
        self.constraints.add(self.constraints.loads, base, (LOOKED_UP, found))
        for number in tuple(self.heap.holds[base]):
            self.load(self.heap.values[number], number, LOOKED_UP, found)

    def look_up_class(self, file: int, result: int) -> None:
        """`result` is a class of the module, by a name that is not known."""
        self._load_class(file, self._by_some_name(result))

    def _by_some_name(self, result: int) -> int:
        """The node of what is found there for `result`."""
        heap = self.heap
        found = heap.node(LOOKED_UP, heap.file_of[result], heap.lines[result])
        self.looked_up.add(found)
        heap.edge(found, result, heap.lines[result])
        return found

    def is_looked_up(self, node: int, number: int) -> bool:
        """The value `number`, which is in `node`, came there by such a name."""
        for _ in range(_MAX_STEPS if self.looked_up else 0):
            if node < 0 or node in self.looked_up:
                return node >= 0
            node = self.heap.source(node, number)
        return False

    def _load_any(self, value: Value, number: int, result: int) -> None:
        """What the body of a class binds; of a module, its classes."""
        if value.kind == MODULE:
            self._load_class(int(value.a), result)
        elif value.kind == FOREIGN:
            self.load_foreign_class(str(value.a), result)
        index = int(value.a) if value.kind in (CLASS, INSTANCE) else -1
        if index < 0:
            return
        order = self.hierarchy.order(index) if self.hierarchy.known else ()
        for name in dict.fromkeys(name for at in order for name in self.program.classes[at][1].members):
            if name[:2] != "__":
                self._load_member(order, name, result, number if value.kind == INSTANCE else -1, index)

    def load_foreign_class(self, module: str, result: int) -> None:
        """`result` is some class of an installed module, where the table says that all of them keep what they get."""
        table = self.program.table
        if table.surely_keeps(table.canonical(module)):
            self.heap.add(result, self.heap.number(Value(FOREIGN, f"{module}.*")))

    def _load_class(self, file: int, result: int) -> None:
        contents = self.module_names.classes_of(file)
        self.heap.edge(self.heap.every(contents), result, self.heap.lines[result])

    def _name(self, name: str, receiver: int, result: int) -> None:
        """`result` is the foreign thing `name`; parts of what calls give only where the table knows them."""
        heap, of_call = self.heap, "()" in name
        if of_call and result not in self.constraints.calls and not self._is_passed_on(name):
            return
        known = self._followed.get(name)
        if known is None:
            known = self._followed[name] = self._is_followed(name, of_call)
        if known:
            heap.add(result, heap.number(Value(FOREIGN, name, receiver if of_call else -1)))

    def _is_passed_on(self, name: str) -> bool:
        """A method that may be called elsewhere: `each = pool.map if workers > 1 else map`."""
        known = self._passed_on.get(name)
        if known is None:
            table = self.program.table
            plain = table.canonical(name)
            known = table.boundary(plain) is not None or table.why_harmless(plain) is not None
            self._passed_on[name] = known
        return known

    def _is_followed(self, name: str, of_call: bool) -> bool:
        """Something may be done with the foreign thing `name` that matters."""
        table = self.program.table
        if name.startswith("torch.nn.Module().") and name.rpartition(".")[2] in MODULE_GENERATORS:
            return True
        inside = name.rpartition(".")[0].rpartition(".")[2]
        if name.endswith("().__init__") if of_call else not inside[:1].isupper() and name.count(".") < _MAX_DOTS:
            return True
        return table.concerns(table.canonical(name))

    def _load_instance(self, owner: int, number: int, attribute: str, result: int) -> None:
        heap = self.heap
        order = self.hierarchy.order(owner)
        found = self._load_member(order, attribute, result, number, owner)
        for at in order:
            file, made = self.program.classes[at]
            line = made.position[0]
            heap.edge(self.node(at, attribute, line, file), result, heap.lines[result])
            if attribute in self.worker_nodes[at]:
                heap.edge(self.worker_nodes[at][attribute], result, heap.lines[result])
        if not found and result in self.constraints.calls and self.hierarchy.is_bag(owner):
            items = heap.number(Value(CONTAINER, self.items_of(owner)))
            heap.add(result, heap.number(Value(FOREIGN, f"<container>.{attribute}", items)))
        elif not found:
            if attribute == _DATA and self.hierarchy.keeps_data(owner):
                heap.add(result, heap.number(Value(CONTAINER, self.items_of(owner))))
            for name in self.hierarchy.all_foreign_bases(owner):
                self._name(f"{name}().{attribute}", number, result)

    # names of class bodies

    def _load_member(self, order: Iterable[int], attribute: str, result: int, receiver: int, owner: int) -> bool:
        for at in order:
            file, made = self.program.classes[at]
            member = made.members.get(attribute, -1)
            if member < 0:
                continue
            node = member + self.program.offsets[file]
            key = (node, result, receiver)
            if key not in self._members_read:
                self._members_read.add(key)
                self.constraints.add(self.constraints.members, node, (result, receiver, owner))
                for number in tuple(self.heap.holds[node]):
                    self.bind_member(node, number, result, receiver, owner)
            return True
        return False

    def bind_member(self, node: int, number: int, result: int, receiver: int, owner: int) -> None:
        """`result` is what the name `node` of a class, which holds the value `number`, is for `receiver`, if not -1."""
        heap = self.heap
        value = heap.values[number]
        if value.kind != FUNCTION or receiver == _MEMBER:
            if value.kind != FUNCTION and not self._by_descriptor(value, number, result, receiver):
                heap.add(result, number, node)
            return
        file, function = self.program.functions[int(value.a)]
        if function.binding is MethodBinding.CLASS:
            of_class = receiver >= 0 and heap.values[receiver].kind == CLASS
            target = receiver if of_class else heap.number(Value(CLASS, owner))
            heap.add(result, heap.number(Value(BOUND, int(value.a), target)), node)
        elif self._is_property(int(value.a)) and receiver >= 0:
            offset = self.program.offsets[file]
            if function.parameters:
                heap.add(function.parameters[0].node + offset, receiver)
            heap.edge(function.returns + offset, result, heap.lines[result])
            if self._is_cached(function, offset):
                worker = function.worker_side and heap.file_of[result] == file
                kept = self.node(owner, function.name, function.position[0], file, worker)
                heap.edge(function.returns + offset, kept, function.position[0])
        elif function.binding is MethodBinding.STATIC or receiver < 0 or function.kind is not FunctionKind.METHOD:
            heap.add(result, number, node)
        else:
            heap.add(result, heap.number(Value(BOUND, int(value.a), receiver)), node)

    def _is_property(self, index: int) -> bool:
        return self.program.functions[index][1].binding is MethodBinding.PROPERTY or index in self.properties

    def _by_descriptor(self, value: Value, number: int, result: int, receiver: int) -> bool:
        """`result` is what the `__get__` of the object that the class has there gives for the object `receiver`."""
        found = self.method(int(value.a), "__get__") if value.kind == INSTANCE and receiver >= 0 else -1
        if found < 0:
            return False
        heap, (file, function) = self.heap, self.program.functions[found]
        offset = self.program.offsets[file]
        for parameter, given in zip(function.parameters, (number, receiver), strict=False):
            heap.add(parameter.node + offset, given)
        heap.edge(function.returns + offset, result, heap.lines[result])
        return True

    def _is_cached(self, function: Function, offset: int) -> bool:
        """The object keeps what the property gives, and takes it along when it is pickled."""
        held = (self.heap.values[number] for each in function.decorators for number in self.heap.holds[each + offset])
        return any(value.kind == FOREIGN and str(value.a).endswith(_CACHED) for value in held)

    def method(self, owner: int, name: str) -> int:
        """The function that a class of the repo, or the nearest of its bases, has under this name; -1 for none."""
        for at in self.hierarchy.order(owner):
            file, made = self.program.classes[at]
            member = made.members.get(name, -1)
            if member >= 0:
                held = (self.heap.values[number] for number in self.heap.holds[member + self.program.offsets[file]])
                return next((int(value.a) for value in held if value.kind == FUNCTION), -1)
        return -1

    # `x.attribute = value`

    def store(self, base: int, value: Value, attribute: str, stored: int, line: int, worker: bool) -> None:
        """What is in the node `stored` is stored on `value`, which is in the node `base`."""
        heap = self.heap
        file = heap.file_of[base]
        if attribute == _SETS:
            self._call_setter(value, stored, line)
        elif value.kind == INSTANCE:
            self._hand_to_setter(int(value.a), attribute, stored, line)
            node = self.node(int(value.a), attribute, line, file, worker)
            self.stored_by[node].add((base, stored))
            if heap.lines[node] == self.program.classes[int(value.a)][1].position[0]:
                heap.lines[node], heap.file_of[node] = line, file
            heap.edge(stored, node, line)
        elif value.kind == CLASS:
            node = self.of_class(int(value.a), attribute, base)
            heap.lines[node], heap.file_of[node] = line, file
            heap.edge(stored, node, line)
        elif value.kind == CONTAINER and value.a in heap.bags:
            heap.edge(stored, heap.field(int(value.a), attribute), line)
        elif value.kind == OBJECT and value.b >= 0:
            heap.edge(stored, value.b, line)
            if attribute in heap.given_as.get(value.b, {}):
                heap.edge(stored, heap.given_as[value.b][attribute], line)
        elif value.kind == MODULE:
            names = self.module_names.nodes[int(value.a)]
            if attribute not in names:
                self.module_names.bind(int(value.a), attribute, base)
            heap.edge(stored, names[attribute], line)
        elif value.kind == FOREIGN and "(" not in str(value.a):
            heap.edge(stored, self.module_names.foreign_attribute(f"{value.a}.{attribute}", base), line)

    def _hand_to_setter(self, owner: int, attribute: str, stored: int, line: int) -> None:
        """What is stored goes to the setter of a property, or to a descriptor, of that name, and to `__setattr__`."""
        for at in self.hierarchy.order(owner) if attribute in self._members else ():
            file, made = self.program.classes[at]
            member = made.members.get(attribute, -1)
            if member >= 0:
                node = member + self.program.offsets[file]
                if (node, stored) not in self._handed:
                    self._handed.add((node, stored))
                    self.constraints.add(self.constraints.stores, node, (_SETS, stored, line, False))
                    for number in tuple(self.heap.holds[node]):
                        self._call_setter(self.heap.values[number], stored, line)
                break
        if "__setattr__" in self._members and (owner, stored) not in self._seen_by_class:
            self._seen_by_class.add((owner, stored))
            found = self.method(owner, "__setattr__")
            file, function = self.program.functions[found] if found >= 0 else (-1, None)
            if function is not None and len(function.parameters) > 2:
                self.heap.edge(stored, function.parameters[2].node + self.program.offsets[file], line)

    def _call_setter(self, value: Value, stored: int, line: int) -> None:
        found = self.method(int(value.a), "__set__") if value.kind == INSTANCE else -1
        if value.kind == FUNCTION and self._is_property(int(value.a)):
            found = int(value.a)
        file, function = self.program.functions[found] if found >= 0 else (-1, None)
        if function is not None and len(function.parameters) > 1:
            self.heap.edge(stored, function.parameters[-1].node + self.program.offsets[file], line)
