"""The tree of a file with parents and scopes, and what stands in it by name: made on demand."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Any, TypeVar

from ..nodes import children, end_line, parents_of, statements
from .binding_rules import FUNCTIONS, bound_name, positional, takes_self
from .main_guard import is_main_process_block
from .names import last_name

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Scope = Function | ast.Module
Node = TypeVar("Node", bound=ast.AST)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)
_ENTERED = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef})  # as scopes of their own
_OF_CLASSES = frozenset(("__new__", "__init_subclass__", "__class_getitem__"))  # methods that get the class


class FileTree:
    """The tree of one file with parents and scopes, made on demand. Nodes are compared by identity."""

    def __init__(self, path: str, module: ast.Module) -> None:
        self.path = path
        self.module = module
        self._own: dict[ast.AST, list[ast.AST]] = {}
        self._kinds: dict[type, list[Any]] = {}  # see `of_kind`
        self._scopes: dict[ast.AST, Scope] = {}  # of statements that were asked about
        self._setters: dict[str, set[ast.ClassDef]] = {}

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node, breadth first (without the load/store marks), from what is mostly asked for too."""
        return [self.module, *self.parents]

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The parent of every node but the module."""
        return parents_of(self.module)

    def of_kind(self, kind: type[Node]) -> list[Node]:
        """Every node of this very class, in the order of `nodes`."""
        found: list[Node] | None = self._kinds.get(kind)
        if found is None:
            nodes = self.statements if issubclass(kind, ast.stmt) else self.nodes
            found = self._kinds[kind] = [node for node in nodes if node.__class__ is kind]
        return found

    @cached_property
    def attributes(self) -> dict[str, list[ast.Attribute]]:
        """Every `x.name`, by name."""
        found: dict[str, list[ast.Attribute]] = {}
        for node in self.of_kind(ast.Attribute):
            found.setdefault(node.attr, []).append(node)
        return found

    @cached_property
    def calls(self) -> dict[str | None, list[ast.Call]]:
        """Every call, by the last name of what is called (None where that is no name)."""
        found: dict[str | None, list[ast.Call]] = {}
        for node in self.of_kind(ast.Call):
            found.setdefault(last_name(node.func), []).append(node)
        return found

    @cached_property
    def made_global(self) -> dict[str, list[ast.Global]]:
        """Every `global name`, by name."""
        found: dict[str, list[ast.Global]] = {}
        for node in (each for each in self.statements if isinstance(each, ast.Global)):
            for name in dict.fromkeys(node.names):
                found.setdefault(name, []).append(node)
        return found

    def class_around(self, line: int) -> ast.ClassDef | None:
        """The innermost class that has a line of the file, which may be its `class`, but no decorator."""
        starts, classes = self._classes
        at = bisect_right(starts, line) - 1
        around: ast.AST | None = classes[at] if at >= 0 else None
        while around is not None and not (isinstance(around, ast.ClassDef) and line <= end_line(around)):
            around = self.parents.get(around)
        return around

    @cached_property
    def _classes(self) -> tuple[list[int], list[ast.ClassDef]]:
        """The classes by line, with the lines."""
        found = sorted((node for node in self.statements if isinstance(node, ast.ClassDef)), key=position)
        return [node.lineno for node in found], found

    @cached_property
    def by_line(self) -> dict[int, list[ast.Call | ast.Lambda]]:
        """The calls and lambdas that begin on a line, in the order of `nodes`."""
        found: dict[int, list[ast.Call | ast.Lambda]] = {}
        for node in self.nodes:
            if type(node) is ast.Call or type(node) is ast.Lambda:
                found.setdefault(node.lineno, []).append(node)
        return found

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """Every statement, in the order of `nodes`, which need not be known for it."""
        return statements(self.module)

    @cached_property
    def definitions(self) -> dict[str, list[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
        """Every class and function, nested ones too, by name."""
        found: dict[str, list[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]] = {}
        for node in self.statements:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                found.setdefault(node.name, []).append(node)
        return found

    @cached_property
    def definitions_by_line(self) -> dict[int, list[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
        """The same by the line of `class` or `def`."""
        found: dict[int, list[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]] = {}
        for node in (node for named in self.definitions.values() for node in named):
            found.setdefault(node.lineno, []).append(node)
        return found

    @cached_property
    def star_imports(self) -> list[ast.ImportFrom]:
        """Every `from ... import *` among the statements of the module, in order."""
        return [node for node in self.module.body if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"]

    @cached_property
    def imports(self) -> list[ast.Import | ast.ImportFrom]:
        """Every import, at any level, in the order of `nodes`."""
        return [node for node in self.statements if isinstance(node, (ast.Import, ast.ImportFrom))]

    @cached_property
    def named(self) -> dict[str, list[ast.Name | ast.Attribute]]:
        """Every variable by name and every attribute of a variable by the attribute's name, in the order of `nodes`."""
        found: dict[str, list[ast.Name | ast.Attribute]] = {}
        for node in self.nodes:
            if type(node) is ast.Name:
                found.setdefault(node.id, []).append(node)
            elif type(node) is ast.Attribute and type(node.value) is ast.Name:
                found.setdefault(node.attr, []).append(node)
        return found

    @cached_property
    def import_of(self) -> dict[str, tuple[ast.Import | ast.ImportFrom, ast.alias]]:
        """The import, at any level, that binds a name, the last one in the order of `nodes`."""
        return {
            bound_name(alias) or "": (node, alias) for node in self.imports for alias in node.names if alias.name != "*"
        }

    @cached_property
    def imported(self) -> dict[str, str]:
        """What imports (at any level) bind: name -> dotted origin; that of a relative import begins with its dots."""
        names: dict[str, str] = {}
        for node in self.imports:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    root = alias.name.split(".")[0]
                    names[alias.asname or root] = alias.name if alias.asname else root
            else:
                for alias in node.names:
                    module = "." * node.level + (node.module or "")
                    names[alias.asname or alias.name] = f"{module}.{alias.name}" if node.module else module + alias.name
        return names

    def qualified(self, name: str) -> str:
        """The dotted `name` with its first part replaced by the origin of what an import binds to it."""
        first, dot, rest = name.partition(".")
        return self.imported.get(first, first) + dot + rest

    def defined(self, name: str) -> ast.AST | None:
        """The class, function or value that the file itself gives to `name` at its top level, the last one.

        Imports do not count, nor what stands in an `except` or a loop.
        """
        return self._defined.get(name)

    @cached_property
    def _defined(self) -> dict[str, ast.AST]:
        found: dict[str, ast.AST] = {}
        todo: list[ast.stmt] = self.module.body[::-1]
        while todo:
            node = todo.pop()
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                found[node.name] = node
            elif isinstance(node, ast.Assign):
                found.update((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
            elif isinstance(node, (ast.If, ast.Try)):
                todo += [*node.body, *node.orelse][::-1]
        return found

    def home_name(self, node: ast.AST) -> str:
        """`last_name`, before an import gave it another: `DataLoader` of `DL`, after `import DataLoader as DL`."""
        while isinstance(node, (ast.Subscript, ast.Starred)):
            node = node.value
        name = last_name(node)
        return self.imported.get(name, name).rpartition(".")[2] if isinstance(node, ast.Name) else name

    def names_of(self, name: str) -> list[str]:
        """`name`, and the other names that imports of the file give to it."""
        return [name, *(other for other in self._aliases.get(name, ()) if other != name)]

    @cached_property
    def _aliases(self) -> dict[str, list[str]]:
        """What imports bind, by the last name of its origin."""
        found: dict[str, list[str]] = {}
        for name, origin in self.imported.items():
            found.setdefault(origin.rpartition(".")[2], []).append(name)
        return found

    @cached_property
    def has_guard(self) -> bool:
        """A statement of the module is a block that only the main process runs."""
        return any(map(is_main_process_block, self.module.body))

    def calls_of(self, name: str) -> list[ast.Call]:
        """Every call of `name`, also where an import gives it another name."""
        return [call for item in self.names_of(name) for call in self.calls.get(item, [])]

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The parent of `node`, its parent, and so on up to the module."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def statement(self, node: ast.AST) -> ast.AST:
        """The innermost statement that holds `node` (itself when it is one)."""
        while not isinstance(node, (ast.stmt, ast.Module)):
            node = self.parents[node]
        return node

    def scope(self, node: ast.AST) -> Scope:
        """The function (or module) in whose scope names at `node` are looked up; class bodies are no such scope."""
        parents, known = self.parents, self._scopes
        at, found = node, known.get(node)
        while found is None:
            if (above := parents.get(at)) is None:  # the module
                found = self.module
            elif isinstance(above, _SCOPES) and (isinstance(at, ast.stmt) or above.body is at):
                found = above
            else:
                at, found = above, known.get(above)
        known[node] = found
        return found

    def owner(self, node: ast.AST) -> ast.ClassDef | None:
        """The class whose method holds `node`, also when `node` is in a function nested in that method."""
        scope = self.scope(node)
        while not isinstance(scope, ast.Module):
            parent = self.parents[scope]
            if isinstance(parent, ast.ClassDef):
                return parent
            scope = self.scope(scope)
        return None

    def method(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The method (a function directly in a class body) that holds `node`."""
        scope = self.scope(node)
        while not isinstance(scope, ast.Module):
            if isinstance(self.parents[scope], ast.ClassDef) and not isinstance(scope, ast.Lambda):
                return scope
            scope = self.scope(scope)
        return None

    def is_self(self, node: ast.AST) -> bool:
        """True for a Name that is the first parameter of its method (never of a class- or staticmethod)."""
        method = self.method(node)
        if method is None or not isinstance(node, ast.Name) or method.name in _OF_CLASSES:
            return False
        return takes_self(method) and positional(method)[:1] == [node.id]

    @cached_property
    def of_self(self) -> dict[ast.FunctionDef | ast.AsyncFunctionDef, list[ast.Attribute]]:
        """Every `self.name` of a method of its own class, by the method, in the order of `nodes`."""
        found: dict[ast.FunctionDef | ast.AsyncFunctionDef, list[ast.Attribute]] = {}
        for node in self.of_kind(ast.Attribute):
            method = self.method(node) if self.is_self(node.value) else None
            if method is not None and self.parents[method] is self.owner(node):
                found.setdefault(method, []).append(node)
        return found

    def sets_on_self(self, owner: ast.ClassDef, name: str) -> bool:
        """Methods of the class, or of one in it, set or delete `self.name`."""
        if name not in self._setters:
            named = (node for node in self.attributes.get(name, ()) if not isinstance(node.ctx, ast.Load))
            around = (above for node in named if self.is_self(node.value) for above in self.ancestors(node))
            self._setters[name] = {above for above in around if isinstance(above, ast.ClassDef)}
        return owner in self._setters[name]

    def own(self, scope: Scope) -> list[ast.AST]:
        """The nodes of `scope` itself; nested functions and classes are listed but not entered."""
        if scope not in self._own:
            found: list[ast.AST] = []
            todo: list[ast.AST] = [scope.body] if isinstance(scope, ast.Lambda) else list(scope.body)
            while todo:
                node = todo.pop()
                found.append(node)
                if node.__class__ not in _ENTERED:
                    todo += children(node)
            self._own[scope] = found
        return self._own[scope]


def position(node: ast.AST) -> tuple[int, int]:
    """(line, column) of a node; the module comes first."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
