"""The types that parameters of the function around have, for those that take their values after the move."""

from __future__ import annotations

import ast

from ....syntax.binding_rules import BUILTINS, FUNCTIONS, BindingKind
from ....syntax.scope_data import Scope, Variable

_DEFINES = (*FUNCTIONS, ast.ClassDef)
_PARTS = (ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.BinOp, ast.BitOr, ast.expr_context)


def said_type(variable: Variable) -> str | None:
    """The type that the annotation of a parameter names, of one that is bound once.

    Of builtin types, and of names that the file imports at its top alone: only these mean the same everywhere.
    """
    bound = variable.bindings[0] if len(variable.bindings) == 1 else None
    said = bound.node.annotation if bound is not None and isinstance(bound.node, ast.arg) else None
    if said is None or not all(map(_is_part, ast.walk(said))):
        return None
    around = variable.scope.parent
    if not isinstance(said, ast.Name) and around is not None and around.is_local:
        return None  # it was not evaluated on import, where it might fail
    names = {node.id for node in ast.walk(said) if isinstance(node, ast.Name)}
    return ast.unparse(said) if all(_is_known_everywhere(variable.scope, name) for name in names) else None


def _is_part(node: ast.AST) -> bool:
    return isinstance(node, _PARTS) or (isinstance(node, ast.Constant) and node.value in (None, ...))


def _is_known_everywhere(scope: Scope, name: str) -> bool:
    """No function or class around the parameter, nor the module, gives the name another meaning."""
    around: Scope | None = scope
    while around is not None and around.parent is not None:
        if name in around.bindings:
            return False
        around = around.parent
    found = around.bindings.get(name, []) if around is not None else []
    if not found:
        return name in BUILTINS
    tops = around.node.body if around is not None and isinstance(around.node, ast.Module) else []
    first = tops[: next((at for at, each in enumerate(tops) if isinstance(each, _DEFINES)), len(tops))]
    return len(found) == 1 and found[0].kind is BindingKind.IMPORT and found[0].statement in first


def with_type(variable: Variable) -> str:
    """The name as a parameter: `size: int`, or `size` alone."""
    said = said_type(variable)
    return variable.name if said is None else f"{variable.name}: {said}"
