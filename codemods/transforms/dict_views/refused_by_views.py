"""What a list can do and a dict view refuses: where a program tries it, a list would take it another way."""

from __future__ import annotations

import ast

from ...syntax.names import last_name
from ...syntax.outline import Outline
from .data import names

_OF_VIEWS = frozenset(dir({}.keys())) | frozenset(dir({}.values())) | frozenset(dir({}.items()))
_OF_LISTS = frozenset(dir([])) - _OF_VIEWS


def refused_by_views(outline: Outline, use: ast.AST) -> str | None:
    """What is asked of the view `use` that only a list could do, in words; None where that is nothing."""
    parent = outline.parents.get(use)
    if isinstance(parent, ast.Subscript) and parent.value is use:
        return "asks for an item by its position"
    if isinstance(parent, ast.Attribute) and parent.attr in _OF_LISTS:
        return f"uses `.{parent.attr}`"
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, (ast.Add, ast.Mult)):
        return "adds or repeats it"
    if isinstance(parent, ast.Call) and use in parent.args and last_name(parent.func) in names("sequences"):
        return f"passes it to `{ast.unparse(parent.func)}`"
    return None
