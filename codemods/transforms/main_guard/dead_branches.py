"""Branches of a function that a call never takes, by the constants that it passes: `if len(envs) > 1` for one."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

from ...syntax.binding_rules import positional
from ...syntax.callees import Function
from ...syntax.outline import Outline

Literals = Mapping[str, object]

_COMPARES: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip
_CHANGES = frozenset({"append", "extend", "insert", "pop", "remove", "clear"})  # how long a list is


def literals_of(outline: Outline, function: Function, call: ast.Call, skip: int) -> dict[str, object]:
    """The parameters of `function`, never bound again, that `call` gives constants, without the first `skip`."""
    names = positional(function)
    if any(isinstance(item, ast.Starred) for item in call.args) or any(item.arg is None for item in call.keywords):
        return {}
    given = dict(zip(names[skip:], call.args, strict=False)) | {
        item.arg: item.value for item in call.keywords if item.arg
    }
    defaults = function.args.defaults
    given = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True)) | given
    return {
        name: value.value
        for name, value in given.items()
        if isinstance(value, ast.Constant) and len(outline.bindings(function, name)) == 1
    }


def dead_statements(outline: Outline, function: Function, literals: Literals) -> frozenset[ast.AST]:
    """Statements of the function that do not run with these arguments."""
    dead: set[ast.AST] = set()
    for node in outline.own(function) if literals else ():
        if isinstance(node, ast.If):
            taken = _truth(outline, node.test, literals)
            if taken is not None:
                dead.update(node.orelse if taken else node.body)
    return frozenset(dead)


def _truth(outline: Outline, test: ast.expr, literals: Literals) -> bool | None:
    """Whether the test is true; None where the constants do not say it."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _truth(outline, test.operand, literals)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        parts = [_truth(outline, value, literals) for value in test.values]
        short = isinstance(test.op, ast.Or)
        return short if short in parts else None if None in parts else not short
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _COMPARES:
        left, right = (_number(outline, side, literals) for side in (test.left, test.comparators[0]))
        return None if left is None or right is None else _COMPARES[type(test.ops[0])](left, right)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Is, ast.IsNot)):
        return _is_singleton(test, literals)
    if isinstance(test, ast.Name) and test.id in literals:
        return bool(literals[test.id])
    return None


def _is_singleton(test: ast.Compare, literals: Literals) -> bool | None:
    """`workers is None`, `shuffle is not True`."""
    left, right = test.left, test.comparators[0]
    if not (isinstance(left, ast.Name) and left.id in literals and isinstance(right, ast.Constant)):
        return None
    if right.value is not None and not isinstance(right.value, bool):
        return None
    same = literals[left.id] is right.value
    return same if isinstance(test.ops[0], ast.Is) else not same


def _number(outline: Outline, value: ast.expr, literals: Literals) -> float | None:
    found: object = value.value if isinstance(value, ast.Constant) else None
    if isinstance(value, ast.Name):
        found = literals.get(value.id)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and len(value.args) == 1 and not value.keywords:
        inner = value.args[0]
        if value.func.id == "len":
            return _length(outline, inner, literals)
    return found if isinstance(found, (int, float)) else None


def _length(outline: Outline, value: ast.expr, literals: Literals) -> float | None:
    """Of `[... for i in range(n)]`, also by its name."""
    if isinstance(value, ast.Name):
        scope, bound = outline.lookup(value, value.id)
        changes = (node for node in outline.own(scope) if isinstance(node, ast.Attribute) and node.attr in _CHANGES)
        if any(isinstance(node.value, ast.Name) and node.value.id == value.id for node in changes):
            return None
        if len(bound) != 1 or bound[0].value is None or isinstance(bound[0].value, ast.Name):
            return None
        return _length(outline, bound[0].value, literals)
    if isinstance(value, (ast.List, ast.Tuple)) and not any(isinstance(item, ast.Starred) for item in value.elts):
        return len(value.elts)
    if not (isinstance(value, ast.ListComp) and len(value.generators) == 1 and not value.generators[0].ifs):
        return None
    times = value.generators[0].iter
    if (
        isinstance(times, ast.Call)
        and isinstance(times.func, ast.Name)
        and times.func.id == "range"
        and len(times.args) == 1
    ):
        return _number(outline, times.args[0], literals)
    return None
