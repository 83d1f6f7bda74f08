"""The types that parameters of the function around have, for those that take their values after the move."""

from __future__ import annotations

import ast

from ....syntax.binding_rules import BUILTINS
from ....syntax.scope_data import Variable


def said_type(variable: Variable) -> str | None:
    """The builtin type of a parameter that is bound once; only these mean the same everywhere."""
    bound = variable.bindings[0] if len(variable.bindings) == 1 else None
    said = bound.node.annotation if bound is not None and isinstance(bound.node, ast.arg) else None
    return said.id if isinstance(said, ast.Name) and said.id in BUILTINS else None


def with_type(variable: Variable) -> str:
    """The name as a parameter: `size: int`, or `size` alone."""
    said = said_type(variable)
    return variable.name if said is None else f"{variable.name}: {said}"
