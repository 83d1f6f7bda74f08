"""May a class get one more method? Not where code lists its members, or uses its methods with other objects."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ....project import Project
from ....syntax.binding_rules import FUNCTIONS
from ....syntax.names import last_name
from ....syntax.repo import Repo
from ....syntax.resolver import Class
from ....syntax.scopes import Scopes
from ..libraries import libraries
from .settled import Settled

_LOOKS_AT_OBJECTS = frozenset({"dir", "getmembers", "getmembers_static"})
_MEMBERS = frozenset({"__dict__", "mro", "__mro__"})


class ClassUse:
    """Questions about the classes of one file."""

    def __init__(self, project: Project, path: str, scopes: Scopes, settled: Settled, repo: Repo) -> None:
        self.project, self.path, self.scopes = project, path, scopes
        self.settled, self.repo = settled, repo
        self._answers: dict[tuple[ast.ClassDef, str], str | None] = {}
        self._listed: dict[tuple[ast.AST, str], tuple[str, ...]] = {}

    def why_no_method(self, node: ast.ClassDef, maker: str) -> str | None:
        """Why what the method `maker` makes should be no method beside it, in words; None when it may be one."""
        key = node, maker
        if key not in self._answers:
            self._answers[key] = next(self._reasons(node, maker), None)
        return self._answers[key]

    def _reasons(self, node: ast.ClassDef, maker: str) -> Iterator[str]:
        outline = self.repo.outline(self.path)
        lineage = self.repo.resolver.lineage(Class(outline, node)) if outline is not None else ()
        bases = [cls.node for cls in lineage]
        for decorator in node.decorator_list:
            if not self.settled.pure_decorator(decorator, libraries().class_decorators):
                yield f"`@{ast.unparse(decorator)}` may look at its methods (line {decorator.lineno})"
        for cls in [node, *bases]:
            for keyword in cls.keywords:
                if last_name(keyword.value) != "ABCMeta":
                    yield f"`{ast.unparse(keyword)}` of `{cls.name}` may look at its methods (line {cls.lineno})"
            if cls is not node and any(
                isinstance(statement, FUNCTIONS) and statement.name == "__init_subclass__" for statement in cls.body
            ):
                yield f"`__init_subclass__` of `{cls.name}` may look at its methods (line {cls.lineno})"
            yield from self._looks(cls, "self")
        yield from self._looks(self.scopes.tree, node.name)
        yield from self._borrowed(node, maker)

    def _looks(self, root: ast.AST, of: str) -> tuple[str, ...]:
        """Members are listed: in the class or a base of it, or anywhere in the file by the name of the class."""
        if (root, of) not in self._listed:  # each maker in the class asks
            self._listed[root, of] = tuple(self._lists(root, of))
        return self._listed[root, of]

    def _lists(self, root: ast.AST, of: str) -> Iterator[str]:
        for inner in ast.walk(root):
            if isinstance(inner, ast.Call):
                called = last_name(inner.func)
                lists = called in _LOOKS_AT_OBJECTS or (called == "vars" and _names(inner.args[:1], of))
                if lists and inner.args:
                    yield f"`{ast.unparse(inner)}` lists its methods (line {inner.lineno})"
            elif isinstance(inner, ast.Attribute) and inner.attr in _MEMBERS and _names([inner.value], of):
                yield f"`{ast.unparse(inner)}` lists its methods (line {inner.lineno})"

    def _borrowed(self, node: ast.ClassDef, maker: str) -> Iterator[str]:
        """`A.make` is taken from the class: by another class, or with an object of another class."""
        pattern = re.compile(rf"{node.name}(?<!\w{node.name})\.{maker}\b")
        for source in self.project.matching(pattern, word=maker):
            module = self.project.module(source.path)
            for around in ast.walk(module) if module is not None else ():
                for inner in ast.iter_child_nodes(around):
                    if (
                        isinstance(inner, ast.Attribute)
                        and inner.attr == maker
                        and last_name(inner.value) == node.name
                        and not _calls_base(around, inner)
                    ):
                        where = f"{source.path}:{inner.lineno}" if source.path != self.path else f"line {inner.lineno}"
                        yield f"`{ast.unparse(inner)}` may be used with other objects ({where})"


def _names(values: list[ast.expr], of: str) -> bool:
    """The first of the values is the class: by its name, or `type(self)`, `self.__class__`, `cls` in itself."""
    if not values:
        return False
    text = ast.unparse(values[0])
    return text == of if of != "self" else text in ("cls", "type(self)", "self.__class__")


def _calls_base(parent: ast.AST, node: ast.Attribute) -> bool:
    """`Base.make(self, ...)`, as a method of a derived class calls that of its base."""
    return (
        isinstance(parent, ast.Call)
        and parent.func is node
        and bool(parent.args)
        and isinstance(parent.args[0], ast.Name)
        and parent.args[0].id == "self"
    )
