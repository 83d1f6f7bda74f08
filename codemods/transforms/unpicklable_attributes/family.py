"""The classes of a repository: how they derive from each other, and what other code does to their objects."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from itertools import islice
from typing import TypeGuard

from ...flow.answers.crossings import flow_of
from ...flow.answers.instance_uses import InstanceUse, places_of_dicts
from ...project import Project
from ...questions import asked
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from ...syntax.repo import Repo
from ...syntax.resolver import Class
from ...syntax.set_again import set_again
from ...syntax.unpicklable_table import base_methods
from .classes import FIRST, Shape
from .star_bases import star_base
from .uses.elsewhere import Elsewhere, lists_itself
from .uses.outside import Outside, hands_out

_CLASS = re.compile(r"class[ \t]+(\w+)[ \t]*(?:\(([^()]*(?:\([^()]*\)[^()]*)*)\))?")
_AS = re.compile(r"as(?<=[ \t]as)[ \t]+(\w+)")  # begins with its word: found many times faster than what it is part of
_RENAMED = re.compile(r"(\w+)[ \t]+\Z")  # what stands before that
_STATE = frozenset(
    ("__getstate__", "__setstate__", "__del__", "__reduce__", "__reduce_ex__", "__copy__", "__deepcopy__")
)


def _statements(text: str) -> Iterator[tuple[str, str]]:
    """The name and the text of the bases of each class statement: of what begins a line with `class`."""
    at = 0
    while (match := _CLASS.search(text, at)) is not None:
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if before and before.strip(" \t"):
            at = match.start() + 1  # what follows may begin a line inside of this
            continue
        yield match[1], match[2] or ""
        at = match.end()


def _aliases(text: str) -> dict[str, str]:
    """What stands before ` as `, by the name behind it."""
    found: dict[str, str] = {}
    end = 0  # of the name behind the one before
    for match in _AS.finditer(text):
        at = match.start()
        name = _RENAMED.search(text, max(end, text.rfind("\n", 0, at) + 1), at)
        if name is not None:
            found[match[1]], end = name[1], match.end()
    return found


@asked
def class_names(project: Project, path: str) -> tuple[str, ...]:
    """By a look at the text: "class A" for each class that a file defines, "below B" for what one derives from."""
    source = project.source(path)
    if source is None or "class" not in source.text:
        return ()
    found: dict[str, None] = {}
    classes = [(name, re.findall(r"\w+", bases)) for name, bases in _statements(source.text)]
    own = _aliases(source.text) if any(words for _, words in classes) else {}
    for name, words in classes:
        found[f"class {name}"] = None
        for base in [*words, *(own[word] for word in words if word in own)]:
            found[f"below {base}"] = None
    return tuple(found)


@asked
def bases_at(project: Project, path: str, line: int) -> tuple[tuple[str, int], ...]:
    """The classes of the repository that those of this line derive from directly, by file and line."""
    repo = Repo(project)
    family = Family(repo)
    defined = [family.shape(outline, node) for outline, node in repo.defined_at(path, line) if _is_class(node)]
    return tuple((base.outline.path, base.node.lineno) for shape in defined for base in family.bases(shape)[0])


def line_at(project: Project, path: str, line: int) -> set[tuple[str, int]]:
    """The class at `path`:`line` and all its base classes in the repository, by file and line."""
    found, todo = {(path, line)}, [(path, line)]
    while todo:
        more = [base for base in bases_at(project, *todo.pop()) if base not in found]
        found.update(more)
        todo += more
    return found


def _is_class(node: ast.AST) -> TypeGuard[ast.ClassDef]:
    return isinstance(node, ast.ClassDef)


class Family:
    """The classes of a repository and how they derive from each other; one per run of a rule."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self._shapes: dict[ast.ClassDef, Shape] = {}
        self._bases: dict[ast.ClassDef, tuple[list[Shape], list[str]]] = {}
        self._derived: dict[ast.ClassDef, list[Shape]] = {}
        self._with_bases: dict[str, tuple[list[Shape], dict[ast.ClassDef, list[int]]]] = {}
        self._foreign: dict[ast.ClassDef, list[str]] = {}
        self._uses: dict[ast.ClassDef, list[InstanceUse]] = {}
        self._lines: dict[ast.ClassDef, dict[ast.ClassDef, Shape]] = {}
        self._pre_transfer: dict[ast.ClassDef, frozenset[str]] = {}
        self._outside: dict[ast.ClassDef, Outside] = {}

    def shape(self, outline: Outline, node: ast.ClassDef) -> Shape:
        """The one Shape of a class statement."""
        if node not in self._shapes:
            self._shapes[node] = Shape(outline, node)
        return self._shapes[node]

    def bases(self, shape: Shape) -> tuple[list[Shape], list[str]]:
        """(base classes in the repository, dotted names of the others), as written."""
        if shape.node not in self._bases:
            own: list[Shape] = []
            foreign: list[str] = []
            for base in shape.node.bases:
                found = self._resolve(shape, base)
                if isinstance(found, Shape):
                    own.append(found)
                elif found:
                    foreign.append(found)
            self._bases[shape.node] = (own, foreign)
        return self._bases[shape.node]

    def _resolve(self, shape: Shape, base: ast.expr) -> Shape | str:
        outline = shape.outline
        if isinstance(base, ast.Subscript):
            base = base.value
        found = [cls for cls in self.repo.resolver.classes(outline, base) if cls.node is not shape.node]
        if found:
            return self.shape(*found[-1])
        unbound = isinstance(base, ast.Name) and not outline.lookup(base, base.id)[1]
        by_star = (
            self.repo.resolver.imported_by_star(outline, base.id) if isinstance(base, ast.Name) and unbound else ""
        )
        return by_star or star_base(outline, base) or qualified_name(outline, base) or ast.unparse(base)

    def line(self, shape: Shape) -> Iterable[Shape]:
        """The class and all its base classes in the repository, nearest first."""
        return self._line(shape).values()

    def below(self, shape: Shape, other: Shape) -> bool:
        """True where `shape` is `other`, or derives from it."""
        return other.node in self._line(shape)

    def _line(self, shape: Shape) -> dict[ast.ClassDef, Shape]:
        known = self._lines.get(shape.node)
        if known is None:
            known = self._lines[shape.node] = {}
            todo = [shape]
            for each in todo:  # grows as it goes
                if each.node not in known:
                    known[each.node] = each
                    todo += self.bases(each)[0]
        return known

    def foreign(self, shape: Shape) -> list[str]:
        """Dotted names of the base classes that are not in the repository."""
        known = self._foreign.get(shape.node)
        if known is None:
            names = (name for other in self.line(shape) for name in self.bases(other)[1])
            known = self._foreign[shape.node] = list(dict.fromkeys(names))
        return known

    def is_dataset(self, shape: Shape) -> bool:
        """A loader of torch walks over it, in its workers where it has some."""
        return any(name.startswith("torch.utils.data.") for name in self.foreign(shape))

    def derived(self, shape: Shape) -> list[Shape]:
        """Classes of the repository below `shape`, itself left out."""
        if shape.node not in self._derived:
            seen = {shape.node: shape}
            done: dict[str, int] = {}  # by file of how many of these the classes below were looked for in it
            left: dict[str, list[int]] = {}  # by file those that were found too late for the look before
            todo = [shape.node.name]
            while todo:
                name = todo.pop()
                for path in self.repo.project.with_key(class_names, f"below {name}"):
                    classes, below = self._of_file(path)
                    first = done.get(path, 0)
                    waiting = left.pop(path, [])
                    waiting += [at for node in islice(seen, first, None) for at in below.get(node, ())]
                    heapify(waiting)
                    while waiting:
                        at = heappop(waiting)
                        found = classes[at]
                        if found.node in seen:
                            continue
                        seen[found.node] = found
                        todo.append(found.node.name)
                        for other in below.get(found.node, ()):
                            if other > at:
                                heappush(waiting, other)
                            else:
                                left.setdefault(path, []).append(other)
                    done[path] = len(seen)
            self._derived[shape.node] = [*seen.values()][1:]
        return self._derived[shape.node]

    def _of_file(self, path: str) -> tuple[list[Shape], dict[ast.ClassDef, list[int]]]:
        """The classes of a file that have base classes, in the order of its nodes, and by base class which."""
        if path not in self._with_bases:
            outline = self.repo.outline(path)
            nodes = outline.statements if outline is not None else ()
            classes = [
                self.shape(outline, node)
                for node in nodes
                if outline is not None and isinstance(node, ast.ClassDef) and node.bases
            ]
            below: dict[ast.ClassDef, list[int]] = {}
            for at, shape in enumerate(classes):
                for base in self.bases(shape)[0]:
                    below.setdefault(base.node, []).append(at)
            self._with_bases[path] = classes, below
        return self._with_bases[path]

    def is_class_name(self, name: str) -> bool:
        """Some class of the repository has this name: a quick look before it is followed."""
        return bool(self.repo.project.with_key(class_names, f"class {name}"))

    def foreign_bases(self, outline: Outline, node: ast.expr) -> list[str]:
        """Dotted names of base classes outside of the repository, where `node` names one of its classes.

        Empty where the class says itself how its objects are pickled.
        """
        found = self.repo.resolver.classes(outline, node) if self.is_class_name(outline.home_name(node)) else []
        if len(found) != 1:
            return []
        shape = self.shape(*found[0])
        return (
            []
            if any((_STATE - {"__del__"}) & other.methods.keys() for other in self.line(shape))
            else self.foreign(shape)
        )

    def hierarchy(self, shape: Shape) -> list[Shape]:
        """The class, its base classes and the classes below it: all that shares its attributes."""
        return [*self.line(shape), *self.derived(shape)]

    def pre_transfer_methods(self, shape: Shape) -> frozenset[str]:
        """Methods that run before an object is sent: `__init__`, `__len__` (`__enter__` where one is entered
        as they are made) and what they call or read."""
        if shape.node not in self._pre_transfer:
            hierarchy = self.hierarchy(shape)
            found = {"__init__", *(name for other in hierarchy for name in FIRST & other.methods.keys())}
            if any("__enter__" in other.methods for other in hierarchy) and any(map(self._entered, hierarchy)):
                found.add("__enter__")
            methods = {name for other in hierarchy for name in other.methods}
            todo = list(found)
            while todo:
                caller = todo.pop()
                for relative in hierarchy:
                    for called in relative.selves:
                        if called in methods and called not in found and caller in relative.callers(called):
                            found.add(called)
                            todo.append(called)
            self._pre_transfer[shape.node] = frozenset(found)
        return self._pre_transfer[shape.node]

    def outside(self, shape: Shape) -> Outside:
        """What other code does to objects of the class and of those below it."""
        if shape.node not in self._outside:
            names = frozenset(other.node.name for other in [shape, *self.derived(shape)])
            outlines = dict.fromkeys(outline for name in sorted(names) for outline in self.repo.mentioning(name))
            seen = [use for other in [shape, *self.derived(shape)] for use in self._uses_of(other)]
            elsewhere = Elsewhere(self.repo, dict.fromkeys(seen))
            found = Outside(outlines, names, frozenset(hands_out(self.hierarchy(shape))), elsewhere)
            found.copied |= any("copied" in (base_methods(base) or ()) for base in self.foreign(shape))
            self._outside[shape.node] = found
        return self._outside[shape.node]

    def _uses_of(self, shape: Shape) -> list[InstanceUse]:
        """What code does to objects of this very class, as far as the value flow sees it."""
        if shape.node not in self._uses:
            self._uses[shape.node] = flow_of(self.repo.project).instance_uses(shape.outline.path, shape.node.lineno)
        return self._uses[shape.node]

    def set_again(self, shape: Shape, attribute: str, made: ast.AST) -> str | None:
        """The place that may set the attribute by its name or through the dict of an object, after `made`."""
        places = places_of_dicts(self.outside(shape).elsewhere.uses)
        return set_again(self.repo.project, self.repo, Class(shape.outline, shape.node), attribute, made, places)

    def shown(self, shape: Shape) -> str | None:
        """The place that reads all attributes of an object of the class at once."""
        return lists_itself(self.hierarchy(shape)) or self.outside(shape).elsewhere.shown()

    def _entered(self, shape: Shape) -> bool:
        """Some `with Reader(path) as reader:` returns objects of the class that are open."""
        name = shape.node.name
        return any(
            isinstance(item.context_expr, ast.Call) and last_name(item.context_expr.func) == name
            for outline in self.repo.mentioning(name)
            for items in (
                *(node.items for node in outline.of_kind(ast.With)),
                *(node.items for node in outline.of_kind(ast.AsyncWith)),
            )
            for item in items
            if item.optional_vars is not None
        )

    def values(self, outline: Outline, node: ast.Attribute) -> list[tuple[Outline, ast.expr]]:
        """Values that `self.x` gets in the class around `node` and its base classes."""
        owner = outline.owner(node)
        if owner is None:
            return []
        return [
            (other.outline, store.value)
            for other in self.line(self.shape(outline, owner))
            for store in other.stores(node.attr)
            if store.value is not None and store.target is not node
        ]

    def state_methods(self, shape: Shape) -> tuple[frozenset[str], str | None]:
        """(`__getstate__` and `__setstate__` as inherited, a base class of which nobody knows)."""
        found: set[str] = set()
        for other in self.line(shape):
            if other is not shape:
                found |= {"__getstate__", "__setstate__"} & other.methods.keys()
        unknown = None
        for name in self.foreign(shape):
            known = base_methods(name)
            if known is None:
                unknown = unknown or name
            else:
                found |= known
        return frozenset(found), unknown
