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
        self._owners_of: dict[tuple[ast.expr, int], tuple[list[Class], bool]] = {}

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

    def owners(self, outline: Outline, node: ast.expr) -> list[Class]:
        """The classes that `node` is an object of, also as an attribute: `self.data` of `self.data.loader`."""
        return self.seen(outline, node)[0]

    def seen(self, outline: Outline, node: ast.expr, depth: int = 0) -> tuple[list[Class], bool]:
        """The same, and whether these are all that are seen to be given; not all of them need be of one program."""
        key = node, depth
        if key not in self._owners_of:
            self._owners_of[key] = [], False  # while it is looked for
            found, known = dict[Class, None](), depth < _MAX_DEPTH
            for classes, is_known in self._ways(outline, node, depth) if known else ():
                found |= dict.fromkeys(classes)
                known = known and is_known
            self._owners_of[key] = [*found][:_MAX_CLASSES], known and 0 < len(found) <= _MAX_CLASSES
        return self._owners_of[key]

    def _ways(self, outline: Outline, node: ast.expr, depth: int) -> Iterator[tuple[list[Class], bool]]:
        """The same for each value that `node` may have."""
        if isinstance(node, ast.Attribute):
            owners, known = self.seen(outline, node.value, depth + 1)
            yield [], known
            for at in (at for owner in owners for at in self.callees.resolver.lineage(owner)):
                for value in self.attributes(at.node).get(node.attr, []):
                    classes = self.callees.classes_of(at.outline, value) or [*self._of_passed_class(at.outline, value)]
                    passed = self.given.kept(at.outline, value) if not classes else []
                    if not passed and not isinstance(value, ast.Constant):
                        yield classes, bool(classes)
                    yield from (self._of_given(*each, depth) for each in passed)
            return
        around = outline.owner(node) if outline.is_self(node) else None
        made = (outline, around) if around is not None else self.callees.class_of(outline, node)
        classes = [Class(*made)] if made is not None else self.callees.classes_of(outline, node)
        passed = []
        if not classes and isinstance(node, ast.Name):
            passed = self.given.kept(outline, node) or self.given.to_function(outline, node)
            bound = outline.only_value(node) if not passed else node
            passed = passed if bound is None or bound is node else [(outline, bound)]
        if not passed:
            yield classes, bool(classes)
        yield from (self._of_given(*each, depth) for each in passed)

    def _of_given(self, outline: Outline, value: ast.expr, depth: int) -> tuple[list[Class], bool]:
        return ([], False) if isinstance(value, ast.Starred) else self.seen(outline, value, depth + 1)

    def _of_passed_class(self, outline: Outline, value: ast.expr) -> Iterator[Class]:
        """The classes of `loader(options)`, where the constructor got `loader`: `Solver(loader=Loader)`."""
        for where, given in self.given.passed(outline, value.func) if isinstance(value, ast.Call) else ():
            named = where.only_value(given) if isinstance(given, ast.Name) else None
            yield from self.callees.resolver.classes(where, named if named is not None else given)

    def methods(self, outline: Outline, call: ast.Call) -> tuple[list[tuple[Outline, Function, int]], bool]:
        """The methods that `self.data.batches()` may call, by what the attribute or parameter is given.

        Also whether these are all that are seen to be given. Not all of them need be called in one program.
        `self.run()` may call `__call__` of the object `self.run`, or the function that is kept as `run`.
        """
        func = call.func
        ways = [(func.value, func.attr)] if isinstance(func, ast.Attribute) else []
        ways += [(func, "__call__")] if not self.callees.resolver.classes(outline, func) else []
        for owner, name in ways:
            if isinstance(owner, (ast.Attribute, ast.Name)) and self.callees.repo.methods(name):
                owners, known = self.seen(outline, owner)
                if methods := self.callees.methods_of(owners, name):
                    return methods, known
        kept = self._kept_functions(outline, func) if isinstance(func, ast.Attribute) else []
        return kept, len(kept) == 1

    def _kept_functions(self, outline: Outline, func: ast.Attribute) -> list[tuple[Outline, Function, int]]:
        """The functions that `self.build` may be, as the constructor got and kept it: `Solver(build=loaders)`."""
        found: dict[tuple[Outline, Function], None] = {}
        for at in (at for owner in self.owners(outline, func.value) for at in self.callees.resolver.lineage(owner)):
            for value in self.attributes(at.node).get(func.attr, []):
                for where, given in self.given.passed(at.outline, value) or [(at.outline, value)]:
                    found |= dict.fromkeys(self.callees.resolver.functions(where, given))
        return [(where, function, 0) for where, function in found]


def _names(target: ast.expr) -> Iterator[str]:
    """`train` and `parts.train` for `self.parts.train`."""
    if isinstance(target, ast.Attribute):
        yield target.attr
        if isinstance(target.value, ast.Attribute):
            yield f"{target.value.attr}.{target.attr}"
