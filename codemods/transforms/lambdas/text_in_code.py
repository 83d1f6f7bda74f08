"""Lambdas written as text in the code itself, which `eval` makes: where it is called, or as an argument of a call."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ...syntax.binding_rules import defaults_of, given_to, positional
from ...syntax.lambda_text import is_lambda_text
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from ...syntax.resolver import FUNCTIONS, Function

_MAX_STEPS = 4

Place = tuple[Outline, ast.expr]


def written(repo: Repo, outline: Outline, node: ast.expr, depth: int = 0) -> tuple[list[Place], bool]:
    """Where the text that `node` may be is written, if it begins with `lambda`; and whether no call gives another."""
    if is_lambda_text(node):
        return [(outline, node)], True
    if not isinstance(node, ast.Name) or depth == _MAX_STEPS:
        return [], True
    bindings = outline.lookup(node, node.id)[1]
    bound = [written(repo, outline, each.value, depth + 1) for each in bindings if each.value is not None]
    if any(places for places, _ in bound):
        return [place for places, _ in bound for place in places], all(alone for places, alone in bound if places)
    given = [
        written(repo, where, value, depth + 1)
        for each in bindings
        if each.parameter and isinstance(each.statement, FUNCTIONS)
        for where, value in _given(repo, outline, each.statement, node.id)
    ]
    return [place for places, _ in given for place in places], all(places and alone for places, alone in given)


def _given(repo: Repo, outline: Outline, function: Function, name: str) -> Iterator[Place]:
    """What calls give as the parameter, and its default unless all of them give something."""
    owner = outline.parents[function]
    is_static = any(last_name(mark) == "staticmethod" for mark in function.decorator_list)
    takes = positional(function)[int(isinstance(owner, ast.ClassDef) and not is_static) :]
    calls: Iterable[tuple[Outline, ast.Call]]
    if isinstance(owner, ast.ClassDef) and function.name == "__init__":
        calls = ((where, call) for where in repo.mentioning(owner.name) for call in where.calls.get(owner.name, ()))
    else:
        calls = repo.callers(function)
    found = [(where, given_to(takes, call).get(name)) for where, call in calls]
    yield from ((where, value) for where, value in found if value is not None)
    if not found or any(value is None for _, value in found):
        yield from ((outline, value) for argument, value in defaults_of(function) if argument.arg == name)
