"""One file as the search sees it: who surrounds a node, which statements bind a variable, what runs in between."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...nodes import children, end_place
from ...syntax.outline import Outline
from ...tree.source import Source
from .models import Models, dotted

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class FileView:
    """The outline of a file, and the models of the whole project to ask about."""

    models: Models
    outline: Outline

    @property
    def path(self) -> str:
        """The file."""
        return self.outline.path

    @property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The parent of every node."""
        return self.outline.parents

    @property
    def source(self) -> Source:
        """The text of the file."""
        source = self.models.project.source(self.path)
        assert source is not None
        return source

    def qualified(self, name: str) -> str:
        """`name` with its first part replaced by what the file imported it as."""
        return self.outline.qualified(name)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around `node`, the innermost first."""
        return self.outline.ancestors(node)

    def chain(self, call: ast.expr) -> Iterator[ast.expr]:
        """What follows a call: its attributes, and the calls of these."""
        node = call
        while isinstance(parent := self.parents.get(node), (ast.Attribute, ast.Call)):
            if isinstance(parent, ast.Call) and parent.func is not node:
                return
            yield parent
            node = parent

    def bindings(self, scope: Scope, key: str, before: ast.stmt) -> list[ast.stmt]:
        """Statements of `scope` above `before` that bind `key`, in order."""
        found: list[ast.stmt] = []
        for node in self._stores(scope).get(key, ()):
            statement = next(parent for parent in self.ancestors(node) if isinstance(parent, ast.stmt))
            if (statement.lineno, statement.col_offset) < (before.lineno, before.col_offset):
                found.append(statement)
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))

    def _stores(self, scope: Scope) -> dict[str, list[ast.expr]]:
        """Where code of `scope` binds or deletes variables, by what is bound."""
        known = self.models.stores.get(scope)
        if known is None:
            known = self.models.stores[scope] = {}
            for node in self.outline.own(scope):
                bound = isinstance(node, (ast.Name, ast.Attribute)) and not isinstance(node.ctx, ast.Load)
                if isinstance(node, ast.expr) and bound and (name := dotted(node)) is not None:
                    known.setdefault(name, []).append(node)
        return known

    def dominates(self, statement: ast.stmt, later: ast.stmt) -> bool:
        """Whether `statement` always ran before `later`: its block holds `later` too, maybe deeper."""
        path = {later, *self.ancestors(later)}
        owner = self.parents[statement]
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(owner, block, None)
            if isinstance(statements, list) and statement in statements:
                return any(other in path for other in statements)
        return False

    def between(self, scope: Scope, first: ast.stmt, last: ast.stmt) -> Iterator[ast.AST]:
        """What runs in `scope` after `first` and before `last`: whole statements, and tests of blocks around `last`."""
        path = {last, *self.ancestors(last)}
        end = end_place(first)

        def inside(body: list[ast.stmt]) -> Iterator[ast.AST]:
            for node in body:
                if node is last:
                    return
                if node in path:
                    for _, value in ast.iter_fields(node):
                        if isinstance(value, ast.expr) and (node.lineno, node.col_offset) > end:
                            yield value
                        elif isinstance(value, list) and any(isinstance(v, ast.stmt) and v in path for v in value):
                            yield from inside(value)
                            return
                    return
                if (node.lineno, node.col_offset) > end:
                    yield node

        yield from inside(scope.body)


def walk_scope(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Every node of these statements but not those inside nested functions and classes (their decorators aside)."""
    todo = [*body][::-1]  # the next one is the last
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            todo += children(node)[::-1]


def spelled(node: ast.AST, key: str) -> bool:
    """Whether `node` is exactly the variable `key` (a name, or a chain such as `self.model`)."""
    return dotted(node) == key


def targets(statement: ast.stmt) -> list[ast.expr]:
    """What an assignment assigns to; nothing for other statements."""
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, (ast.AnnAssign, ast.AugAssign)) else []


def arguments_of(call: ast.Call) -> list[ast.expr]:
    """The values of all arguments."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]
