"""Operators by which classes join functions: `pipeline | step`."""

from __future__ import annotations

import ast

from .builder import FactsBuilder
from .records import NO_LITERALS, Call
from .syntax import position

_METHODS: dict[type, str] = {ast.BitOr: "__or__", ast.RShift: "__rshift__", ast.LShift: "__lshift__"}


def operated(builder: FactsBuilder, node: ast.BinOp | ast.AugAssign, left: int, right: int) -> int:
    """The node of what the left side's class makes of both, -1 for operators that hardly any has for functions."""
    name = _METHODS.get(node.op.__class__, "")
    if left < 0 or right < 0 or not name:
        return -1
    method, result = builder.node(), builder.node()
    builder.loads.append((left, name, method))
    conditional = builder.conditions > 0
    call = Call(
        method, (right,), (), (), (), result, position(node), name, NO_LITERALS, builder.scope.function, conditional
    )
    builder.facts.calls.append(call)
    return result
