"""Where the process group is made that a variable or attribute holds; what it is called proves nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...finding import Hop
from ...nodes import walk
from ...project import Project
from ...syntax.resolver import FinalValue
from .callers import passed_arguments
from .file_view import FileView, Function, Scope, spelled, walk_scope
from .models import dotted
from .process_groups import MAKES_GROUPS, MAKING_WORDS, is_group

_DEPTH = 6  # bindings, callers and functions followed from one value
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class _Read:
    """`value` as it is read in `scope` of the file of `view`; `inside`: the statement that reads it."""

    view: FileView
    scope: Scope
    value: ast.expr
    inside: ast.AST

    def of(self, value: ast.expr) -> _Read:
        """Another value that is read at the same place."""
        return replace(self, value=value)


def group_origin(view: FileView, scope: Scope, value: ast.expr, inside: ast.AST) -> Hop | None:
    """The step that makes the process group which `value`, read by `inside` in `scope`, holds; None: none is seen."""
    if not view.models.project.derive(_makes_groups):
        return None
    return _origin(_Read(view, scope, value, inside), _DEPTH, set())


def _makes_groups(project: Project) -> bool:
    return any(True for _ in project.matching(MAKES_GROUPS, like=MAKING_WORDS))


def _origin(read: _Read, depth: int, done: set[int]) -> Hop | None:
    if depth < 0 or id(read.value) in done:
        return None
    done.add(id(read.value))
    value = read.value
    if is_group(value, read.view.outline) and not isinstance(value, (ast.IfExp, ast.BoolOp)):
        what = f"the process group is created or looked up: `{short(ast.unparse(value))}`"
        return Hop(read.view.path, value.lineno, what)
    return next((hop for more in _sources(read) if (hop := _origin(more, depth - 1, done)) is not None), None)


def _sources(read: _Read) -> Iterator[_Read]:
    """What else the value may be: the sides of a condition, bindings of the name, arguments of callers, results."""
    value = read.value
    if isinstance(value, ast.IfExp):
        yield from (read.of(side) for side in (value.body, value.orelse))
    elif isinstance(value, ast.BoolOp):
        yield from (read.of(side) for side in value.values)
    elif isinstance(value, ast.Name):
        yield from _of_name(read, value.id)
    elif isinstance(value, ast.Attribute) and dotted(value) == f"self.{value.attr}":
        yield from _of_attribute(read, value.attr)
    elif isinstance(value, (ast.Call, ast.Attribute)):
        name = dotted(value.func if isinstance(value, ast.Call) else value)
        found = read.view.models.resolve(read.view.path, name) if name else None
        if isinstance(found, FinalValue):
            yield from _of_definition(read, found, called=isinstance(value, ast.Call))


def _of_name(read: _Read, name: str) -> Iterator[_Read]:
    scope: Scope | None = read.scope
    while isinstance(scope, _FUNCTIONS):
        bound = _assigned(scope.body, name)
        yield from (replace(read, scope=scope, value=value, inside=statement) for statement, value in bound)
        if name in _parameters(scope):
            for caller, call, argument in passed_arguments(read.view, scope, name):
                yield _Read(caller, scope_of(caller, call), argument, call)
            return
        if bound:
            return
        scope = next((node for node in read.view.ancestors(scope) if isinstance(node, (*_FUNCTIONS, ast.Module))), None)
    found = read.view.models.resolve(read.view.path, name)
    if isinstance(found, FinalValue):
        yield from _of_definition(read, found, called=False)
    yield from _declared_global(read.view, found.path if isinstance(found, FinalValue) else read.view.path, name)


def _of_attribute(read: _Read, attribute: str) -> Iterator[_Read]:
    """`self.group`: what the methods of the class assign to it."""
    owner = next((node for node in read.view.ancestors(read.inside) if isinstance(node, ast.ClassDef)), None)
    for method in owner.body if owner is not None else ():
        if isinstance(method, _FUNCTIONS):
            for statement, value in _assigned(method.body, f"self.{attribute}"):
                yield _Read(read.view, method, value, statement)


def _of_definition(read: _Read, found: FinalValue, *, called: bool) -> Iterator[_Read]:
    """What a function of the repository returns, or a variable of a module holds."""
    view = read.view if found.path == read.view.path else FileView(read.view.models, found.outline)
    if called and isinstance(found.node, _FUNCTIONS):
        for node in walk_scope(found.node.body):
            if isinstance(node, ast.Return) and node.value is not None:
                yield _Read(view, found.node, node.value, node)
    elif not called and isinstance(found.node, ast.expr):
        yield _Read(view, found.outline.module, found.node, found.node)


def _declared_global(view: FileView, path: str, name: str) -> Iterator[_Read]:
    """What functions assign to the variable `name` of the module `path`, by `global`."""
    outline = view.models.outline(path)
    if outline is None:
        return
    there = view if path == view.path else FileView(view.models, outline)
    for function in walk(outline.module):
        if isinstance(function, _FUNCTIONS) and any(
            isinstance(node, ast.Global) and name in node.names for node in function.body
        ):
            for statement, value in _assigned(function.body, name):
                yield _Read(there, function, value, statement)


def _assigned(body: list[ast.stmt], key: str) -> list[tuple[ast.stmt, ast.expr]]:
    """The assignments `key = value` of a function, and the values."""
    found: list[tuple[ast.stmt, ast.expr]] = []
    for node in walk_scope(body):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [(node, value) for target in targets for value in _part(target, node.value, key)]
    return found


def _part(target: ast.expr, value: ast.expr, key: str) -> list[ast.expr]:
    """The part of `value` that `target = value` gives to `key`: `self.cfg, self.group = cfg, group`."""
    if spelled(target, key):
        return [value]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return [part for pair in zip(target.elts, value.elts, strict=True) for part in _part(*pair, key)]
    return []


def _parameters(function: Function) -> set[str]:
    return {node.arg for node in walk(function.args) if isinstance(node, ast.arg)}


def scope_of(view: FileView, node: ast.AST) -> Scope:
    """The innermost function, or the module, around `node`."""
    return next(outer for outer in view.ancestors(node) if isinstance(outer, (*_FUNCTIONS, ast.Module)))


def short(text: str) -> str:
    """`text` in one line of at most 80 characters."""
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."
