"""Syntax trees that are equal but for the lines of their nodes: comments and blank lines make no other difference.

A rule asks of the lines of nodes no more than which comes first and which are the same; whoever counts lines looks at
the text.
"""

from __future__ import annotations

import ast
from itertools import pairwise

_COLUMNS = ("col_offset", "end_col_offset")
_LINES = ("lineno", "end_lineno")


def moved_lines(before: ast.Module, now: ast.Module) -> dict[int, int] | None:
    """By each line of a node of `before` the one that it is in `now`; None where more is different."""
    lines: dict[int, int] = {}
    todo: list[tuple[object, object]] = [(before, now)]
    while todo:
        one, other = todo.pop()
        if one.__class__ is not other.__class__:
            return None
        if isinstance(one, ast.AST):
            if any(getattr(one, name, None) != getattr(other, name, None) for name in _COLUMNS):
                return None
            for name in _LINES:
                line = getattr(one, name, None)
                if line is not None and lines.setdefault(line, getattr(other, name)) != getattr(other, name):
                    return None
            todo += ((getattr(one, name, None), getattr(other, name, None)) for name in one._fields)
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return None
            todo += zip(one, other, strict=True)
        elif one != other:
            return None
    after = [lines[line] for line in sorted(lines)]
    return lines if all(first < second for first, second in pairwise(after)) else None
