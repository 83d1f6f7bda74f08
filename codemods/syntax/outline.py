"""What a name means where it stands: its bindings, and which of them may reach a use.

It has the rules of `binding_rules.py` in common with `Scopes`, which knows every use and binding of a file. It is built
on demand: nodes, parents and scopes of a file take 0.3 of the time of `ast.parse`, all of `Scopes` 0.75 to 1.2 (timm,
Open-Sora), and in most files one or two names are looked up.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from ..nodes import FIELDS, end_line
from ..project import Project
from .binding_rules import (
    COMPREHENSIONS,
    LOOPS,
    Comprehension,
    bound_name,
    parameters,
)
from .file_tree import FileTree, Scope, position


@dataclass(frozen=True, slots=True)
class ValueBinding:
    """A place that gives a name its value; `value` is None when it is no plain expression (parameter, loop)."""

    statement: ast.AST  # the statement, or the function for a parameter
    value: ast.expr | None
    parameter: bool = False


class Outline(FileTree):
    """The tree of one file, and what its names mean."""

    def __init__(self, path: str, module: ast.Module) -> None:
        super().__init__(path, module)
        self._bindings: dict[ast.AST, dict[str, list[ValueBinding]]] = {}
        self._comprehended: dict[ast.AST, dict[str, list[Comprehension]]] = {}
        self._declarations: dict[ast.AST, frozenset[str]] = {}
        self._lists: dict[ast.AST, dict[ast.AST, int]] = {}
        self._found: dict[tuple[ast.AST, str], tuple[Scope, Sequence[ValueBinding]]] = {}

    def bindings(self, scope: Scope, name: str) -> list[ValueBinding]:
        """Every place in `scope` that binds `name`, in source order."""
        if scope not in self._bindings:
            self._bindings[scope] = self._bound(scope)
        return self._bindings[scope].get(name, [])

    def _bound(self, scope: Scope) -> dict[str, list[ValueBinding]]:
        bound: dict[str, list[ValueBinding]] = {}
        inner = self._comprehended[scope] = dict[str, list[Comprehension]]()
        for node in self.own(scope):
            name = bound_name(node)
            if name is not None and isinstance(node, ast.Name) and (around := self._comprehension_of(node)) is not None:
                inner.setdefault(name, []).append(around)
            elif name is not None:
                value = self._bound_value(node) if isinstance(node, ast.Name) else None
                statement = node if isinstance(node, ast.ExceptHandler) else self.statement(node)
                bound.setdefault(name, []).append(ValueBinding(statement, value))
        for places in bound.values():
            places.sort(key=lambda binding: position(binding.statement))
        if not isinstance(scope, ast.Module):
            for parameter in parameters(scope):
                bound.setdefault(parameter, []).insert(0, ValueBinding(scope, None, parameter=True))
        return bound

    def declared(self, scope: Scope) -> frozenset[str]:
        """Names that `scope` declares global or nonlocal."""
        if scope not in self._declarations:
            marks = (node for node in self.own(scope) if isinstance(node, (ast.Global, ast.Nonlocal)))
            self._declarations[scope] = frozenset(name for mark in marks for name in mark.names)
        return self._declarations[scope]

    def _bound_value(self, target: ast.Name) -> ast.expr | None:
        parent = self.parents[target]
        if isinstance(parent, (ast.AnnAssign, ast.NamedExpr)) and parent.target is target:
            return parent.value
        if isinstance(parent, ast.Assign):
            return parent.value
        if isinstance(parent, ast.Tuple) and isinstance(assign := self.parents[parent], ast.Assign):
            return next((value for node, value in pairs(parent, assign.value) if node is target), None)
        if isinstance(parent, ast.withitem):
            return parent.context_expr
        return None

    def lookup(self, use: ast.AST, name: str) -> tuple[Scope, Sequence[ValueBinding]]:
        """The scope of `name` at `use` and the bindings that may reach it there (all of them for outer scopes)."""
        known = self._found.get((use, name))
        if known is None:
            known = self._found[use, name] = self._look_up(use, name)
        return known

    def _look_up(self, use: ast.AST, name: str) -> tuple[Scope, Sequence[ValueBinding]]:
        innermost = scope = self.scope(use)
        if name in self.declared(scope):
            scope = self.scope(scope)
        while True:
            found = self.bindings(scope, name)
            if self.comprehends(scope, use, name):
                return scope, [ValueBinding(self.statement(use), None)]
            if found or isinstance(scope, ast.Module):
                return scope, self.reaching(scope, found, use) if found and scope is innermost else found
            scope = self.scope(scope)

    def _comprehension_of(self, target: ast.Name) -> Comprehension | None:
        """The comprehension whose own variable the name is: nobody else sees it."""
        node: ast.AST = target
        above = self.parents[node]
        while isinstance(above, (ast.Tuple, ast.List, ast.Starred)):
            node, above = above, self.parents[above]
        around = self.parents[above] if isinstance(above, ast.comprehension) and above.target is node else None
        return around if isinstance(around, COMPREHENSIONS) else None

    def comprehends(self, scope: Scope, use: ast.AST, name: str) -> bool:
        """`use` stands where a comprehension of the scope has a variable `name`."""
        self.bindings(scope, name)  # fills what is read here
        comprehended = self._comprehended[scope].get(name)
        chain = [use, *self.ancestors(use)] if comprehended else []
        for comprehension in comprehended or ():
            at = chain.index(comprehension) if comprehension in chain else 0
            first = comprehension.generators[0]
            if at and chain[max(at - 2, 0) : at] != [first.iter, first]:  # what it goes over stands outside
                return True
        return False

    def origin_of(self, name: ast.Name) -> str:
        """The dotted origin of what an import binds to `name` where it stands; other names as they are."""
        found = self.imported.get(name.id)
        if found is None:
            return name.id
        bindings = self.lookup(name, name.id)[1] if name in self.parents else []
        imported = [binding for binding in bindings if isinstance(binding.statement, (ast.Import, ast.ImportFrom))]
        return found if imported or not bindings else name.id

    def only_value(self, use: ast.Name) -> ast.expr | None:
        """The value of the name at `use`, where one binding alone may reach it; None where it is no expression."""
        bindings = self.lookup(use, use.id)[1]
        return bindings[0].value if len(bindings) == 1 else None

    def reaching(self, scope: Scope, bindings: list[ValueBinding], use: ast.AST) -> list[ValueBinding]:
        """Those of `bindings` whose value may be the one seen at `use`."""
        if len(bindings) == 1:
            (only,) = bindings
            seen = only.parameter or self.precedes(only.statement, use)
            return [only] if seen or self.shared_loop(only.statement, use) is not None else []
        first = next((at for at, binding in enumerate(bindings) if not binding.parameter), len(bindings))
        here = position(self.statement(use))
        at = bisect_right(bindings, here, lo=first, key=lambda binding: position(binding.statement))
        before: list[ValueBinding] = []
        later: list[ValueBinding] = []
        for binding in reversed(bindings[first:at]):  # the last one that always runs hides those above it
            if self.precedes(binding.statement, use):
                before.append(binding)
                if self._always_before(binding.statement, use):
                    break
            elif self.shared_loop(binding.statement, use) is not None:
                later.append(binding)
        else:
            before += reversed(bindings[:first])
        loops = [node for node in self.ancestors(use) if isinstance(node, LOOPS)]
        end = end_line(loops[-1]) if loops else 0
        below = takewhile(lambda binding: position(binding.statement)[0] <= end, bindings[at:])
        later = later[::-1] + [each for each in below if self.shared_loop(each.statement, use) is not None]
        return before[::-1] + later

    def precedes(self, statement: ast.AST, use: ast.AST) -> bool:
        """True when `statement` stands before the statement of `use`."""
        return position(statement) < position(self.statement(use)) or (
            isinstance(statement, (*LOOPS, ast.With, ast.AsyncWith, ast.ExceptHandler))
            and statement in self.ancestors(use)
        )

    def _blocks(self, holder: ast.AST) -> dict[ast.AST, int]:
        """Which list of statements (or of other nodes) of `holder` each node directly below it stands in."""
        if holder not in self._lists:
            lists = (getattr(holder, name, None) for name in FIELDS[holder.__class__])
            self._lists[holder] = {
                item: id(block)
                for block in lists
                if block.__class__ is list
                for item in block
                if isinstance(item, ast.AST)
            }
        return self._lists[holder]

    def _always_before(self, statement: ast.AST, use: ast.AST) -> bool:
        """`statement` runs before `use` whenever `use` runs: it stands in a block that `use` is in too."""
        holder = self.parents.get(statement)
        child = use
        for parent in self.ancestors(use):
            if parent is holder:
                blocks = self._blocks(parent)
                return statement in blocks and blocks[statement] == blocks.get(child)
            child = parent
        return False

    def shared_loop(self, one: ast.AST, other: ast.AST) -> ast.AST | None:
        """The innermost loop of the same function that holds both."""
        around = [node for node in self.ancestors(one) if isinstance(node, LOOPS)]
        mine = set(self.ancestors(other))
        scope = self.scope(one)
        return next((loop for loop in around if loop in mine and self.scope(loop) is scope), None)


def outline_of(project: Project, path: str) -> Outline | None:
    """The outline of a Python file; None when it does not parse."""
    module = project.module(path)
    if module is None:
        return None
    outlines = project.by_tree(Outline)
    if path not in outlines:
        outlines[path] = Outline(path, module)
    return outlines[path]


def pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Which target gets which value: `a, b = x, y` gives (a, x), (b, y); unpacking of anything else gives nothing."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        yield target, value
    elif (
        isinstance(value, (ast.Tuple, ast.List))
        and len(value.elts) == len(target.elts)
        and not any(isinstance(node, ast.Starred) for node in [*target.elts, *value.elts])
    ):
        for inner, part in zip(target.elts, value.elts, strict=True):
            yield from pairs(inner, part)
