"""Where several attributes are opened with one value: before which statements that has to be kept for the copy."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import chain

from ....syntax.assigned import block_with
from ....syntax.binding_rules import FUNCTIONS
from ....syntax.file_tree import position
from ....syntax.outline import Outline


def stash_places(outline: Outline, text: str, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements before which `self.name = <text>` has to stand, for all of `statements` to come behind it.

    The first one may stand under a condition, and others not: then above that, where a parameter is kept, else before
    each of them.
    """
    found: list[ast.stmt] = []
    for statement in sorted(statements, key=position):
        if not any(_comes_before(outline, each, statement) for each in found):
            found.append(statement)
    method = outline.scope(found[0])
    if len(found) > 1 and isinstance(method, FUNCTIONS) and all(outline.scope(each) is method for each in found):
        bindings = outline.bindings(method, text) if text.isidentifier() else []
        if len(bindings) == 1 and bindings[0].parameter:
            above = next(each for each in _line(outline, found[0]) if _holds_all(outline, each, found))
            return [above]
    return found


def _comes_before(outline: Outline, first: ast.stmt, other: ast.stmt) -> bool:
    """Whoever gets to `other` has been at `first`: that stands in the same block, or in one around it."""
    if outline.scope(first) is not outline.scope(other):
        return getattr(outline.parents[first], "name", "") == "__init__"
    return any(each is first or each in block_with(outline.parents[first], first) for each in _line(outline, other))


def _holds_all(outline: Outline, statement: ast.stmt, others: Sequence[ast.stmt]) -> bool:
    """All of `others` stand in the block of `statement`, at any depth, and a line can be put above it."""
    above = outline.parents[statement]
    is_elif = isinstance(above, ast.If) and isinstance(statement, ast.If) and statement.col_offset == above.col_offset
    block = block_with(outline.parents[statement], statement)
    return not is_elif and all(any(each in block for each in _line(outline, other)) for other in others)


def _line(outline: Outline, statement: ast.stmt) -> list[ast.stmt]:
    """The statement and those around it, innermost first."""
    return [each for each in chain([statement], outline.ancestors(statement)) if isinstance(each, ast.stmt)]
