"""What the attributes of the repository's objects are, and of which class an attribute is an object."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....nodes import walk
from ....syntax.callees import Callees, Function
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ....syntax.resolver import Class
from .given_to_classes import GivenToClasses
from .loader_values import put_into

_MAX_DEPTH = 4
_MAX_CLASSES = 8


class Objects:
    """Answers for one project."""

    def __init__(self, repo: Repo, callees: Callees) -> None:
        self.callees, self.given = callees, GivenToClasses(repo, callees)
        self._known: dict[ast.ClassDef, dict[str, list[ast.expr]]] = {}

    def attributes(self, owner: ast.ClassDef) -> dict[str, list[ast.expr]]:
        """What the code of a class assigns to each attribute, and stores in it; "parts.train" is `self.parts.train`."""
        if owner not in self._known:
            nodes = list(walk(owner))
            found: dict[str, list[ast.expr]] = {}
            for node in nodes:
                for target in node.targets if isinstance(node, ast.Assign) else ():
                    targets = target.elts if isinstance(target, ast.Tuple) else [target]
                    for name in dict.fromkeys(name for target in targets for name in _names(target)):
                        found.setdefault(name, []).append(node.value)  # type: ignore[attr-defined]
            for name, values in put_into(nodes).items():
                found.setdefault(name, []).extend(values)
            self._known[owner] = found
        return self._known[owner]

    def owners(self, outline: Outline, node: ast.expr, depth: int = 0) -> list[Class]:
        """The classes that `node` is an object of, also as an attribute: `self.data` of `self.data.loader`."""
        if not isinstance(node, ast.Attribute):
            around = outline.owner(node) if outline.is_self(node) else None
            made = (outline, around) if around is not None else self.callees.class_of(outline, node)
            classes = [Class(*made)] if made is not None else self.callees.classes_of(outline, node)
            if not classes and isinstance(node, ast.Name) and depth < _MAX_DEPTH:
                passed = self.given.passed(outline, node) or self.given.to_function(outline, node)
                value = outline.only_value(node) if not passed else None
                passed = passed if value is None or value is node else [(outline, value)]
                classes = [cls for each in passed for cls in self.owners(*each, depth + 1)]
            return [*dict.fromkeys(classes)][:_MAX_CLASSES]
        found: dict[Class, None] = {}
        for owner in self.owners(outline, node.value, depth + 1) if depth < _MAX_DEPTH else ():
            for at in self.callees.resolver.lineage(owner):
                for value in self.attributes(at.node).get(node.attr, []):
                    given = [(at.outline, value), *self.given.passed(at.outline, value)]
                    found |= dict.fromkeys(cls for each in given for cls in self.callees.classes_of(*each))
                    found |= dict.fromkeys(self._of_passed_class(at.outline, value))
        return [*found][:_MAX_CLASSES]

    def _of_passed_class(self, outline: Outline, value: ast.expr) -> Iterator[Class]:
        """The classes of `loader(options)`, where the constructor got `loader`: `Solver(loader=Loader)`."""
        for where, given in self.given.passed(outline, value.func) if isinstance(value, ast.Call) else ():
            named = where.only_value(given) if isinstance(given, ast.Name) else None
            yield from self.callees.resolver.classes(where, named if named is not None else given)

    def methods(self, outline: Outline, call: ast.Call) -> list[tuple[Outline, Function, int]]:
        """The methods that `self.data.batches()` may call, by what the attribute or parameter is given."""
        if not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, (ast.Attribute, ast.Name)):
            return []
        if not self.callees.repo.methods(call.func.attr):
            return []
        return self.callees.methods_of(self.owners(outline, call.func.value), call.func.attr)


def _names(target: ast.expr) -> Iterator[str]:
    """`train` and `parts.train` for `self.parts.train`."""
    if isinstance(target, ast.Attribute):
        yield target.attr
        if isinstance(target.value, ast.Attribute):
            yield f"{target.value.attr}.{target.attr}"
