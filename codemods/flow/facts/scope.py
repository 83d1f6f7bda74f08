"""Names and scopes while a tree is walked: which node a name is, here and now."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TypeVar

from .records import FileFacts

T = TypeVar("T")
SEVERAL = object()  # bound more than once, or not to a literal
DEAD = -2  # in `Scope.current`: the name holds nothing that matters here


class Scope:
    __slots__ = (
        "bound",
        "constants",
        "current",
        "function",
        "globals",
        "kind",
        "names",
        "nonlocals",
        "owner",
        "parent",
        "qualname",
    )

    def __init__(self, kind: str, qualname: str, parent: Scope | None, function: int = -1, owner: int = -1) -> None:
        self.kind = kind  # module | class | function | comprehension
        self.qualname = qualname
        self.parent = parent
        self.function = function
        self.owner = owner
        self.names: dict[str, int] = {}
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.constants: dict[str, object] = {}  # names bound once, to a literal
        self.current: dict[str, int] = {}  # names that straight-line code bound last, and to what


class Names:
    """Nodes, edges and names of one file in the making."""

    def __init__(self, path: str) -> None:
        self.facts = FileFacts(path)
        self.module = self.scope = Scope("module", "", None)
        self.free: list[tuple[int, str, Scope]] = []
        self.line = 1

    def node(self, label: str = "", line: int = 0) -> int:
        self.facts.lines.append(line or self.line)
        self.facts.labels.append(label)
        return len(self.facts.lines) - 1

    def edge(self, source: int, target: int) -> None:
        if source >= 0 and target >= 0 and source != target:
            self.facts.edges.append((source, target, self.line))

    def variable(self, name: str, scope: Scope | None = None) -> int:
        scope = scope or self.scope
        if name in scope.globals:
            scope = self.module
        node = scope.names.get(name, -1)
        if node < 0:
            node = scope.names[name] = self.node(f"assigned to `{name}`")
        return node

    def bind(self, name: str, value: int = -1, constant: object = SEVERAL) -> int:
        scope = self.scope
        while scope.kind == "comprehension" and scope.parent is not None:  # a walrus binds outside
            scope = scope.parent
        if name in scope.globals:
            scope = self.module
        if name not in scope.nonlocals:
            scope.constants[name] = SEVERAL if name in scope.bound else constant
            scope.bound.add(name)
        node = self.variable(name, scope)
        scope.current.pop(name, None)
        if value >= 0:
            self.edge(value, node)
            if scope is self.scope and scope.kind == "function" and name not in scope.nonlocals:
                scope.current[name] = value
        return node

    def forget(self, statements: Iterable[ast.stmt]) -> None:
        """Names that `statements` bind may or may not have been bound anew: look at all their bindings."""
        current = self.scope.current
        if current:
            for statement in statements:
                for node in ast.walk(statement):
                    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                        current.pop(node.id, None)

    def leave(self) -> None:
        """End of a scope: names that it does not bind come from outside."""
        scope = self.scope
        outer = scope.parent
        assert outer is not None
        self.scope = outer
        while outer.kind == "class" and outer.parent is not None and scope.kind != "comprehension":
            outer = outer.parent
        for name, node in scope.names.items():
            if name not in scope.bound:
                above = outer.current.get(name, -1) if scope.kind == "comprehension" else -1
                if above == DEAD:
                    continue
                above = above if above >= 0 else self.variable(name, outer)
                self.edge(above, node)
                if name in scope.nonlocals:
                    self.edge(node, above)
                if scope.function >= 0:
                    self.free.append((scope.function, name, scope))

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
