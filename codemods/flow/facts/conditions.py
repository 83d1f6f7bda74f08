"""Branches that run only where a parameter of the function, or an attribute of its object, is this or that constant.

And those where a variable is, or is not, of this or that type.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ...nodes import end_line
from ...syntax.names import dotted
from .records import Branch, Condition, TypeBranch

if TYPE_CHECKING:
    from .builder import FactsBuilder

_COMPARES = ("Gt", "GtE", "Lt", "LtE")
_CONTAINERS = ("dict", "list", "tuple", "set", "frozenset", "str", "bytes", "int", "float")
_PLAIN = (str, int, bool, type(None))


def note_branches(builder: FactsBuilder, node: ast.If, value: Callable[[ast.expr], int]) -> None:
    """What runs if the test is true, and if it is not; below a body that leaves, the rest of the block.

    `value` gives the node of an expression.
    """
    scope, facts = builder.scope, builder.facts
    of_values, of_types = _asks(node.test, scope.parameters) if scope.function >= 0 else (False, False)
    if not (of_values or of_types) or not builder.in_function:
        return
    for truth, (first, last) in _blocks(builder, node):
        facts.branches += [
            Branch(scope.function, first, last, condition)
            for condition in (conditions(node.test, truth) if of_values else ())
            if condition.name.partition(".")[0] in scope.parameters
        ]
        for name, kinds, holds in _type_tests(node.test, truth) if of_types else ():
            if (held := value(name)) >= 0:
                types = tuple(_type(builder, kind, value) for kind in kinds)
                facts.typed.append(TypeBranch(held, first, last, types, holds))


def _asks(test: ast.expr, parameters: frozenset[str]) -> tuple[bool, bool]:
    """Whether a part of the test asks for a parameter, or its attribute; and whether one asks for a type."""
    of_values = of_types = False
    todo: list[ast.expr] = [test]
    for part in todo:  # grows as it goes
        kind = type(part)
        if kind is ast.Compare:
            part = part.left  # type: ignore[attr-defined]
        elif kind is ast.UnaryOp:
            todo.append(part.operand)  # type: ignore[attr-defined]
        elif kind is ast.BoolOp:
            todo += part.values  # type: ignore[attr-defined]
        elif kind is ast.Call:
            of_types = of_types or getattr(part.func, "id", "") == "isinstance"  # type: ignore[attr-defined]
        if type(part) is ast.Attribute:
            part = part.value
        of_values = of_values or (type(part) is ast.Name and part.id in parameters)
    return of_values, of_types


def _blocks(builder: FactsBuilder, node: ast.If) -> Iterator[tuple[bool, tuple[int, int]]]:
    """First and last line of what runs if the test is true, and of what runs if it is not."""
    yield True, (node.body[0].lineno, end_line(node.body[-1]))
    if node.orelse:
        yield False, (node.orelse[0].lineno, end_line(node.orelse[-1]))
    elif isinstance(node.body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break)):
        yield False, (end_line(node) + 1, builder.block_end)


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


def _type_tests(test: ast.expr, truth: bool) -> Iterator[tuple[ast.Name, list[ast.expr], bool]]:
    match test:
        case ast.UnaryOp(op=ast.Not()):
            yield from _type_tests(test.operand, not truth)
        case ast.BoolOp() if isinstance(test.op, ast.And) is truth:
            for value in test.values:
                yield from _type_tests(value, truth)
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name() as name, kinds], keywords=[]):
            parts = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
            if all(isinstance(part, (ast.Name, ast.Attribute)) for part in parts):
                yield name, parts, truth


def _type(builder: FactsBuilder, kind: ast.expr, value: Callable[[ast.expr], int]) -> tuple[str, int]:
    if isinstance(kind, ast.Name) and kind.id in _CONTAINERS and kind.id not in builder.module.bound:
        return kind.id, -1
    return "", value(kind)
