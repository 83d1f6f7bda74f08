"""Views that become a part of a text: whether anybody but a reader of messages sees it."""

from __future__ import annotations

import ast

from ...syntax.names import last_name
from ...syntax.outline import Outline

TEXT_FUNCTIONS = frozenset(("print", "str", "repr", "format", "ascii"))
LOGGING = frozenset(("debug", "info", "warning", "warn", "error", "exception", "critical", "log", "format"))
AS_TEXT = "puts it into a text, which would read differently"
_SHOWING = frozenset(("print", "pprint", "warn")) | (LOGGING - {"format"})
_TEXT_PARTS = (
    ast.JoinedStr, ast.FormattedValue, ast.BinOp, ast.Tuple, ast.Attribute, ast.Call, ast.keyword, ast.Starred,
)  # fmt: skip


def only_shown(outline: Outline, node: ast.AST) -> bool:
    """The text that `node` becomes is printed, logged or said in an error, and goes nowhere else."""
    child = node
    for parent in outline.ancestors(node):
        if isinstance(parent, (ast.Raise, ast.Assert)):
            return True
        if isinstance(parent, ast.Call) and parent.func is not child:
            name = last_name(parent.func)
            if name in _SHOWING:
                return not any(keyword.arg == "file" for keyword in parent.keywords)
            error = isinstance(outline.parents.get(parent), ast.Raise)
            if not (error or name in TEXT_FUNCTIONS or name == "join"):
                return False
        elif not isinstance(parent, _TEXT_PARTS):
            return False
        child = parent
    return False
