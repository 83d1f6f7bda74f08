"""A view that is an argument of a call: which parameter takes it, and what well-known functions do with it."""

from __future__ import annotations

import ast

from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from .as_text import AS_TEXT, LOGGING, TEXT_FUNCTIONS, only_shown
from .holders import Holder, HolderKind, Problem, argument_of, stored

_TYPE_TESTS = frozenset(("isinstance", "type", "hasattr"))
_SAME_ANSWER = frozenset(  # a list is one of these where a view is one
    ["str", "bytes", "bytearray", "int", "float", "complex", "bool", "dict", "OrderedDict", "defaultdict", "Mapping",
     "Number", "ndarray", "Tensor", "Path", "Iterable", "Sized", "Container", "Collection", "object"]
)  # fmt: skip
_EQUALITY = frozenset(("assertEqual", "assertEquals", "assertNotEqual", "assertSetEqual"))
_APPENDING = frozenset(("append", "appendleft", "insert", "setdefault"))


def as_argument(
    outline: Outline, call: ast.Call, argument: ast.AST, value: ast.AST, nested: bool, reached: bool, hops: int
) -> tuple[list[Holder], list[Problem]]:
    """Who refers to a view that is an argument of `call`, and what the call does with it on the spot."""
    line: int = getattr(argument, "lineno", call.lineno)
    func = call.func
    name = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
    if isinstance(func, ast.Name) and name in _TYPE_TESTS and reached and call.args and call.args[0] is argument:
        types = call.args[1].elts if len(call.args) > 1 and isinstance(call.args[1], ast.Tuple) else call.args[1:]
        same = bool(types) and all(last_name(item) in _SAME_ANSWER for item in types)
        return [], [] if same else [Problem(outline.path, line, "asks for its type", True)]
    if (isinstance(func, ast.Name) and name in TEXT_FUNCTIONS) or (isinstance(func, ast.Attribute) and name in LOGGING):
        shown = only_shown(outline, argument)
        return [], [] if shown else [Problem(outline.path, line, AS_TEXT, False)]
    if qualified_name(outline, func).startswith("numpy.") and reached:
        text = "passes it to NumPy, which takes a list for a row of values and a view for one object"
        return [], [Problem(outline.path, line, text, False)]
    if any(qualified_name(outline, argument).startswith("operator.") for argument in [func, *call.args]):
        return [], [Problem(outline.path, line, "passes it to an operator that a list may not have", True)]
    if name in _EQUALITY and reached:
        return [], [
            Problem(outline.path, line, f"compares it with `{name}`: a list is equal to no set and no view", True)
        ]
    if isinstance(func, ast.Attribute) and name in _APPENDING:
        return list(stored(outline, func.value, True, hops)), []
    if (
        name == "setattr"
        and len(call.args) == 3
        and call.args[2] is argument
        and isinstance(call.args[1], ast.Constant)
    ):
        return [Holder(HolderKind.ATTRIBUTE, str(call.args[1].value), nested=nested, hops=hops, place=call)], []
    if isinstance(argument, ast.keyword) and argument.arg is not None and argument.arg not in ("args", "kwargs"):
        return [argument_of(outline, func, argument.arg, nested, hops)], []
    target = next((item.value for item in call.keywords if item.arg == "target"), None)
    inner = argument.value if isinstance(argument, ast.keyword) else argument
    if (
        target is None
        and call.args
        and isinstance(call.args[0], (ast.Name, ast.Attribute))
        and call.args[0] is not argument
    ):
        target = call.args[0]
    held = []
    if isinstance(inner, ast.Tuple) and inner is not value and target is not None:  # Process(target=f, args=(view,))
        for at, item in enumerate(inner.elts):
            if is_inside(outline, value, item):
                direct = is_direct(outline, value, item)
                held.append(argument_of(outline, target, at, not direct, hops))
    index = next((at for at, item in enumerate(call.args) if item is argument), None)
    if index is None or any(isinstance(item, ast.Starred) for item in call.args[:index]):
        return held, []
    if target is not None and index > 0:  # executor.submit(f, view)
        held.append(argument_of(outline, target, index - 1, nested, hops))
    return [*held, argument_of(outline, func, index, nested, hops)], []


def is_inside(outline: Outline, node: ast.AST, part: ast.AST) -> bool:
    """`node` is `part`, or below it."""
    return node is part or part in outline.ancestors(node)


def is_direct(outline: Outline, node: ast.AST, part: ast.AST) -> bool:
    """No container lies between `node` and `part`."""
    for parent in outline.ancestors(node):
        if isinstance(parent, (ast.Dict, ast.List, ast.Tuple, ast.Call, ast.ListComp, ast.DictComp)):
            return not is_inside(outline, parent, part)
        if parent is part:
            return True
    return True
