"""Branches that run only where a parameter of the function, or an attribute of its object, is this or that constant."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...nodes import end_line
from ...syntax.names import dotted
from .records import Branch, Condition

if TYPE_CHECKING:
    from .builder import FactsBuilder

_COMPARES = ("Gt", "GtE", "Lt", "LtE")
_PLAIN = (str, int, bool, type(None))


def note_branches(builder: FactsBuilder, node: ast.If) -> None:
    """What runs if the test is true, and if it is not; below a body that leaves, the rest of the block."""
    if builder.scope.function < 0 or not builder.in_function:
        return
    _note(builder, node.body[0].lineno, end_line(node.body[-1]), conditions(node.test, True))
    if node.orelse:
        _note(builder, node.orelse[0].lineno, end_line(node.orelse[-1]), conditions(node.test, False))
    elif isinstance(node.body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break)):
        _note(builder, end_line(node) + 1, builder.block_end, conditions(node.test, False))


def _note(builder: FactsBuilder, first: int, last: int, found: Iterator[Condition]) -> None:
    function = builder.scope.function
    parameters = builder.facts.functions[function].parameters
    for condition in found if first <= last else ():
        name = condition.name.partition(".")[0]
        if any(parameter.name == name for parameter in parameters):
            builder.facts.branches.append(Branch(function, first, last, condition))


def conditions(test: ast.expr, truth: bool) -> Iterator[Condition]:
    """What is surely so where the test has this truth."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from conditions(test.operand, not truth)
    elif isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is truth:
            for value in test.values:
                yield from conditions(value, truth)
    elif isinstance(test, ast.Compare):
        yield from _compared(test, truth)
    elif (name := _name(test)) != "":
        yield Condition(name, "true", (), truth)


def _compared(test: ast.Compare, truth: bool) -> Iterator[Condition]:
    how, other, name = test.ops[0], test.comparators[0], _name(test.left)
    if len(test.ops) > 1 or not name:
        return
    several = isinstance(how, (ast.In, ast.NotIn))
    items = getattr(other, "elts", ()) if several else (other,)
    values = tuple(item.value for item in items if isinstance(item, ast.Constant) and type(item.value) in _PLAIN)
    if not values or len(values) < len(items):
        return
    if several or isinstance(how, (ast.Eq, ast.NotEq)):
        yield Condition(name, "in", values, truth is isinstance(how, (ast.In, ast.Eq)))
    elif isinstance(how, (ast.Is, ast.IsNot)):
        yield Condition(name, "is", values, truth is isinstance(how, ast.Is))
    elif type(how).__name__ in _COMPARES and type(values[0]) is int:
        yield Condition(name, type(how).__name__, values, truth)


def _name(node: ast.expr) -> str:
    """`mode`, `self.mode`; "" for anything else."""
    name = dotted(node)
    return name if name.count(".") < 2 else ""
