"""Calls of `eval` that may give a function."""

from __future__ import annotations

import ast

from ...syntax.binding_rules import ScopeKind
from ...syntax.lambda_text import is_lambda_text
from ..kinds import NAMED_BY_TEXT
from .builder import FactsBuilder
from .scope import FactsScope

_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def evaluates(around: FactsScope, node: ast.Call) -> bool:
    """`eval(text)` of Python itself, with a text that stands somewhere else, or that of a lambda."""
    scope: FactsScope | None = around
    while scope is not None and "eval" not in scope.bound:
        scope = scope.parent
    if scope is not None or not node.args:
        return False
    return not isinstance(node.args[0], (ast.Constant, ast.JoinedStr)) or is_lambda_text(node.args[0])


def note_named(builder: FactsBuilder, node: ast.Call, result: int) -> None:
    """`result` may be what the text that `eval` gets names, or hold it at any depth: variables that no code reads.

    A variable that is bound to nothing but a function is left out: its name would go where the function moves.
    """
    scope = builder.scope
    if scope.kind is not ScopeKind.FUNCTION or scope.tree is None or len(node.args) != 1 or node.keywords:
        return  # no variables of its own, or other names than those around it
    names = [part for part in ast.walk(scope.tree) if isinstance(part, ast.Name)]
    read = {part.id for part in names if isinstance(part.ctx, ast.Load)}
    made = {
        target.id
        for part in ast.walk(scope.tree)
        if isinstance(part, ast.Assign) and not isinstance(part.value, _DEFINES)
        for target in part.targets
        if isinstance(target, ast.Name)
    }
    variables = sorted((made & scope.bound) - read)
    held = [held for name in variables if (held := scope.current.get(name, scope.names.get(name, -1))) >= 0]
    if not held:
        return
    named = builder.node(NAMED_BY_TEXT, node.lineno)
    for variable in held:
        builder.edge(variable, named)
    container = builder.container([named], "list")
    builder.edge(container, builder.facts.containers[-1][1])  # lists of lists
    for given in (named, container):
        builder.edge(given, result)
