"""Functions that put what they are given into a table of a module: where programs call them, or decorate by them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....flow.answers.crossings import flow_of
from ....nodes import walk
from ....syntax.binding_rules import parameters
from ....syntax.callees import FUNCTIONS, Callees, Function
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ....syntax.resolver import Class

_OF_SUBCLASSES = "__init_subclass__"
_OF_CLASSES = ("__new__", "__init__")  # of a metaclass
_METACLASSES = frozenset(("type", "ABCMeta", "EnumMeta", "EnumType"))


class Registrations:
    """Answers for one run: what a function registers is looked for once, however often it names the table."""

    def __init__(self, repo: Repo, callees: Callees) -> None:
        self.repo, self.callees = repo, callees
        self._known: dict[Function, list[tuple[Outline, ast.expr]]] = {}
        self._on_lines: dict[Outline, dict[int, list[ast.Name]]] = {}  # see `_names_on_lines`

    def by(self, outline: Outline, node: ast.AST) -> list[tuple[Outline, ast.expr]]:
        """Where functions and classes are put into the table by the code at `node`, which changes it."""
        scope = outline.scope(node)
        if not isinstance(scope, FUNCTIONS):
            return []
        around = outline.scope(scope)
        given = {*parameters(scope), *(parameters(around) if isinstance(around, FUNCTIONS) else ())}
        given |= _new_classes(outline, scope) if _metaclass(self.callees, outline, scope) is not None else set()
        statement = outline.statement(node)
        if not any(isinstance(each, ast.Name) and each.id in given for each in _put(statement)):
            return []
        if scope not in self._known:
            self._known[scope] = [*self._of(outline, scope, around)]
        return self._known[scope]

    def _of(self, outline: Outline, scope: Function, around: ast.AST) -> Iterator[tuple[Outline, ast.expr]]:
        repo, callees = self.repo, self.callees
        if scope.name == _OF_SUBCLASSES:
            yield from _subclasses(repo, callees, outline, scope)
            return
        if (owner := _metaclass(callees, outline, scope)) is not None:
            yield from _classes_of(repo, callees, owner)
            return
        registers = around if isinstance(around, FUNCTIONS) and _returns(around, scope.name) else scope
        for where in repo.using(registers.name):
            for use in where.named.get(registers.name, ()):
                if isinstance(use.ctx, ast.Load) and _registers(callees, where, use):
                    called = callees.called(where, ast.Call(use, [], []))
                    if called is not None and called[1] is registers:
                        yield where, use
        yield from self._by_parameters(outline, registers)

    def _by_parameters(self, outline: Outline, registers: Function) -> Iterator[tuple[Outline, ast.expr]]:
        """Where a function that was given `registers` does it: `def install(register):`, `plugin.install(register)`."""
        seen = flow_of(self.repo.project).given(outline.path, registers.lineno, registers.col_offset)
        for path, line in dict.fromkeys((each.path, each.line) for each in seen):
            where = self.repo.outline(path)
            if where is not None and where not in self._on_lines:
                self._on_lines[where] = _names_on_lines(where)
            for use in self._on_lines[where].get(line, ()) if where is not None else ():
                assert where is not None
                is_given = any(each.parameter for each in where.lookup(use, use.id)[1])
                if is_given and _registers(self.callees, where, use):
                    yield where, use


def _names_on_lines(outline: Outline) -> dict[int, list[ast.Name]]:
    """The names that are read, by their lines; of decorators, the line of what is decorated."""
    found: dict[int, list[ast.Name]] = {}
    for use in (use for uses in outline.named.values() for use in uses):
        if isinstance(use, ast.Name) and isinstance(use.ctx, ast.Load):
            marked = outline.parents[use]
            at = marked.lineno if isinstance(marked, (*FUNCTIONS, ast.ClassDef)) else use.lineno  # `@register`
            found.setdefault(at, []).append(use)
    return found


def _put(statement: ast.AST) -> list[ast.expr]:
    """What a statement stores: `table[name] = value`, `table.append(value)`."""
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return [] if statement.value is None else [statement.value]
    call = statement.value if isinstance(statement, ast.Expr) else None
    return call.args if isinstance(call, ast.Call) else []


def _returns(function: Function, name: str) -> bool:
    returned = (node.value for node in walk(function) if isinstance(node, ast.Return))
    return any(isinstance(value, ast.Name) and value.id == name for value in returned)


def _registers(callees: Callees, outline: Outline, use: ast.Name | ast.Attribute) -> bool:
    """`@register`, `@register("name")`, `register("name", function)`: not the use of a cache."""
    above = outline.parents[use]
    call = above if isinstance(above, ast.Call) and above.func is use else None
    mark: ast.expr = use if call is None else call
    holder = outline.parents[mark]
    if isinstance(holder, (*FUNCTIONS, ast.ClassDef)):
        return mark in holder.decorator_list
    calls = [call, holder] if isinstance(holder, ast.Call) and holder.func is call else [call]
    return any(_is_function(callees, outline, each) for one in calls if one is not None for each in one.args)


def _is_function(callees: Callees, outline: Outline, value: ast.expr) -> bool:
    if isinstance(value, ast.Lambda):
        return True
    if not isinstance(value, (ast.Name, ast.Attribute)):
        return False
    return callees.resolver.definition(outline, value) is not None


def _subclasses(repo: Repo, callees: Callees, outline: Outline, scope: Function) -> Iterator[tuple[Outline, ast.expr]]:
    """The classes below the one whose hook it is, by their bases."""
    owner = outline.owner(scope.body[0])
    if owner is not None:
        yield from _below(repo, callees, owner)


def _metaclass(callees: Callees, outline: Outline, scope: Function) -> ast.ClassDef | None:
    """The metaclass that makes classes by the function."""
    owner = outline.parents.get(scope)
    if scope.name not in _OF_CLASSES or not isinstance(owner, ast.ClassDef):
        return None
    names = callees.resolver.base_names(Class(outline, owner))
    return owner if any(base.rpartition(".")[2] in _METACLASSES for base in names) else None


def _new_classes(outline: Outline, scope: Function) -> set[str]:
    """The names of the new class in the `__new__` of a metaclass: `cls = super().__new__(...)`."""
    made = (node for node in outline.own(scope) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call))
    new = (node for node in made if isinstance(node.value, ast.Call) and last_name(node.value.func) in _OF_CLASSES)
    return {target.id for node in new for target in node.targets if isinstance(target, ast.Name)}


def _classes_of(repo: Repo, callees: Callees, owner: ast.ClassDef) -> Iterator[tuple[Outline, ast.expr]]:
    """The classes of the metaclass, and those below them, by their bases or what names it."""
    for where in repo.mentioning(owner.name):
        for node in (each for each in where.statements if isinstance(each, ast.ClassDef)):
            for meta in (word.value for word in node.keywords if word.arg == "metaclass"):
                if any(cls.node is owner for cls in callees.resolver.classes(where, meta)):
                    yield where, meta
                    yield from _below(repo, callees, node)


def _below(repo: Repo, callees: Callees, owner: ast.ClassDef) -> Iterator[tuple[Outline, ast.expr]]:
    for where in repo.mentioning(owner.name):
        for node in (each for each in where.statements if isinstance(each, ast.ClassDef)):
            derives = node is not owner and node.bases
            if derives and any(at.node is owner for at in callees.resolver.lineage(Class(where, node))):
                yield where, node.bases[0]
