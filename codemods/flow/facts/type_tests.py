"""Tests of types by name: `type(v) in (dict, Config)` is False for all functions, whatever makes them."""

from __future__ import annotations

import ast
import builtins

from ...syntax.binding_rules import ScopeKind
from ...syntax.names import root_of_chain
from .builder import FactsBuilder

_DISPLAYS = (ast.Tuple, ast.List, ast.Set)


def asks_type(node: ast.expr) -> bool:
    """`type(v)`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "type"
        and len(node.args) == 1
        and not node.keywords
    )


def names_types(builder: FactsBuilder, node: ast.expr) -> bool:
    """`node` names what is built in, imported, or a class of the module: one thing, or several in a display."""
    parts = node.elts if isinstance(node, _DISPLAYS) else [node]
    roots = [root_of_chain(part) if isinstance(part, (ast.Name, ast.Attribute)) else None for part in parts]
    return bool(roots) and all(root is not None and _is_fixed(builder, root.id) for root in roots)


def _is_fixed(builder: FactsBuilder, name: str) -> bool:
    scope = builder.scope
    while scope.parent is not None:
        if name in scope.bound and scope.kind is not ScopeKind.CLASS:
            return False
        scope = scope.parent
    if name not in scope.bound:
        return isinstance(getattr(builtins, name, None), type)
    if scope.names[name] in {row[0] for row in builder.facts.imports}:
        return True
    return any(isinstance(each, ast.ClassDef) and each.name == name for each in builder.tree.body)
