"""Whether a set does for a view of keys: all that is done with it has the same answer, whatever the order."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ...syntax.callees import FUNCTIONS
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.resolver import Class
from .getters import out_of_sight
from .holders import Holder, HolderKind
from .uses import ViewUses

_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_ASK_SETS = frozenset(("isdisjoint", "issubset", "issuperset"))
_MAKE_SETS = frozenset(("set", "frozenset"))
_TAKE_ALL = _MAKE_SETS | frozenset(("sorted", "len", "min", "max", "bool"))


def can_be_set(uses: ViewUses, outline: Outline, kept: Holder) -> bool:
    """Every use of the attribute `kept` asks for members, compares, counts, sorts, or combines it with other sets."""
    owner, place = kept.owner, kept.place
    if kept.kind is not HolderKind.ATTRIBUTE or kept.nested or not isinstance(owner, Class):
        return False
    if not isinstance(place, ast.Attribute) or uses.looked_through(kept):
        return False
    if any(True for _ in out_of_sight(uses.repo, kept.name)):
        return False
    for where in uses.repo.mentioning(kept.name):
        for node in where.attributes.get(kept.name, ()):
            if isinstance(node.ctx, ast.Load):
                continue
            around = where.owner(node) if where.is_self(node.value) else None
            if not isinstance(node.ctx, ast.Store) or around is not owner.node:
                return False
            if isinstance(where.parents[node], ast.AugAssign):
                return False
    found = [*uses.attribute_uses(kept.name, owner)]
    same = {use for _, use in found}
    return all(_is_free(where, use, same) for where, use in found)


def _is_free(outline: Outline, node: ast.AST, same: Collection[ast.AST]) -> bool:
    """What is done with `node`, a set or view of keys, does not depend on its order."""
    above = outline.parents[node]
    if isinstance(above, ast.BinOp) and isinstance(above.op, _OPERATORS):
        other = above.left if above.right is node else above.right
        return _is_set(outline, other, same) and _is_free(outline, above, same)
    if isinstance(above, ast.Compare):
        return _is_compared(outline, above, node, same)
    if isinstance(above, ast.Call) and above.func is node:
        return True  # the method `keys` of something else: neither a view nor a set is called
    if isinstance(above, ast.Call) and node in above.args:
        return _is_asked(outline, above, node) or _is_compared_by_method(outline, above, same)
    if isinstance(above, ast.Attribute):
        call = outline.parents[above]
        return above.attr == "isdisjoint" and isinstance(call, ast.Call) and call.func is above
    if isinstance(above, (ast.If, ast.While, ast.IfExp)):
        return above.test is node
    return isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not)


def _is_compared(outline: Outline, test: ast.Compare, node: ast.AST, same: Collection[ast.AST]) -> bool:
    if len(test.ops) != 1:
        return False
    if isinstance(test.ops[0], (ast.In, ast.NotIn)):
        return test.left is not node
    other = test.comparators[0] if test.left is node else test.left
    return isinstance(test.ops[0], _COMPARISONS) and _is_set(outline, other, same)


def _is_asked(outline: Outline, call: ast.Call, node: ast.AST) -> bool:
    """`sorted(node)`, and `hasattr(node, "append")`, which a set answers as a view does."""
    if not isinstance(call.func, ast.Name) or outline.lookup(call.func, call.func.id)[1] or call.keywords:
        return False
    if call.func.id == "hasattr" and len(call.args) == 2 and call.args[0] is node:
        name = getattr(call.args[1], "value", None)
        return isinstance(name, str) and hasattr(set(), name) == hasattr({}.keys(), name)
    return call.func.id in _TAKE_ALL and call.args == [node]


def _is_compared_by_method(outline: Outline, call: ast.Call, same: Collection[ast.AST]) -> bool:
    """`seen.isdisjoint(node)` of a set, or of a view of keys."""
    func = call.func
    return isinstance(func, ast.Attribute) and func.attr in _ASK_SETS and _is_set(outline, func.value, same)


def _is_set(outline: Outline, node: ast.expr, same: Collection[ast.AST]) -> bool:
    """A set for sure, a view of keys, or an attribute that becomes a set as well."""
    if node in same or isinstance(node, (ast.Set, ast.SetComp)):
        return True
    if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
        return _is_set(outline, node.left, same) and _is_set(outline, node.right, same)
    if isinstance(node, ast.Name):
        scope, bindings = outline.lookup(node, node.id)
        values = [binding.value for binding in bindings]
        one = len(values) == 1 and isinstance(scope, (*FUNCTIONS, ast.Module))
        return one and values[0] is not None and _is_made(outline, values[0])
    return _is_made(outline, node)


def _is_made(outline: Outline, node: ast.expr) -> bool:
    if isinstance(node, (ast.Set, ast.SetComp)):
        return True
    if not isinstance(node, ast.Call):
        return False
    made = isinstance(node.func, ast.Name) and not outline.lookup(node.func, node.func.id)[1]
    return (made and last_name(node.func) in _MAKE_SETS) or (
        isinstance(node.func, ast.Attribute) and node.func.attr == "keys" and not node.args
    )
