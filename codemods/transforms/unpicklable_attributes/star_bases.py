"""Base classes that a star import of another package brings: `from fastai.vision import *`."""

from __future__ import annotations

import ast

from ...syntax.outline import Outline
from .data import names


def star_base(outline: Outline, base: ast.expr) -> str:
    """The dotted name of a base class that nothing but the one star import of the file can bring; "" where unknown."""
    if not isinstance(base, ast.Name) or outline.lookup(base, base.id)[1]:
        return ""
    stars = [
        statement.module or ""
        for statement in outline.statements
        if isinstance(statement, ast.ImportFrom) and any(alias.name == "*" for alias in statement.names)
    ]
    if len(stars) != 1 or stars[0].partition(".")[0] not in names("star_packages"):
        return ""
    return next((name for name in sorted(names("star_bases")) if name.rpartition(".")[2] == base.id), "")
