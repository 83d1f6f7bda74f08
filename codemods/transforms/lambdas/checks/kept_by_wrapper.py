"""What a wrapper keeps between its calls: a counter, a dict of what was asked before."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from ....nodes import end_line, walk
from ....project import Project
from ....syntax.binding_rules import FUNCTIONS, FunctionNode, ScopeKind
from ....syntax.scopes import Scopes
from .captures import is_change

_TESTS = (ast.If, ast.IfExp, ast.While, ast.UnaryOp, ast.BoolOp)
_LOOKS_UP = frozenset({"get", "setdefault"})
_OF_KEYS = frozenset({"tuple", "sorted", "frozenset", "str", "repr", "hash", "len", "isinstance", "type"})


def kept_by(project: Project, scopes: Scopes, node: FunctionNode, sent: tuple[str, int]) -> str | None:
    """Where the wrapper `node` changes what it keeps, in words; None where nobody can tell from what it gives.

    Nobody can of a dict of results that is asked for results alone, and of an attribute that nothing reads, or only the
    function that starts the workers, at `sent`: path and line.
    """
    captured: dict[str, list[ast.Name]] = {}
    around = set(scopes.ancestors(node))
    for each in walk(node):
        if isinstance(each, ast.Nonlocal):
            return f"it changes `{each.names[0]}` (line {each.lineno})"
        stores = isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store) and _is(each.value, {node.name})
        if stores and isinstance(each, ast.Attribute) and _is_read(project, scopes, each, sent):
            return f"it sets `{ast.unparse(each)}` (line {each.lineno})"
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            owner = scopes.owner(scopes.around(each), each.id)
            if owner is not None and owner.kind is ScopeKind.FUNCTION and owner.node in around:
                captured.setdefault(each.id, []).append(each)
    for name, uses in captured.items():
        change = next((use for use in uses if is_change(scopes, use)), None)
        if change is not None and not _gives_results(scopes, node, name, uses, {*captured} - {name}):
            return f"it changes `{name}` (line {change.lineno})"
    return None


def _is_read(project: Project, scopes: Scopes, stored: ast.Attribute, sent: tuple[str, int]) -> bool:
    """Something that may run in a worker reads an attribute of that name, or names it in a text."""
    if isinstance(scopes.parents[stored], ast.AugAssign):
        return True
    for path in project.with_words((stored.attr,)):
        module = project.module(path)
        nodes = list(walk(module)) if module is not None else []
        parent = set(_function_at(nodes, sent[1])) if path == sent[0] else set[ast.AST]()
        for node in nodes:
            if node in parent:
                continue
            loads = isinstance(node, ast.Attribute) and node.attr == stored.attr and isinstance(node.ctx, ast.Load)
            if loads or (isinstance(node, ast.Constant) and node.value == stored.attr):
                return True
    return False


def _function_at(nodes: Iterable[ast.AST], line: int) -> list[ast.AST]:
    """All that is in the innermost function around the line."""
    around = [node for node in nodes if isinstance(node, FUNCTIONS) and node.lineno <= line <= end_line(node)]
    return list(walk(max(around, key=lambda node: node.lineno))) if around else []


def _is(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _gives_results(
    scopes: Scopes, node: FunctionNode, name: str, uses: Sequence[ast.Name], functions: set[str]
) -> bool:
    """`if key not in results: results[key] = function(key)` and `return results[key]`, and nothing else."""

    def is_result(value: ast.expr | None) -> bool:
        if isinstance(value, ast.Subscript):
            return _is(value.value, {name})
        if isinstance(value, ast.Name):
            stored = [each for each in walk(node) if isinstance(each, ast.Assign) and _binds(each, value.id)]
            return bool(stored) and all(is_result(each.value) for each in stored)
        if not isinstance(value, ast.Call):
            return False
        if isinstance(value.func, ast.Attribute):
            return value.func.attr in _LOOKS_UP and _is(value.func.value, {name})
        return _is(value.func, functions)

    for use in uses:
        above = scopes.parents[use]
        asks = isinstance(above, ast.Compare) and isinstance(scopes.parents[above], _TESTS)
        if not asks and not isinstance(above, (ast.Subscript, ast.Attribute)):
            return False
    for each in walk(node):
        if isinstance(each, ast.Return) and not is_result(each.value):
            return False
        if isinstance(each, ast.Call) and not is_result(each) and not _is_of_keys(each.func):
            return False
    return True


def _is_of_keys(func: ast.expr) -> bool:
    """`tuple(sorted(options.items()))`."""
    return _is(func, {*_OF_KEYS}) or (isinstance(func, ast.Attribute) and func.attr == "items")


def _binds(statement: ast.Assign, name: str) -> bool:
    return any(_is(target, {name}) for target in statement.targets)
