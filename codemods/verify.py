"""What must hold of every rewritten file before it is accepted."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .finding import Edit
from .tree.source import Source


def verify(before: Source, after: str, edits: Sequence[Edit]) -> str | None:
    """None when `after`, the text of `before` with `edits` applied, may replace it; else what is wrong, in words."""
    if before.path.endswith(".py"):
        try:
            ast.parse(after)
        except (SyntaxError, ValueError) as error:
            return f"the result does not parse: {error}"
    try:
        before.encode(after)
    except UnicodeEncodeError as error:
        return f"the result can't be written as {before.encoding}: {error.reason}"
    return None
