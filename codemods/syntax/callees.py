"""Which functions and classes of the project a call means, by name: in the same file, or where it is imported from."""

from __future__ import annotations

import ast

from .modules import Modules
from .outline import Outline, Repo

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Callees:
    """Answers for one project."""

    def __init__(self, repo: Repo, modules: Modules) -> None:
        self.repo, self.modules = repo, modules

    def called(self, outline: Outline, call: ast.Call) -> tuple[Outline, Function, int] | None:
        """The function or method of the repo that `call` calls, and how many of its parameters are bound already."""
        func = call.func
        if isinstance(func, ast.Name):
            found = self._definition(outline, func)
            return (found[0], found[1], 0) if found and isinstance(found[1], FUNCTIONS) else None
        if not isinstance(func, ast.Attribute):
            return None
        if isinstance(func.value, ast.Name):
            if outline.is_self(func.value):
                owner = outline.owner(func)
                inner = method(owner, func.attr) if owner else None
                return (outline, inner, 1) if inner else None
            path = self._module(outline, func.value)
            if path is not None:
                function = _at_top(path, func.attr)
                return (path, function, 0) if isinstance(function, FUNCTIONS) else None
        made = self.class_of(outline, func.value)
        if made is not None:
            inner = method(made[1], func.attr)
            return (made[0], inner, 1) if inner else None
        return None

    def made_class(self, outline: Outline, call: ast.Call) -> tuple[Outline, ast.ClassDef] | None:
        """The class of the repo that `call` makes an object of."""
        if (owner := _own_class(outline, call.func)) is not None:
            return outline, owner
        if isinstance(call.func, ast.Name):
            found = self._definition(outline, call.func)
        elif isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            other = self._module(outline, call.func.value)
            node = _at_top(other, call.func.attr) if other else None
            found = (other, node) if other and node else None
        else:
            found = None
        return (found[0], found[1]) if found and isinstance(found[1], ast.ClassDef) else None

    def class_of(self, outline: Outline, value: ast.expr) -> tuple[Outline, ast.ClassDef] | None:
        """The class of the repo of which `value` is an object, or which it is."""
        if isinstance(value, ast.Call):
            return self.made_class(outline, value)
        if isinstance(value, ast.Name):
            values = [binding.value for binding in outline.lookup(value, value.id)[1]]
            if len(values) == 1 and isinstance(values[0], ast.Call):
                return self.made_class(outline, values[0])
            found = self._definition(outline, value)
            if found is not None and isinstance(found[1], ast.ClassDef):
                return found[0], found[1]
        return None

    def _definition(self, outline: Outline, name: ast.Name) -> tuple[Outline, ast.AST] | None:
        """The `def` or `class` that `name` stands for, in this file or where it is imported from."""
        _, found = outline.lookup(name, name.id)
        if not found:
            return self._by_star(outline, name.id)
        if len(found) != 1:
            return None
        statement = found[0].statement
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            return (outline, statement) if statement.name == name.id else None
        if isinstance(statement, ast.ImportFrom):
            return self._imported(outline, statement, name.id)
        return None

    def _by_star(self, outline: Outline, name: str, depth: int = 0) -> tuple[Outline, ast.AST] | None:
        """What `from ... import *` binds `name` to: the last module of the repo that defines it."""
        for statement in reversed(outline.module.body):
            if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
                other = self.star_source(outline, statement)
                node = _at_top(other, name) if other is not None else None
                if other is not None and node is not None:
                    return other, node
                again = self._by_star(other, name, depth + 1) if other is not None and depth < 3 else None
                if again is not None:
                    return again
        return None

    def star_source(self, outline: Outline, statement: ast.ImportFrom) -> Outline | None:
        """The file of the repo that `from ... import *` names."""
        path = self._source_of(outline, statement.level, statement.module or "")
        return self.repo.outline(path) if path and path != outline.path else None

    def _imported(
        self, outline: Outline, statement: ast.ImportFrom, name: str, depth: int = 0
    ) -> tuple[Outline, ast.AST] | None:
        original = next((a.name for a in statement.names if (a.asname or a.name) == name), None)
        path = self._source_of(outline, statement.level, statement.module or "")
        other = self.repo.outline(path) if path and original else None
        if other is None or original is None:
            return None
        node = _at_top(other, original)
        if node is not None:
            return other, node
        again = [
            each
            for each in other.module.body
            if isinstance(each, ast.ImportFrom) and any((a.asname or a.name) == original for a in each.names)
        ]
        return self._imported(other, again[0], original, depth + 1) if len(again) == 1 and depth < 4 else None

    def _module(self, outline: Outline, name: ast.Name) -> Outline | None:
        """The file of the repo that the module `name` is."""
        _, found = outline.lookup(name, name.id)
        if len(found) != 1:
            return None
        statement = found[0].statement
        path = None
        if isinstance(statement, ast.Import):
            alias = next((a for a in statement.names if (a.asname or a.name) == name.id), None)
            path = self.modules.absolute(outline.path, alias.name) if alias else None
        elif isinstance(statement, ast.ImportFrom):
            original = next((a.name for a in statement.names if (a.asname or a.name) == name.id), "")
            module = f"{statement.module}.{original}" if statement.module else original
            path = self._source_of(outline, statement.level, module)
        return self.repo.outline(path) if path else None

    def _source_of(self, outline: Outline, level: int, module: str) -> str | None:
        if level:
            return self.modules.relative(outline.path, level, module)
        return self.modules.absolute(outline.path, module)


def _own_class(outline: Outline, node: ast.expr) -> ast.ClassDef | None:
    """The class around, when `node` is the `cls` of a class method."""
    around = outline.method(node)
    if around is None or not isinstance(node, ast.Name):
        return None
    marks = [mark.id for mark in around.decorator_list if isinstance(mark, ast.Name)]
    first = [*around.args.posonlyargs, *around.args.args][:1]
    return outline.owner(node) if "classmethod" in marks and first and first[0].arg == node.id else None


def _at_top(outline: Outline, name: str) -> ast.AST | None:
    found = [each for each in outline.module.body if isinstance(each, (*FUNCTIONS, ast.ClassDef)) and each.name == name]
    return found[0] if len(found) == 1 else None


def method(owner: ast.ClassDef, name: str) -> Function | None:
    """The method called `name` of the class statement itself."""
    return next((each for each in owner.body if isinstance(each, FUNCTIONS) and each.name == name), None)
