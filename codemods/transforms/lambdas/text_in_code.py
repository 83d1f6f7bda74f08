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


def written(repo: Repo, outline: Outline, node: ast.expr, depth: int = 0) -> Iterator[Place]:
    """Where the text that `node` may be is written, if it begins with `lambda`."""
    if is_lambda_text(node):
        yield outline, node
    for binding in outline.lookup(node, node.id)[1] if isinstance(node, ast.Name) and depth < _MAX_STEPS else ():
        if binding.value is not None:
            yield from written(repo, outline, binding.value, depth + 1)
        elif binding.parameter and isinstance(binding.statement, FUNCTIONS) and isinstance(node, ast.Name):
            for where, given in _given(repo, outline, binding.statement, node.id):
                yield from written(repo, where, given, depth + 1)


def _given(repo: Repo, outline: Outline, function: Function, name: str) -> Iterator[Place]:
    """What calls give as the parameter, and its default."""
    yield from ((outline, value) for argument, value in defaults_of(function) if argument.arg == name)
    owner = outline.parents[function]
    is_static = any(last_name(mark) == "staticmethod" for mark in function.decorator_list)
    takes = positional(function)[int(isinstance(owner, ast.ClassDef) and not is_static) :]
    calls: Iterable[tuple[Outline, ast.Call]] = repo.callers(function)
    if isinstance(owner, ast.ClassDef) and function.name == "__init__":
        calls = ((where, call) for where in repo.mentioning(owner.name) for call in where.calls.get(owner.name, ()))
    for where, call in calls:
        value = given_to(takes, call).get(name)
        if value is not None and not isinstance(value, ast.Starred):
            yield where, value
