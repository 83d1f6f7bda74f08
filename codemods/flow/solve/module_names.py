"""Names of modules: what imports bind, what `module.name` means, what other code sets on a module."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from functools import cached_property

from ..facts.records import FileFacts, NamePattern
from ..kinds import NAMELESS, FunctionKind
from .constraints import Constraints
from .heap import CLASS, CONTAINER, FOREIGN, FUNCTION, MODULE, Heap, Value
from .program import Program

_MAX_MODULES = 40  # as many modules may be meant by a name that is put together
_MAX_STEPS = 2  # from where a function is defined to where it is given back
_MAX_NAMES = 40  # as many classes of a module may be meant by a name that is not known


class ModuleNames:
    """The names of every file of a program."""

    def __init__(self, program: Program, heap: Heap, constraints: Constraints) -> None:
        self.program, self.heap, self.constraints = program, heap, constraints
        self.nodes = [  # per file: name at module level -> node
            {name: node + offset for name, node in facts.module_names.items()}
            for facts, offset in zip(program.facts, program.offsets, strict=True)
        ]
        self._namespaces: dict[int, int] = {}  # per file, see `classes_of`
        self._foreign: dict[str, int] = {}  # what code of the repo sets on foreign modules, by dotted name
        self._stars: dict[int, list[tuple[int, bool]]] = {}  # per file, see `_starred`
        self._given: dict[str, dict[int, int]] = {}  # per name and file, see `_given_by_one`

    def seed(self, index: int) -> None:
        """Imports, builtins, classes and decorators that make properties of one file get their values."""
        program, heap = self.program, self.heap
        facts, offset = program.facts[index], program.offsets[index]
        for node, module, level, name in facts.imports:
            self._import(index, node + offset, module, level, name)
        for name, node in facts.unbound:
            if not self._bind_by_star(index, name, node + offset):
                heap.add(node + offset, heap.number(Value(FOREIGN, self._foreign_name(facts, name))))
        for number, node in enumerate(facts.class_nodes):
            heap.add(node + offset, heap.number(Value(CLASS, program.class_offset[index] + number)))
        for number, (node, function) in enumerate(zip(facts.function_nodes, facts.functions, strict=True)):
            if function.gives_property:
                heap.add(node + offset, heap.number(Value(FUNCTION, program.function_offset[index] + number)))

    def _foreign_name(self, facts: FileFacts, name: str) -> str:
        """What a name means that nothing in the repo binds: a builtin, or something from a foreign star import."""
        if hasattr(builtins, name):
            return name  # libraries that bind one of these at their top are rare
        program = self.program
        for module, level, _ in facts.star_imports:
            if not level and program.modules.absolute(facts.path, module) is None:
                full = f"{module}.{name}"
                if program.table.concerns(program.table.canonical(full)):
                    return full
        return name

    def _import(self, index: int, node: int, module: str, level: int, name: str) -> None:
        program, heap = self.program, self.heap
        path = program.files[index]
        if name in ("", "*") and level == 0:  # import a.b.c as x / import a.b.c
            wanted = module if name == "" else module.partition(".")[0]
            found = program.modules.absolute(path, wanted)
            made = Value(MODULE, program.file_index[found]) if found else Value(FOREIGN, wanted)
            heap.add(node, heap.number(made))
            return
        found = program.modules.relative(path, level, module) if level else program.modules.absolute(path, module)
        if found is not None:
            if not level and not self._may_give(found, path, name):
                others = program.modules.namesakes(path, module)
                found = next((each for each in others if self._may_give(each, path, name)), found)
            origin = program.file_index[found]
            # `from . import part` of a package binds the name that it reads: what it reads is the module `part`
            if self.nodes[origin].get(name, node) != node:
                heap.edge(self.nodes[origin][name], node, heap.lines[node])
                return
            if found.endswith("__init__.py"):
                inner = program.modules.relative(found, 1, name)
                if inner is not None:
                    heap.add(node, heap.number(Value(MODULE, program.file_index[inner])))
                    return
            self._bind_by_star(origin, name, node)
            return
        if level:
            inner = program.modules.relative(path, level, f"{module}.{name}" if module else name)
        else:
            inner = program.modules.absolute(path, f"{module}.{name}")  # a folder without __init__.py
        if inner is not None:
            heap.add(node, heap.number(Value(MODULE, program.file_index[inner])))
        elif not level:
            heap.add(node, heap.number(Value(FOREIGN, f"{module}.{name}")))

    def _may_give(self, found: str, importer: str, name: str) -> bool:
        """The file binds `name`, or may by a star import or as a package; another file of its name is meant else."""
        origin = self.program.file_index[found]
        if found == importer:
            return False
        gives = name in self.nodes[origin] or bool(self.program.facts[origin].star_imports)
        return gives or found.endswith("__init__.py")

    def import_by_name(self, name: object, near: int) -> None:
        """`near` is what `import_module(name)` gives; where the name is put together, any module that it may mean."""
        program, heap = self.program, self.heap
        found: list[str] = []
        if isinstance(name, NamePattern):
            found = program.modules.fitting(name.start, name.end, program.files[heap.file_of[near]])
        elif isinstance(name, str) and (path := program.modules.absolute(program.files[heap.file_of[near]], name)):
            found = [path]
        for path in found if len(found) <= _MAX_MODULES else ():
            heap.add(near, heap.number(Value(MODULE, program.file_index[path])))

    def _bind_by_star(self, index: int, name: str, node: int) -> bool:
        """`node` is what `from ... import *` of a file binds `name` to: in all of several ways, else in the first."""
        heap, found = self.heap, False
        given = self._given_by_one(index, name)
        if given is not None:
            if given >= 0:
                heap.edge(self.nodes[given][name], node, heap.lines[node])
            return given >= 0
        for star, one_of_several in self._star_closure(index):
            if name in self.nodes[star]:
                heap.edge(self.nodes[star][name], node, heap.lines[node])
                found = True
                if not one_of_several:
                    break
        return found

    def _given_by_one(self, index: int, name: str) -> int | None:
        """The file that gives the name, where each on the way there imports `*` once, -1 where none does; None where
        there are several ways. A chain of such files is followed once for each name."""
        known = self._given.setdefault(name, {})
        passed: dict[int, None] = {index: None}
        at, found = index, -1
        while stars := self._starred(at):
            at, one_of_several = stars[0]
            if len(stars) > 1 or one_of_several or at in passed:
                return None
            if name in self.nodes[at]:
                found = at
                break
            if at in known:
                found = known[at]
                break
            passed[at] = None
        if found == index:
            return None
        known.update(dict.fromkeys(passed, found))
        return found

    def _starred(self, index: int) -> list[tuple[int, bool]]:
        """The files of the repo that star imports of a file name; whether they are one of several ways."""
        known = self._stars.get(index)
        if known is None:
            known = self._stars[index] = []
            facts, modules = self.program.facts[index], self.program.modules
            for module, level, choice in facts.star_imports:
                path = facts.path
                found = modules.relative(path, level, module) if level else modules.absolute(path, module)
                if found is not None:
                    known.append((self.program.file_index[found], choice))
        return known

    def _star_closure(self, index: int) -> Iterator[tuple[int, bool]]:
        """The files that star imports name, and those that they name; whether they are one of several ways."""
        seen, todo = {index}, [(index, False)]
        while todo:
            at, above = todo.pop()
            for star, choice in self._starred(at):
                if star not in seen:
                    seen.add(star)
                    todo.append((star, above or choice))
                    yield star, above or choice

    def load(self, index: int, attribute: str, result: int) -> None:
        program, heap = self.program, self.heap
        names = self.nodes[index]
        if attribute in names:
            heap.edge(names[attribute], result, heap.lines[result])
            return
        inner = program.modules.relative(program.files[index], 1, attribute)
        if inner is not None and program.files[index].endswith("__init__.py"):
            heap.add(result, heap.number(Value(MODULE, program.file_index[inner])))
            return
        if self._bind_by_star(index, attribute, result):
            return
        if attribute in self.constraints.stored_on_others:
            self.bind(index, attribute, result)
            heap.edge(names[attribute], result, heap.lines[result])

    def add_namespace(self, index: int, result: int) -> None:
        """`result` is the dict with the names of the module, as `vars(module)` gives it: its classes."""
        contents = self.classes_of(index)
        self.heap.add_when_filled(result, Value(CONTAINER, contents), contents)

    def classes_of(self, index: int) -> int:
        """The contents of a dict with the classes of the module, by name.

        Of its functions only those that give back one that they define: these are more, and of more kinds, and to take
        each for what is called finds untrue ways.
        """
        heap = self.heap
        contents = self._namespaces.get(index, -1)
        if contents < 0:
            contents = self._namespaces[index] = heap.node("", index, 1)
            names: dict[str, int] = {}
            for at in (index, *(star for star, _ in self._star_closure(index))):
                names = {**self.nodes[at], **names}
            meant = {name: node for name, node in names.items() if self._is_class(node)}
            if 0 < len(meant) <= _MAX_NAMES:
                heap.fields[contents] = meant
        return contents

    def _is_class(self, node: int) -> bool:
        held = [self.heap.values[number] for number in self.heap.holds[node]]
        return any(value.kind == CLASS or (value.kind == FUNCTION and value.a in self._makers) for value in held)

    @cached_property
    def _makers(self) -> frozenset[int]:
        """The functions of modules that give back a lambda, or a function that they define."""
        found: list[int] = []
        for facts, offset in zip(self.program.facts, self.program.function_offset, strict=True):
            made = zip(facts.function_nodes, facts.functions, strict=True)
            given = {node for node, each in made if each.kind in NAMELESS and ".<locals>." in each.qualname}
            for _ in range(_MAX_STEPS if given else 0):
                given |= {target for source, target, _ in facts.edges if source in given}
            top = ((at, each) for at, each in enumerate(facts.functions, offset) if each.kind is FunctionKind.TOP)
            found += [at for at, each in top if each.returns in given]
        return frozenset(found)

    def bind(self, index: int, attribute: str, near: int) -> None:
        """A name of a module of the repo that other files bind."""
        heap = self.heap
        label = f"stored as `{attribute}` on the module"
        self._given.pop(attribute, None)
        self.nodes[index][attribute] = heap.node(label, heap.file_of[near], heap.lines[near])

    def foreign_attribute(self, name: str, near: int) -> int:
        """The node of an attribute that code of the repo sets on a module, or a class, that lies outside."""
        heap = self.heap
        node = self._foreign.get(name, -1)
        if node < 0:
            label = f"stored as `{name}`"
            node = self._foreign[name] = heap.node(label, heap.file_of[near], heap.lines[near])
        return node
