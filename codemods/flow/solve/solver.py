"""Inclusion-based points-to analysis over the facts of a repo: which values can be in which node.

Field-sensitive for attributes of the repo's own classes (one abstract instance per class) and for literal keys of
dicts, one content node per container or foreign object otherwise; flow- and context-insensitive. Each (node, value)
pair is handled once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from ..boundaries import Table
from ..facts.records import FileFacts
from ..kinds import NAMELESS, FunctionKind, MethodBinding
from .attributes import Attributes
from .calls import OwnCalls
from .constraints import Constraints
from .containers import Containers
from .decorators import forget_impossible_decorators
from .deferred_calls import DeferredCalls
from .dispatch import Dispatch
from .foreign_objects import ForeignObjects
from .heap import (
    BOUND,
    CLASS,
    CONTAINER,
    FOREIGN,
    FUNCTION,
    HAZARD,
    INSTANCE,
    MAX_CALLABLES,
    MAX_VALUES,
    MODULE,
    OBJECT,
    PERHAPS_KEPT,
    SUPER,
    Heap,
    Value,
)
from .hierarchy import Hierarchy
from .hooks import leave_out_own_hooks
from .module_names import ModuleNames
from .program import Program, lay_out
from .properties import properties
from .python_builtins import PythonBuiltins
from .shared_methods import called_by_others
from .sinks import Sinks
from .solution import Solution

_KEPT = frozenset({FUNCTION, CLASS, INSTANCE, BOUND, CONTAINER, OBJECT, HAZARD})  # what matters in a container
_MAX_OWNERS = 3  # objects that keep another that is not known
MAX_STEPS = 3_000_000  # pairs handled before the analysis stops looking; 10 a node in larger repos (seen: 1 to 2)


def solve(facts: Mapping[str, FileFacts], table: Table) -> Solution:
    """The solution for the files of `facts`, by path."""
    return _Solver(lay_out(facts, table)).run()


class _Solver:
    """The work list. What a value does in a node is in the objects that it calls."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.hierarchy = Hierarchy(program)
        self.heap = Heap(_HazardTest(program, self.hierarchy))
        self.constraints = Constraints()
        self.module_names = ModuleNames(program, self.heap, self.constraints)
        self.attributes = Attributes(program, self.heap, self.constraints, self.hierarchy, self.module_names)
        self.containers = Containers(self.heap, self.constraints, program.table, self.hierarchy, self.attributes)
        self.sinks = Sinks(program, self.heap, self.containers)
        self.foreign = ForeignObjects(program.table, self.heap, self.constraints, self.containers, self.sinks)
        self.dispatch = Dispatch(
            program, self.heap, self.constraints, self.attributes,
            OwnCalls(program, self.heap, self.hierarchy, self.attributes, self.containers, self.sinks, self.foreign),
            PythonBuiltins(program, self.heap, self.constraints, self.attributes, self.containers),
            self.foreign, DeferredCalls(program, self.heap, self.containers), self.sinks,
        )  # fmt: skip
        self.steps = 0

    def run(self) -> Solution:
        """Names first, as they say what the bases of classes are; then everything."""
        program, heap, constraints = self.program, self.heap, self.constraints
        hooked = not any(facts.removes for facts in program.facts)
        for index, facts in enumerate(program.facts):
            offset = program.offsets[index]
            heap.add_file(index, facts.lines, facts.labels)
            constraints.add_file(offset, facts, hooked)
            heap.add_edges(offset, facts.edges)
        for index in range(len(program.files)):
            self.module_names.seed(index)
        limit = max(MAX_STEPS, 10 * len(heap.lines))
        self._work_off(limit, names_only=True)
        self.hierarchy.resolve(self._bases_of, self._metaclasses_of)
        self.attributes.properties = properties(program, heap, self.hierarchy)
        self._seed_metaclasses()
        for index, facts in enumerate(program.facts):
            self._seed_objects(index, facts)
        for node in [*constraints.calls, *constraints.loads, *constraints.stores, *constraints.elements]:
            heap.work.extend((node, number) for number in heap.holds[node])
        self._work_off(limit, names_only=False)
        self._seed_unknown()
        self._store_by_others()
        self._work_off(limit, names_only=False)
        forget_impossible_decorators(program, heap, constraints, self.dispatch.own)
        leave_out_own_hooks(program, heap, self.attributes)
        heap.settle()
        constraints.settle()
        return Solution(
            program, heap, constraints, self.hierarchy, self.attributes.nodes, self.attributes.stored_by,
            self.sinks.found, self.dispatch.start_methods, self.steps, self.steps <= limit,
        )  # fmt: skip

    # what is there from the start

    def _bases_of(self, index: int) -> tuple[list[int], list[str]]:
        """The bases of a class: classes of the repo, and canonical names of what lies outside."""
        file, made = self.program.classes[index]
        offset = self.program.offsets[file]
        own: list[int] = []
        foreign: list[str] = []
        for base, written in zip(made.bases, made.base_names, strict=True):
            held = [self.heap.values[number] for number in self.heap.holds[base + offset]] if base >= 0 else []
            own += [int(value.a) for value in held if value.kind == CLASS]
            foreign += [self.program.table.canonical(str(value.a)) for value in held if value.kind == FOREIGN]
            if not held:
                foreign += self._made_by_calls(file, base) or ([written] if written else [])
        return own, foreign

    def _metaclasses_of(self, index: int) -> list[int]:
        """The classes of the repo that a class names as its metaclass."""
        file, made = self.program.classes[index]
        held = (self.heap.values[number] for number in self.heap.holds[made.made_by + self.program.offsets[file]])
        return [int(value.a) for value in held if value.kind == CLASS]

    def _seed_metaclasses(self) -> None:
        """The methods of a metaclass have the classes that it makes as their objects, and may store on them."""
        own = self.program.own_parameters if self.hierarchy.made_by else {}
        for index, parameter in own.items():
            file, function = self.program.functions[index]
            owner = self.program.class_offset[file] + function.owner
            if function.binding is MethodBinding.INSTANCE and owner in self.hierarchy.made_by:
                for made in self.hierarchy.made_by[owner]:
                    self.heap.add(parameter, self.heap.number(Value(CLASS, made)))
                stores = self.constraints.stores.get(parameter, ())
                self.constraints.stored_on_others.update(attribute for attribute, *_ in stores)

    def _made_by_calls(self, file: int, base: int) -> list[str]:
        """Canonical names of a base that is an attribute of what a call gives: `ctx.Process`."""
        facts, offset, table = self.program.facts[file], self.program.offsets[file], self.program.table
        loaded = next(((owner, attribute) for owner, attribute, result in facts.loads if result == base), None)
        if loaded is None:
            return []
        made = {loaded[0], *(source for source, target, _ in facts.edges if target == loaded[0])}
        found: list[str] = []
        for call in facts.calls:
            for number in self.heap.holds[call.function + offset] if call.result in made else ():
                if self.heap.values[number].kind == FOREIGN:
                    maker = table.becomes(table.canonical(str(self.heap.values[number].a)), call.literals)
                    name = table.canonical(f"{maker}().{loaded[1]}")
                    found += [name] if table.concerns(name) else []
        return found

    def _seed_objects(self, index: int, facts: FileFacts) -> None:
        program, heap = self.program, self.heap
        offset, empty = program.offsets[index], set(facts.empty)
        for number, (node, function) in enumerate(zip(facts.function_nodes, facts.functions, strict=True)):
            heap.add(node + offset, heap.number(Value(FUNCTION, program.function_offset[index] + number)))
            heap.modules_only.update(parameter.node + offset for parameter in function.parameters if parameter.module)
            if (
                function.kind is FunctionKind.METHOD
                and function.binding is not MethodBinding.STATIC
                and function.parameters
            ):
                owner = program.class_offset[index] + function.owner
                kind = CLASS if function.binding is MethodBinding.CLASS else INSTANCE
                heap.add(function.parameters[0].node + offset, heap.number(Value(kind, owner)))
                for derived in self.hierarchy.below.get(owner, ()) if function.name == "__init_subclass__" else ():
                    heap.add(function.parameters[0].node + offset, heap.number(Value(CLASS, derived)))
                for derived in self.hierarchy.derived_makers.get(owner, ()) if kind == INSTANCE else ():
                    if function.name not in program.classes[derived][1].members:
                        heap.add(function.parameters[0].node + offset, heap.number(Value(kind, derived)))
        for node, contents, fields in facts.containers:
            made = Value(CONTAINER, contents + offset)
            if fields:
                heap.fields[contents + offset] = {key: field + offset for key, field in fields}
            heap.add_when_filled(node + offset, made, contents + offset)
        for node, contents, _ in facts.containers:
            if node in empty:
                heap.add(node + offset, heap.number(Value(CONTAINER, contents + offset)))
        for number, (node, _, _) in enumerate(facts.hazards, program.hazard_offset[index]):
            heap.add(node + offset, heap.number(Value(HAZARD, number)))

    def _seed_unknown(self) -> None:
        """What nothing is known of, but that it gets something of ours as an attribute, is an object that keeps it."""
        heap, stores = self.heap, self.constraints.stores
        for base in [node for node in stores if not heap.holds[node]]:
            stored = next((store for store in stores[base] if heap.holds[store[1]]), None)
            if stored is not None:
                self._seed_keeper(base, stored[0], stored[2])
                self._seed_owners(base, stored[2])

        self._seed_filled_later()

    def _seed_keeper(self, node: int, attribute: str, line: int) -> int:
        """What is in `node` is an object that keeps things; the node of these."""
        contents = self.heap.node(f"stored as `{attribute}`", self.heap.file_of[node], line)
        self.heap.add(node, self.heap.number(Value(OBJECT, PERHAPS_KEPT, contents)))
        return contents

    def _seed_owners(self, node: int, line: int) -> None:
        """So is what it is taken from: `config.run` of `config.run.group = group`."""
        for _ in range(_MAX_OWNERS):
            owner, attribute = self._taken.get(node, (-1, ""))
            if owner < 0:
                return
            if self.heap.holds[owner]:
                for value in [self.heap.values[number] for number in self.heap.holds[owner]]:
                    if value.kind == INSTANCE and attribute:  # `net.layer.forward = forward`
                        self.attributes.store(owner, value, attribute, node, line, False)
                    elif value.kind == OBJECT and value.b >= 0:
                        self.heap.edge(node, value.b, line)
                return
            self.heap.edge(node, self._seed_keeper(owner, attribute, line), line)
            node = owner

    @cached_property
    def _taken(self) -> dict[int, tuple[int, str]]:
        """By node the object whose attribute it is, and the attribute; "" for an element."""
        loads, elements = self.constraints.loads.items(), self.constraints.elements.items()
        found = {result: (base, "") for base, taken in elements for result, _ in taken}
        return {**found, **{result: (base, attribute) for base, taken in loads for attribute, result in taken}}

    def _seed_filled_later(self) -> None:
        """What seemed to hold nothing that matters is a container, where such a thing is put in under its name."""
        program, heap = self.program, self.heap
        everywhere = [*zip(program.facts, program.offsets, strict=True)]
        filled: set[tuple[str, str]] = set()  # the file, "" for attributes, and the name
        for facts, offset in everywhere:
            for name, node in facts.put_by_name:
                if any(heap.values[number].kind in _KEPT for number in heap.holds[node + offset]):
                    filled.add(("" if name[0] == "." else facts.path, name))
        for facts, offset in everywhere if filled else ():
            contents = {node: inner + offset for node, inner, _ in facts.containers}
            for node, name in facts.kept_empty:
                at = node + offset
                if not heap.holds[at] and ("" if name[0] == "." else facts.path, name) in filled:
                    inner = contents.get(node, -1)
                    inner = inner if inner >= 0 else heap.node("", heap.file_of[at], heap.lines[at])
                    heap.add(at, heap.number(Value(CONTAINER, inner)))

    def _store_by_others(self) -> None:
        """What methods store that workers call, and that the main process calls too, before it sends the object."""
        program, heap = self.program, self.heap
        for index in called_by_others(program, heap, self.constraints.calls):
            file, method = program.functions[index]
            number, offset = index - program.function_offset[file], program.offsets[file]
            for base, attribute, stored, line, function in program.facts[file].stores:
                if function == number and base == method.parameters[0].node:
                    for value in [heap.values[each] for each in heap.holds[base + offset]]:
                        self.attributes.store(base + offset, value, attribute, stored + offset, line, False)

    # the work list

    def _work_off(self, limit: int, names_only: bool) -> None:
        """Handle every pair until none is left. `names_only`: what modules and classes hold, not what is called."""
        heap = self.heap
        work, values, targets, all_held, pending = heap.work, heap.values, heap.targets, heap.holds, heap.pending
        maxima, add, loads, load = heap.most, heap.add, self.constraints.loads, self.attributes.load
        watched, apply, put = self.constraints.watched, self._apply, heap.put
        alone, plain, came = heap.alone, heap.plain, heap.came
        steps = self.steps
        while work or heap.overflow:
            if not work:
                heap.summarise(*heap.overflow.popleft())
                continue
            node, number = work.popleft()
            steps += 1
            if steps > limit:
                work.clear()
                break
            out = targets[node]
            value = values[number]
            if out is not None:
                most, is_plain = maxima[number], plain[number]
                for target in out:
                    held = all_held[target]
                    if number not in held and len(held) < most:
                        if most == MAX_CALLABLES and len(held) >= MAX_VALUES and not heap.has_room(held):
                            continue
                        if is_plain and (held or target not in pending):
                            if held:
                                put(target, number, node)
                            else:  # as `put`, which costs more than that: this is done for most pairs
                                all_held[target] = alone[number]
                                came[target] = node
                            if targets[target] is not None or target in watched:  # else nothing is done with it there
                                work.append((target, number))
                        else:
                            add(target, number, node)
            if node in watched:
                if node in loads:
                    for attribute, result in tuple(loads[node]):
                        load(value, number, attribute, result)
                if not names_only:
                    apply(node, number, value)
        self.steps = steps

    def _apply(self, node: int, number: int, value: Value) -> None:
        """What code does with the values of `node`, loads of attributes aside, is done with one of them."""
        heap, constraints = self.heap, self.constraints
        if node in constraints.members:
            for result, receiver, owner in tuple(constraints.members[node]):
                self.attributes.bind_member(node, number, result, receiver, owner)
        if node in constraints.stores:
            for attribute, stored, line, worker in tuple(constraints.stores[node]):
                self.attributes.store(node, value, attribute, stored, line, worker)
        if node in constraints.elements:
            for result, key in tuple(constraints.elements[node]):
                self.containers.take(value, result, key)
        if node in constraints.puts:
            for stored, line, key in tuple(constraints.puts[node]):
                self.containers.put(value, stored, line, key)
        if node in constraints.calls:
            for offset, call in tuple(constraints.calls[node]):
                self.dispatch.call(node, value, number, offset, call)
        for owner, result in constraints.supers.get(node, ()):
            if self.attributes.has_super(value, owner):
                heap.add(result, heap.number(Value(SUPER, owner, number)))
        if node in constraints.copies:
            for result, other in constraints.copies[node]:
                self.containers.copy(value, result, other)
        if node in constraints.variants:
            for variant, offset, call in tuple(constraints.variants[node]):
                self.foreign.make_variant(value, variant, offset, call)
        if node in constraints.made and value.kind == CLASS:
            for result in constraints.made[node]:
                self.attributes.make(int(value.a), result)
        if node in constraints.types and value.kind == INSTANCE:
            for result in constraints.types[node]:
                heap.add(result, heap.number(Value(CLASS, value.a)))
        if node in constraints.namespaces and value.kind in (MODULE, FOREIGN):
            for result in constraints.namespaces[node]:
                self.attributes.load(value, number, "__dict__", result)


class _HazardTest:
    """True for values that are looked for, not only looked through."""

    def __init__(self, program: Program, hierarchy: Hierarchy) -> None:
        self.program, self.hierarchy = program, hierarchy

    def __call__(self, value: Value) -> bool:
        if value.kind == FUNCTION:
            return self.program.functions[int(value.a)][1].kind in NAMELESS
        if value.kind in (CLASS, INSTANCE):
            return int(value.a) in self.hierarchy.makers
        if value.kind == OBJECT:  # a pipeline: all it is for is to be loaded
            return value.b >= 0 and self.program.table.fluent(str(value.a))
        return value.kind == HAZARD
