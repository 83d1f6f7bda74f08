"""Operators by which classes join functions: `pipeline | step`."""

from __future__ import annotations

import ast

from .builder import FactsBuilder
from .records import NO_LITERALS, Call
from .syntax import position

_METHODS: dict[type, str] = {
    ast.BitOr: "__or__",
    ast.RShift: "__rshift__",
    ast.LShift: "__lshift__",
    ast.BitAnd: "__and__",
    ast.Invert: "__invert__",
}


def operated(builder: FactsBuilder, node: ast.BinOp | ast.AugAssign, left: int, right: int) -> int:
    """The node of what the left side's class makes of both, -1 for operators that hardly any has for functions."""
    name = _METHODS.get(node.op.__class__, "")
    if left < 0 or right < 0 or not name:
        return -1
    return _called(builder, node, name, left, (right,))


def inverted(builder: FactsBuilder, node: ast.UnaryOp, operand: int) -> int:
    """As `operated`, of `~rule`."""
    name = _METHODS.get(node.op.__class__, "")
    return _called(builder, node, name, operand, ()) if operand >= 0 and name else -1


def _called(
    builder: FactsBuilder, node: ast.expr | ast.AugAssign, name: str, owner: int, given: tuple[int, ...]
) -> int:
    method, result = builder.load(owner, name, builder.line), builder.node()
    conditional = builder.conditions > 0
    call = Call(
        method, given, (), (), (), result, position(node), name, NO_LITERALS, builder.scope.function, conditional
    )
    builder.facts.calls.append(call)
    return result
