"""Calls of `eval` that may give a function."""

from __future__ import annotations

import ast

from ...syntax.lambda_text import is_lambda_text
from .scope import FactsScope


def evaluates(around: FactsScope, node: ast.Call) -> bool:
    """`eval(text)` of Python itself, with a text that stands somewhere else, or that of a lambda."""
    scope: FactsScope | None = around
    while scope is not None and "eval" not in scope.bound:
        scope = scope.parent
    if scope is not None or not node.args:
        return False
    return not isinstance(node.args[0], (ast.Constant, ast.JoinedStr)) or is_lambda_text(node.args[0])
