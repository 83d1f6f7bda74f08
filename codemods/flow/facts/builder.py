"""The facts of one file while its tree is walked: nodes, edges, and which node a name is, here and now."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from sys import intern
from typing import TypeVar

from ...nodes import end_line, walk
from ...syntax.binding_rules import ScopeKind
from ...syntax.main_guard import is_main_process_block
from ...syntax.names import dotted
from .mentions import Mentions
from .records import WHOLE_BODY, FileFacts
from .rows import Rows
from .scope import DEAD, SEVERAL, FactsScope
from .syntax import IN_A_DICT

T = TypeVar("T")


class FactsBuilder:
    """`scope` is the scope that is walked, `line` the line of its statement."""

    def __init__(self, path: str, tree: ast.Module) -> None:
        self.facts, self.tree = FileFacts(path), tree
        self._lines, self._labels = self.facts.lines, self.facts.labels
        self.edges: list[tuple[int, int, int]] = []
        self.loads: list[tuple[int, str, int]] = []
        self.stores: list[tuple[int, str, int, int, int]] = []
        self.cleared: list[tuple[int, str, int, int, int]] = []
        self.elements: list[tuple[int, int, str]] = []
        self.puts: list[tuple[int, int, int, str]] = []
        self._by_parameter: list[tuple[int, int, str, FactsScope]] = []  # container, element, name of the key
        self.kept_empty: list[tuple[int, str]] = []
        self.put_by_name: list[tuple[str, int]] = []
        self.module = self.scope = FactsScope(ScopeKind.MODULE, "", None)
        self.free: list[tuple[int, str, FactsScope]] = []
        self.line = 1
        self.block_start = 0  # the first and last line of the block that is walked, which runs to its end
        self.block_end = 0
        self.top: ast.stmt | None = None  # the statement of the module that is walked
        self.enclosing: list[int] = []  # per function the one around it, or -1
        self.blocks = 0  # how many of the function what is walked stands in that may be left out
        self.returned = False  # whether the function may have returned above
        self.conditions = 0  # how many of them what is walked stands under
        self._false: list[tuple[FactsScope, str, ast.If | ast.While]] = []
        self._bound_at: dict[tuple[str, int], int] = {}  # by name and what it is bound to: the line
        self._parts: dict[int, tuple[int, ...]] = {}  # of what names are where several ways meet
        self.mentions = Mentions()
        self.set_by_functions: set[str] = set()  # names of the module that a function declares global
        self.always: set[ast.Attribute] = set()  # reads of the methods so far that run whenever their method does
        self.narrowed: set[str] = set()  # attributes of which some code asks whether they can be called
        self.dropped: ast.expr | None = None  # the expression that is walked, where nobody gets its value
        self.entered: ast.expr | None = None  # the expression that the last `with` enters
        self.hooked: list[tuple[int, str, int, int, int]] = []  # as `stores`, of hooks whose handle is kept

    def note_loop(self, node: ast.stmt | ast.expr) -> None:
        """What is walked next, to the end of `node`, may run several times each time its function runs."""
        if self.scope.function >= 0:
            self.facts.loops.append((self.scope.function, node.lineno, end_line(node)))

    def note_property(self, function: int) -> None:
        """The function returns a property, or makes one that a function around it may return."""
        while function >= 0:
            self.facts.functions[function].gives_property = True
            function = self.enclosing[function]

    def note_false(self, node: ast.If | ast.While) -> None:
        """The branch does not run where its test is False, or a name that nothing but False is bound to."""
        scope, test = self.scope, node.test
        if isinstance(test, ast.Constant) and not test.value:
            self._false.append((scope, "", node))
        elif isinstance(test, ast.Name) and scope.constants.get(test.id) is False and self._stays_inside:
            self._false.append((scope, test.id, node))

    @property
    def _stays_inside(self) -> bool:
        """No other file sets what is bound here, as it may do with names of a module."""
        return self.in_function or (self.top is not None and is_main_process_block(self.top))

    def never_run(self) -> list[tuple[int, int]]:
        """The first and last lines of the branches that `note_false` found, when all that is bound is known."""
        return [
            (node.body[0].lineno, end_line(node.body[-1]))
            for scope, name, node in self._false
            if not name or (scope.constants.get(name) is False and name not in scope.set_inside)
        ]

    @property
    def in_function(self) -> bool:
        """What is walked is the code of a function."""
        return self.scope.kind is ScopeKind.FUNCTION

    def note_narrowed(self, name: str) -> None:
        """Code asks whether `name`, which may have dots, can be called."""
        if "." in name:
            self.narrowed.add(name.rpartition(".")[2])

    def pack(self) -> None:
        """Enter in the facts what the tables of the walk are, when it is done."""
        facts = self.facts
        facts.edges, facts.loads, facts.stores = Rows.of(self.edges), Rows.of(self.loads), Rows.of(self.stores)
        facts.cleared = Rows.of(self.cleared)
        facts.elements, facts.puts = Rows.of(self.elements), Rows.of(self.puts)
        facts.by_parameter = Rows.of(
            [
                (container, element, scope.names[name])
                for container, element, name, scope in self._by_parameter
                if name not in scope.constants and name not in scope.set_inside
            ]
        )
        put = {name for name, _ in self.put_by_name}
        kept = [row for row in self.kept_empty if row[1][0] != "[" or row[1] in put]  # by a key: in one file alone
        facts.kept_empty, facts.put_by_name = Rows.of(kept), Rows.of(self.put_by_name)

    def node(self, label: str = "", line: int = 0) -> int:
        """A new node; `label` says what happens to a value that gets there."""
        lines = self._lines
        lines.append(line or self.line)
        self._labels.append(intern(label) if label else "")
        return len(lines) - 1

    def edge(self, source: int, target: int) -> None:
        """What is in `source` gets to `target`; nothing where one of them does not matter."""
        if source >= 0 and target >= 0 and source != target:
            self.edges.append((source, target, self.line))

    def variable(self, name: str, scope: FactsScope | None = None, reads: bool = True) -> int:
        """The node of a variable of `scope`, or of the scope that is walked."""
        if scope is None:
            scope = self.scope
        if name in scope.globals:
            scope = self.module
        if scope is self.module:
            (self.mentions.read if reads else self.mentions.bound).add(name)
        node = scope.names.get(name, -1)
        if node < 0:
            node = scope.names[name] = self.node(f"assigned to `{name}`")
        return node

    def bind(self, name: str, value: int = -1, constant: object = SEVERAL) -> int:
        """The node of a variable that is bound here, to `value` where that matters."""
        scope = self.scope
        while scope.kind is ScopeKind.COMPREHENSION and scope.parent is not None:  # a walrus binds outside
            scope = scope.parent
        if name in scope.globals:
            scope = self.module
        again = name in scope.bound
        if name not in scope.nonlocals:
            scope.constants[name] = SEVERAL if again or name in scope.set_inside else constant
            if constant is True:
                scope.set_true.add(name)
            scope.bound.add(name)
        node = self.variable(name, scope, reads=False)
        scope.current.pop(name, None)
        scope.taken_out.pop(name, None)
        if value >= 0:
            self.edge(value, node)
            if scope is self.scope and name not in scope.nonlocals and name not in scope.set_inside:
                goes_on = again and name not in self.set_by_functions  # `args = parser(); args = args.parse_args()`
                if scope.kind is ScopeKind.FUNCTION or (scope.kind is ScopeKind.MODULE and goes_on):
                    scope.current[name] = value
                    self._bound_at[name, value] = self.line
        return node

    def bind_nothing(self, name: str) -> None:
        """A variable that was just bound holds nothing that matters: `f = None`."""
        scope = self.scope
        if self.in_function and not any(name in own for own in (scope.nonlocals, scope.globals, scope.set_inside)):
            scope.current[name] = DEAD

    def keep(self, name: str, value: int) -> None:
        """From here on `name`, which may have dots, is `value` as long as the code of the function goes straight on."""
        if value >= 0 and self.in_function:
            self.scope.current[name] = value
        else:
            self.scope.current.pop(name, None)

    def join(self, ways: Sequence[dict[str, int]]) -> None:
        """What names are where several ways meet: each of them has what names are at its end."""
        if not ways:
            return  # nothing runs here
        joined: dict[str, int] = {}
        for name, node in ways[0].items():
            ends = {names.get(name, -1) for names in ways}
            held = sorted(ends - {DEAD})
            if len(held) < 2:
                joined[name] = held[0] if held else node
            elif held[0] >= 0:
                joined[name] = self._joined(name, held)
        self.scope.current = {name: node for name, node in joined.items() if node != -1}

    def _joined(self, name: str, held: Sequence[int]) -> int:
        """The node of a name that is one of these; of one that was joined before, what it was made of."""
        result = self.node(f"assigned to `{name}`")
        parts = {part for node in held for part in self._parts.get(node, (node,))}
        self._parts[result] = tuple(sorted(parts))
        self.edges += [(part, result, self._bound_at.get((name, part), self._lines[part])) for part in sorted(parts)]
        return result

    def forget(self, statements: Iterable[ast.stmt]) -> None:
        """Names that `statements` bind may or may not have been bound anew: look at all their bindings."""
        current = self.scope.current
        if current:
            for statement in statements:
                for node in walk(statement):
                    if type(node) is ast.Name:
                        if type(node.ctx) is not ast.Load:
                            current.pop(node.id, None)
                    elif self.narrowed and isinstance(node, ast.Attribute) and node.attr in self.narrowed:
                        current.pop(dotted(node) if not isinstance(node.ctx, ast.Load) else "", None)

    def leave(self) -> None:
        """End of a scope: names that it does not bind come from outside."""
        scope = self.scope
        outer = scope.parent
        assert outer is not None
        if not scope.parameters.isdisjoint(scope.constants) or not scope.parameters.isdisjoint(scope.set_inside):
            for parameter in self.facts.functions[scope.function].parameters:
                parameter.again = parameter.name in scope.constants or parameter.name in scope.set_inside
        self.scope = outer
        while outer.kind is ScopeKind.CLASS and outer.parent is not None and scope.kind is not ScopeKind.COMPREHENSION:
            outer = outer.parent
        for name, node in scope.names.items():
            if name not in scope.bound:
                above = outer.current.get(name, -1) if scope.kind is ScopeKind.COMPREHENSION else -1
                if above == DEAD:
                    continue
                above = above if above >= 0 else self.variable(name, outer)
                self.edge(above, node)
                if name in scope.nonlocals or name in scope.set_inside:
                    self.edge(node, above)
                    self._set_inside(name, outer)
                if scope.function >= 0:
                    self.free.append((scope.function, name, scope))

    def _set_inside(self, name: str, scope: FactsScope) -> None:
        """From here on the variable may be bound anew by a call, in `scope` or in one around it."""
        scope.set_inside.add(name)
        scope.current.pop(name, None)
        if name in scope.constants:
            scope.constants[name] = SEVERAL

    def load(self, base: int, attribute: str, line: int) -> int:
        """The node of what `attribute` of `base` is."""
        result = self.node("", line)
        self.loads.append((base, attribute, result))
        return result

    def clear(self, base: int, attribute: str) -> None:
        """From here to the end of the block, what `base` is keeps nothing that matters as this attribute."""
        if base >= 0:
            last = self.block_end if self.blocks or self.returned else WHOLE_BODY
            self.cleared.append((base, attribute, self.line, last, self.scope.function))

    def distinguish(self, value: int, what: str, line: int) -> None:
        """Note a place where two objects that do the same are not the same."""
        if value >= 0:
            self.facts.distinguished.append((value, what, line))

    def merge(self, values: Sequence[int]) -> int:
        """The node of what may be any of these, -1 where none matters."""
        present = [value for value in values if value >= 0]
        if len(present) < 2:
            return present[0] if present else -1
        result = self.node()
        for value in present:
            self.edge(value, result)
        return result

    def element(self, container: int, key: str = "") -> int:
        """The node of what a container holds, under a key where one is known."""
        result = self.node()
        self.elements.append((container, result, key))
        return result

    def by_key(self, container: int, element: int, key: ast.expr) -> None:
        """Note what a container holds under `key`, where that is a parameter of the function that is walked."""
        scope = self.scope
        if isinstance(key, ast.Name) and scope.function >= 0 and key.id in scope.bound and self.in_function:
            own = self.facts.functions[scope.function].parameters
            if any(parameter.name == key.id for parameter in own):
                self._by_parameter.append((container, element, key.id, scope))

    def container(self, values: Iterable[int], what: str, items: Sequence[tuple[str, int]] = ()) -> int:
        """The node of a new container; `items`: what is under literal keys."""
        result, contents = self.node(), self.node(IN_A_DICT if what == "dict" else f"put in a {what}")
        fields: dict[str, int] = {}
        for key, value in items:
            if key not in fields:
                fields[key] = self.node(f"put in a {what}" if key[0] == "#" else f"put in a {what} as `{key}`")
            self.edge(value, fields[key])
        self.facts.containers.append((result, contents, tuple(fields.items())))
        for value in values:
            self.edge(value, contents)
        return result

    def without(self, name: str, look: Callable[[], T]) -> T:
        """What `look` gives where `name` is known to hold no function."""
        if not name:
            return look()
        before = self.scope.current.get(name)
        self.scope.current[name] = DEAD
        try:
            return look()
        finally:
            if before is None:
                self.scope.current.pop(name, None)
            else:
                self.scope.current[name] = before
