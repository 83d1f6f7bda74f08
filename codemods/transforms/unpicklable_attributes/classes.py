"""Classes as seen by who pickles their objects: which attributes they set where, and what runs before they cross."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from ...syntax.assigned import block_with
from ...syntax.binding_rules import LOOPS
from ...syntax.file_tree import position
from ...syntax.outline import Outline, pairs

_Found = TypeVar("_Found")
Method = ast.FunctionDef | ast.AsyncFunctionDef
FIRST = frozenset(("__init__", "__new__", "__post_init__", "__len__"))  # run before the object crosses
WORKER = frozenset(("__getitem__", "__getitems__", "__iter__", "__next__"))
STATE = frozenset(
    ("__getstate__", "__setstate__", "__del__", "__reduce__", "__reduce_ex__", "__copy__", "__deepcopy__")
)


@dataclass(frozen=True, eq=False)
class Store:
    """`self.name = value` in `method` of `owner`; `value` is None where the statement is no plain assignment."""

    owner: Shape
    method: Method
    statement: ast.stmt
    target: ast.Attribute
    value: ast.expr | None
    fills: bool = False  # `self.name[...] = value` and the like
    cached: bool = False  # what a cached_property gives
    shared: bool = False  # the default of a dataclass: one for all objects
    by_text: bool = False  # `setattr(self, "name", value)` and the like
    default: bool = False  # what a `defaultdict` makes where a key is missing: `self.name[...]`

    @property
    def always(self) -> bool:
        """It runs whenever its method comes to an end: it stands in the method's own block, or in a `try` there
        whose handlers all raise."""
        tries = [statement for statement in self.method.body if isinstance(statement, ast.Try)]
        raising = [item.body for item in tries if all(isinstance(part.body[-1], ast.Raise) for part in item.handlers)]
        return any(statement is self.statement for block in (self.method.body, *raising) for statement in block)

    @property
    def clears(self) -> bool:
        """It sets None."""
        return isinstance(self.value, ast.Constant) and self.value.value is None


class Shape:
    """One class statement of the repository."""

    def __init__(self, outline: Outline, node: ast.ClassDef) -> None:
        self.outline = outline
        self.node = node
        self._known: dict[object, Any] = {}

    def once(self, find: Callable[[Shape], _Found]) -> _Found:
        """What `find` gives for the class, found once: all classes above and below it ask for it."""
        if find not in self._known:
            self._known[find] = find(self)
        found: _Found = self._known[find]
        return found

    @cached_property
    def methods(self) -> dict[str, Method]:
        """The functions of the class body by name (the last of a name)."""
        return {
            statement.name: statement
            for statement in self.node.body
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef))
        }

    @cached_property
    def selves(self) -> dict[str, list[tuple[Method, ast.Attribute]]]:
        """Every `self.x` in the class by x, with the method it stands in, in source order."""
        found: dict[str, list[tuple[Method, ast.Attribute]]] = {}
        for method in (
            statement for statement in self.node.body if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef))
        ):
            for node in self.outline.of_self.get(method, ()):
                found.setdefault(node.attr, []).append((method, node))
        for uses in found.values():
            uses.sort(key=lambda use: position(use[1]))
        return found

    def stores(self, name: str) -> list[Store]:
        """Every place of the class that sets (or deletes) `self.name`."""
        found = []
        for method, node in self.selves.get(name, []):
            if not isinstance(node.ctx, ast.Load):
                statement = self.outline.statement(node)
                assert isinstance(statement, ast.stmt)
                found.append(Store(self, method, statement, node, _assigned(statement, node)))
        return found

    def callers(self, name: str) -> set[str]:
        """The methods that use `self.name`. What one puts on the object for the worker counts by itself."""
        return {self._put_there(node) or method.name for method, node in self.selves.get(name, [])}

    def _put_there(self, node: ast.AST) -> str:
        """The name of the function in a method that `node` stands in, where workers call it: `def __getitems__`."""
        scope = self.outline.scope(node)
        if isinstance(scope, ast.FunctionDef) and self.outline.parents[scope] is not self.node:
            return scope.name if scope.name in WORKER else ""
        return ""

    @cached_property
    def worker_only_methods(self) -> frozenset[str]:
        """Methods that run in the worker only: `__getitem__` and what nobody else in the class calls."""
        found = set(WORKER & self.methods.keys())
        callers = {name: self.callers(name) for name in self.methods}
        changed = bool(found)
        while changed:
            changed = False
            for name, who in callers.items():
                if who and who <= found and name not in found and name not in FIRST:
                    found.add(name)
                    changed = True
        return frozenset(found | (STATE & self.methods.keys()))

    def key(self, name: str) -> str:
        """The name under which `__dict__` has `self.name`: private names carry the class's."""
        private = name.startswith("__") and not name.endswith("__")
        return f"_{self.node.name.lstrip('_')}{name}" if private else name

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements among which `statement` stands."""
        return block_with(self.outline.parents[statement], statement)

    def in_loop(self, statement: ast.stmt, method: Method) -> bool:
        """A loop of the method runs it again and again."""
        for above in self.outline.ancestors(statement):
            if above is method:
                return False
            if isinstance(above, LOOPS):
                return True
        return False


def _assigned(statement: ast.stmt, target: ast.Attribute) -> ast.expr | None:
    if isinstance(statement, ast.Assign):
        for place in statement.targets:
            for part, value in pairs(place, statement.value):
                if part is target:
                    return value
    if isinstance(statement, ast.AnnAssign):
        return statement.value
    return None
