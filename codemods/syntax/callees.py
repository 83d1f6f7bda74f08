"""Which function or class of the project a call means: one that is named, or a method of an object made here."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import islice

from ..nodes import statements
from .modules import Modules
from .names import original_name, root_of_chain
from .origins import origin
from .outline import Outline
from .repo import Repo
from .resolver import FUNCTIONS, Class, Function, Resolver, method

_MAX_DEPTH = 4  # names and calls that are followed for one object
_MAX_CLASSES = MANY_HEIRS = 8

__all__ = ["FUNCTIONS", "MANY_HEIRS", "Callees", "Function", "method"]


class Callees:
    """Answers for one project."""

    def __init__(self, repo: Repo, modules: Modules) -> None:
        self.repo, self.modules, self.resolver = repo, modules, Resolver(repo.project, modules)
        self._heirs: dict[ast.ClassDef, list[Class]] = {}

    def called(self, outline: Outline, call: ast.Call) -> tuple[Outline, Function, int] | None:
        """The function or method of the repo that `call` calls, and how many of its parameters are bound already."""
        func = call.func
        if isinstance(func, ast.Name):
            return self._function(outline, func)
        if not isinstance(func, ast.Attribute):
            return None
        if isinstance(func.value, ast.Call) and isinstance(func.value.func, ast.Name) and func.value.func.id == "super":
            named, around = func.value.args[:1], outline.owner(func)
            start = self.class_of(outline, named[0]) if named else (outline, around) if around is not None else None
            return _first(self.resolver.lineage(Class(*start))[1:] if start is not None else (), func.attr)
        owner = outline.owner(func) if outline.is_self(func.value) else _own_class(outline, func.value)
        if owner is not None:
            return self._method(Class(outline, owner), func.attr)
        if self.resolver.module(outline, func.value) is not None:
            return self._function(outline, func)
        created = self.class_of(outline, func.value)
        found = self._method(Class(*created), func.attr) if created is not None else None
        if found is not None and call.args and outline.is_self(call.args[0]) and func.attr == "__init__":
            return *found[:2], 0  # `Base.__init__(self, ...)`
        return found

    def calls_in(self, outline: Outline, function: Function) -> Iterator[ast.Call]:
        """The calls in a file, by its name or what an import makes of it, that run a function of the repository."""
        for call in outline.calls_of(function.name):
            called = self.called(outline, call)
            if called is not None and called[1] is function:
                yield call

    def alternatives(self, outline: Outline, call: ast.Call) -> list[tuple[Outline, Function, int]]:
        """As `called`, of what that says nothing of: a partial, an object, or several things that branches import."""
        func = call.func
        if isinstance(func, ast.Name):
            bound = self._partial(outline, func)
            several = [(where, function, 0) for where, function in self.resolver.functions(outline, func)]
            return [bound] if bound is not None else several or self.called_objects(outline, func)
        if isinstance(func, ast.Call):
            return self.called_objects(outline, func)
        if not isinstance(func, ast.Attribute):
            return []
        classes = self.classes_of(outline, func.value)
        if outline.is_self(func.value) and self.repo.methods(func.attr):
            classes += [heir for cls in classes for heir in self.heirs(cls)]  # a method that a mixin relies on
        return self.methods_of(classes, func.attr)

    def overriding(self, outline: Outline, call: ast.Call, called: Function) -> list[tuple[Outline, Function, int]]:
        """What `self.step()` runs instead of `called`, its method, for objects of classes that derive from this one."""
        owner = outline.owner(call.func) if isinstance(call.func, ast.Attribute) else None
        if owner is None or not isinstance(call.func, ast.Attribute) or not outline.is_self(call.func.value):
            return []
        if len(self.repo.methods(call.func.attr)) < 2:
            return []
        found = self.methods_of(self.heirs(Class(outline, owner)), call.func.attr)
        return [each for each in found if each[1] is not called]

    def called_objects(self, outline: Outline, func: ast.Name | ast.Call) -> list[tuple[Outline, Function, int]]:
        """`__call__` of an object that is called: `Encoder(3)(row)`, `encode(row)` with a variable for it."""
        return self.methods_of(self.classes_of(outline, func), "__call__") if self.repo.methods("__call__") else []

    def methods_of(self, classes: list[Class], name: str) -> list[tuple[Outline, Function, int]]:
        """As `alternatives`, of a method of objects of these classes."""
        methods = (self._method(cls, name) for cls in classes[:_MAX_CLASSES])
        return [*dict.fromkeys(found for found in methods if found is not None)]

    def heirs(self, cls: Class) -> list[Class]:
        """The classes of the repo that derive from `cls`, at most so many."""
        if cls.node not in self._heirs:
            named = self.repo.mentioning(cls.node.name)
            nodes = ((each, node) for each in named for nodes in each.definitions.values() for node in nodes)
            found = (Class(each, node) for each, node in nodes if isinstance(node, ast.ClassDef) and node.bases)
            heirs = (other for other in found if other.node is not cls.node and cls in self.resolver.lineage(other))
            self._heirs[cls.node] = [*islice(heirs, _MAX_CLASSES)]
        return self._heirs[cls.node]

    def classes_of(self, outline: Outline, value: ast.expr, depth: int = 0) -> list[Class]:
        """The classes of the repo that `value` may be an object of, also where a function returns it."""
        found: list[Class] = []
        owner = outline.owner(value) if outline.is_self(value) else None
        if owner is not None:
            found = [Class(outline, owner)]
        elif isinstance(value, ast.Name):
            for binding in outline.lookup(value, value.id)[1]:
                if binding.value is not None and binding.value is not value and depth < _MAX_DEPTH:
                    found += self.classes_of(outline, binding.value, depth + 1)
        elif isinstance(value, ast.Call):
            found = self.resolver.classes(outline, value.func)
            given = self._given_by(outline, value) if not found else None
            found += [Class(*given)] if given is not None else []
            functions = self.resolver.functions(outline, value.func) if not found else []
            if not found and not functions and isinstance(value.func, ast.Attribute) and depth < _MAX_DEPTH:
                owners = self.classes_of(outline, value.func.value, depth + 1)
                methods = (self._method(cls, value.func.attr) for cls in owners[:_MAX_CLASSES])
                functions = [each[:2] for each in methods if each is not None]
            for where, function in functions:
                for node in where.own(function) if depth < _MAX_DEPTH else ():
                    if isinstance(node, ast.Return) and node.value is not None:
                        found += self.classes_of(where, node.value, depth + 1)
        return list(dict.fromkeys(found))

    def _partial(self, outline: Outline, func: ast.Name) -> tuple[Outline, Function, int] | None:
        """The function of the repo that `func` is a `functools.partial` of."""
        made = outline.only_value(func)
        if not isinstance(made, ast.Call) or not made.args or origin(outline, made.func, _plain) != "functools.partial":
            return None
        found = self._function(outline, made.args[0])
        return None if found is None else (*found[:2], len(made.args) - 1)

    def method_of(self, cls: Class, name: str) -> tuple[Outline, Function] | None:
        """The method of a class, or of the nearest of its bases that has it."""
        found = self._method(cls, name)
        return found[:2] if found is not None else None

    def _method(self, cls: Class, name: str) -> tuple[Outline, Function, int] | None:
        """The method of a class, or of the nearest of its bases that has it."""
        return _first(self.resolver.lineage(cls), name)

    def initialiser(self, outline: Outline, made: ast.ClassDef) -> tuple[Outline, Function, int] | None:
        """The `__init__` of a class, or of the nearest of its bases that has one."""
        return self._method(Class(outline, made), "__init__")

    def _function(self, outline: Outline, func: ast.expr) -> tuple[Outline, Function, int] | None:
        found = self.resolver.definition(outline, func)
        return (found.outline, found.node, 0) if found and not isinstance(found.node, ast.ClassDef) else None

    def made_class(self, outline: Outline, call: ast.Call) -> tuple[Outline, ast.ClassDef] | None:
        """The class of the repo that `call` makes an object of."""
        if (owner := _own_class(outline, call.func)) is not None:
            return outline, owner
        found = self.resolver.definition(outline, call.func)
        return (found.outline, found.node) if found is not None and isinstance(found.node, ast.ClassDef) else None

    def _given_by(self, outline: Outline, call: ast.Call) -> tuple[Outline, ast.ClassDef] | None:
        """The class of what `call` gives: of one that it makes, or whose `@classmethod` returns `cls(...)`."""
        if (made := self.made_class(outline, call)) is not None:
            return made
        func, found = call.func, self.resolver.definition(outline, call.func)
        called = found.node if found is not None else None
        if called is None or isinstance(called, ast.ClassDef):
            return None
        own = [*called.args.posonlyargs, *called.args.args][:1]
        marks = [mark.id for mark in called.decorator_list if isinstance(mark, ast.Name)]
        if "classmethod" not in marks or not own or not isinstance(func, ast.Attribute):
            return None
        values = [node.value for node in statements(called) if isinstance(node, ast.Return)]
        makes = (value.func for value in values if isinstance(value, ast.Call))
        if not any(isinstance(maker, ast.Name) and maker.id == own[0].arg for maker in makes):
            return None
        owner = self.resolver.definition(outline, func.value)
        return (owner.outline, owner.node) if owner is not None and isinstance(owner.node, ast.ClassDef) else None

    def class_of(self, outline: Outline, value: ast.expr) -> tuple[Outline, ast.ClassDef] | None:
        """The class of the repo of which `value` is an object, or which it is."""
        if isinstance(value, ast.Call):
            return self._given_by(outline, value)
        if isinstance(value, ast.Name):
            if (owner := _own_class(outline, value)) is not None:
                return outline, owner
            values = [binding.value for binding in outline.lookup(value, value.id)[1]]
            if len(values) == 1 and isinstance(values[0], ast.Call):
                return self._given_by(outline, values[0])
            found = self.resolver.definition(outline, value)
            if found is not None and isinstance(found.node, ast.ClassDef):
                return found.outline, found.node
            return self._imported_object(outline, value)
        root = root_of_chain(value) if isinstance(value, ast.Attribute) else None
        if isinstance(value, ast.Attribute) and root is not None and root.id in outline.imported:
            home = self.resolver.module(outline, value.value)  # `settings.registry`, of a module
            return self._made_by(home, value.attr) if home is not None else None
        return None

    def _imported_object(self, outline: Outline, value: ast.Name) -> tuple[Outline, ast.ClassDef] | None:
        """The class of an object that another file of the repository makes at module level: `registry = Registry()`."""
        found = [binding.statement for binding in outline.lookup(value, value.id)[1]]
        statement = found[0] if len(found) == 1 else None
        if not isinstance(statement, ast.ImportFrom) or (other := self.star_source(outline, statement)) is None:
            return None
        return self._made_by(other, original_name(statement, value.id))

    def _made_by(self, outline: Outline, name: str) -> tuple[Outline, ast.ClassDef] | None:
        """The class of the one object that a file makes at module level under that name."""
        created = [binding.value for binding in outline.bindings(outline.module, name)]
        return self.made_class(outline, created[0]) if len(created) == 1 and isinstance(created[0], ast.Call) else None

    def star_source(self, outline: Outline, statement: ast.ImportFrom) -> Outline | None:
        """The file of the repo that `from ... import *` names."""
        return self.resolver.star_source(outline, statement)


def _plain(outline: Outline, node: ast.expr, depth: int) -> str | None:
    """Nothing stands for something else than it says."""
    return None


def _first(classes: Iterable[Class], name: str) -> tuple[Outline, Function, int] | None:
    """The method `name` of the first of `classes` that has it."""
    for at in classes:
        if (found := method(at.node, name)) is not None:
            alone = any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in found.decorator_list)
            return at.outline, found, 0 if alone else 1
    return None


def _own_class(outline: Outline, node: ast.expr) -> ast.ClassDef | None:
    """The class around, when `node` is the `cls` of a class method."""
    around = outline.method(node)
    if around is None or not isinstance(node, ast.Name):
        return None
    marks = [mark.id for mark in around.decorator_list if isinstance(mark, ast.Name)]
    first = [*around.args.posonlyargs, *around.args.args][:1]
    return outline.owner(node) if "classmethod" in marks and first and first[0].arg == node.id else None
