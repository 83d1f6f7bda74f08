"""What a list can do and a dict view refuses: where a program tries it, a list would take it another way."""

from __future__ import annotations

import ast

from ...syntax.callees import FUNCTIONS
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from .data import names

WITHOUT_HASH = "asks whether something that may have no hash is in it"
_ENCODERS = frozenset(("dump", "dumps"))
_CONTAINERS = (ast.Dict, ast.List, ast.Tuple, ast.keyword)
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


def refused_by_encoders(outline: Outline, use: ast.AST) -> str | None:
    """As above, for what `json` is given: a view is not known there, alone or in a container, a list is."""
    node = use
    while isinstance(outline.parents.get(node), _CONTAINERS):
        node = outline.parents[node]
    call = outline.parents.get(node)
    if not isinstance(call, ast.Call) or node not in call.args[:1] or last_name(call.func) not in _ENCODERS:
        return None
    if not qualified_name(outline, call.func).startswith("json.") or any(
        word.arg == "default" for word in call.keywords
    ):
        return None
    return f"passes it to `{ast.unparse(call.func)}`"


def catches_unhashable(outline: Outline, use: ast.AST) -> int | None:
    """The line of the `except TypeError` around `x in view`: a list goes by `==` and does not ask for a hash."""
    test = outline.parents.get(use)
    if not isinstance(test, ast.Compare) or test.comparators[-1] is not use or len(test.ops) != 1:
        return None
    if not isinstance(test.ops[0], (ast.In, ast.NotIn)) or isinstance(test.left, (ast.Constant, ast.JoinedStr)):
        return None
    inner: ast.AST = test
    for above in outline.ancestors(test):
        if isinstance(above, ast.Try) and inner in above.body:
            for handler in above.handlers:
                caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
                if any(last_name(each) == "TypeError" for each in caught if each is not None):
                    return handler.lineno
        if isinstance(above, FUNCTIONS):
            return None
        inner = above
    return None
