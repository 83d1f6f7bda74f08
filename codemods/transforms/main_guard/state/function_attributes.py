"""Attributes that a module gives its own functions: `step.calls = 0`."""

from __future__ import annotations

import ast

from ....syntax.callees import FUNCTIONS
from ....syntax.outline import Outline
from ....syntax.resolver import Definition, Resolver


def with_value(resolver: Resolver, outline: Outline, value: ast.expr, name: str) -> Definition | None:
    """The function that `value` is, where its module itself gives it the attribute."""
    found = resolver.definition(outline, value) if isinstance(value, (ast.Name, ast.Attribute)) else None
    return found if found is not None and _is_given(found, name) else None


def _is_given(found: Definition, name: str) -> bool:
    outline, function = found.outline, found.node
    return isinstance(function, FUNCTIONS) and any(
        not isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and node.value.id == function.name
        and outline.parents[outline.statement(node)] is outline.module
        for node in outline.attributes.get(name, ())
    )
