"""Names of modules: what imports bind, what `module.name` means, what other code sets on a module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..facts.records import FileFacts
from .heap import CLASS, FOREIGN, MODULE, Value

if TYPE_CHECKING:
    from .members import Members


class ModuleNames:
    """The names of every file of a graph."""

    def __init__(self, graph: Members) -> None:
        self.graph = graph
        self.nodes: list[dict[str, int]] = []  # per file: name at module level -> node
        self.set_on_others: set[str] = set()  # names of attributes that are set on something else than `self`
        self._foreign: dict[str, int] = {}  # what code of the repo sets on foreign modules, by dotted name

    def seed(self, index: int, facts: FileFacts) -> None:
        graph = self.graph
        offset = graph.offsets[index]
        for node, module, level, name in facts.imports:
            self._import(index, node + offset, module, level, name)
        stars = list(self._star_closure(index))
        for name, node in facts.unbound:
            origin = next((star for star in stars if name in self.nodes[star]), None)
            if origin is not None:
                graph.edge(self.nodes[origin][name], node + offset, graph.lines[node + offset])
            else:
                graph.add(node + offset, graph.number(Value(FOREIGN, self._foreign_name(facts, name))))
        for number, node in enumerate(facts.class_nodes):
            graph.add(node + offset, graph.number(Value(CLASS, graph.class_offset[index] + number)))

    def _foreign_name(self, facts: FileFacts, name: str) -> str:
        """What a name means that nothing in the repo binds: a builtin, or something from a foreign star import."""
        graph = self.graph
        for module, level in facts.star_imports:
            if not level and graph.modules.absolute(facts.path, module) is None:
                full = f"{module}.{name}"
                if graph.table.concerns(graph.table.canonical(full)):
                    return full
        return name

    def _import(self, index: int, node: int, module: str, level: int, name: str) -> None:
        graph = self.graph
        path = graph.files[index]
        if name in ("", "*") and level == 0:  # import a.b.c as x / import a.b.c
            wanted = module if name == "" else module.partition(".")[0]
            found = graph.modules.absolute(path, wanted)
            made = Value(MODULE, graph.file_index[found]) if found else Value(FOREIGN, wanted)
            graph.add(node, graph.number(made))
            return
        found = graph.modules.relative(path, level, module) if level else graph.modules.absolute(path, module)
        if found is not None:
            origin = graph.file_index[found]
            if name in self.nodes[origin]:
                graph.edge(self.nodes[origin][name], node, graph.lines[node])
                return
            if found.endswith("__init__.py"):
                inner = graph.modules.relative(found, 1, name)
                if inner is not None:
                    graph.add(node, graph.number(Value(MODULE, graph.file_index[inner])))
                    return
            for star in self._star_closure(origin):
                if name in self.nodes[star]:
                    graph.edge(self.nodes[star][name], node, graph.lines[node])
                    return
            return
        if level:
            inner = graph.modules.relative(path, level, f"{module}.{name}" if module else name)
        else:
            inner = graph.modules.absolute(path, f"{module}.{name}")  # a folder without __init__.py
        if inner is not None:
            graph.add(node, graph.number(Value(MODULE, graph.file_index[inner])))
        elif not level:
            graph.add(node, graph.number(Value(FOREIGN, f"{module}.{name}")))

    def _star_closure(self, index: int) -> Iterator[int]:
        graph = self.graph
        seen, todo = {index}, [index]
        while todo:
            at = todo.pop()
            facts = graph.facts[at]
            for module, level in facts.star_imports:
                path = facts.path
                found = graph.modules.relative(path, level, module) if level else graph.modules.absolute(path, module)
                if found is not None and graph.file_index[found] not in seen:
                    seen.add(graph.file_index[found])
                    todo.append(graph.file_index[found])
                    yield graph.file_index[found]

    def load(self, index: int, attribute: str, result: int) -> None:
        graph = self.graph
        names = self.nodes[index]
        if attribute in names:
            graph.edge(names[attribute], result, graph.lines[result])
            return
        inner = graph.modules.relative(graph.files[index], 1, attribute)
        if inner is not None and graph.files[index].endswith("__init__.py"):
            graph.add(result, graph.number(Value(MODULE, graph.file_index[inner])))
            return
        for star in self._star_closure(index):
            if attribute in self.nodes[star]:
                graph.edge(self.nodes[star][attribute], result, graph.lines[result])
                return
        if attribute in self.set_on_others:
            self.bind(index, attribute, result)
            graph.edge(names[attribute], result, graph.lines[result])

    def bind(self, index: int, attribute: str, near: int) -> None:
        """A name of a module of the repo that other files bind."""
        graph = self.graph
        label = f"stored as `{attribute}` on the module"
        self.nodes[index][attribute] = graph.node(label, graph.file_of[near], graph.lines[near])

    def foreign_attribute(self, name: str, near: int) -> int:
        """The node of an attribute that code of the repo sets on a module, or a class, that lies outside."""
        graph = self.graph
        node = self._foreign.get(name, -1)
        if node < 0:
            label = f"stored as `{name}`"
            node = self._foreign[name] = graph.node(label, graph.file_of[near], graph.lines[near])
        return node
