"""Whether a test is true, as far as its parts say it."""

from __future__ import annotations

import ast
from collections.abc import Callable


def truth(test: ast.expr, of_part: Callable[[ast.expr], bool | None]) -> bool | None:
    """What `not`, `and` and `or` make of the answers of `of_part` for their parts; None where these don't decide it."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = truth(test.operand, of_part)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        parts, decides = [truth(part, of_part) for part in test.values], isinstance(test.op, ast.Or)
        return decides if decides in parts else None if None in parts else not decides
    return of_part(test)
