"""Tests of types by name: `type(v) in (dict, Config)` is False for all functions, whatever makes them."""

from __future__ import annotations

import ast
import builtins
from functools import lru_cache

from ...nodes import walk
from ...syntax.binding_rules import ScopeKind, bound_name
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


def named_types(builder: FactsBuilder, operator: ast.cmpop, node: ast.expr) -> list[ast.expr] | None:
    """What the test names, where each is built in, or a name of the module for what it imports or for its own class.

    Of these, what is not built in: the value flow says what it is. None where something else is named, or a list of
    types that is written elsewhere.
    """
    parts = node.elts if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(node, _DISPLAYS) else [node]
    if parts == [node] and isinstance(operator, (ast.In, ast.NotIn)):
        return None
    roots = [root_of_chain(part) if isinstance(part, (ast.Name, ast.Attribute)) else None for part in parts]
    if not roots or not all(root is not None and _is_fixed(builder, root.id) for root in roots):
        return None
    return [
        part for part, root in zip(parts, roots, strict=True) if root is not part or not _is_built_in(builder, root)
    ]


def _is_fixed(builder: FactsBuilder, name: str) -> bool:
    scope = builder.scope
    while scope.parent is not None:
        if name in scope.bound and scope.kind is not ScopeKind.CLASS:
            return False
        scope = scope.parent
    if name not in scope.bound:
        return isinstance(getattr(builtins, name, None), type)
    return name not in _set_otherwise(builder.tree)


@lru_cache(maxsize=1)
def _set_otherwise(tree: ast.AST) -> frozenset[str]:
    """The names that something else than an import or a class statement binds, anywhere in the file."""
    bound = (bound_name(node) for node in walk(tree) if not isinstance(node, (ast.alias, ast.ClassDef)))
    return frozenset(name for name in bound if name is not None)


def _is_built_in(builder: FactsBuilder, name: ast.Name) -> bool:
    """Nothing binds the name, which `_is_fixed`."""
    scope = builder.scope
    while scope.parent is not None:
        scope = scope.parent
    return name.id not in scope.bound
