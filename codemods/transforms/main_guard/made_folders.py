"""Folders that a script makes, once more in every child: one of another name each time, or one that exists by then."""

from __future__ import annotations

import ast

from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from .data import names

_PATHS = ("pathlib.Path", "pathlib.PosixPath", "pathlib.Path.cwd", "pathlib.Path.home")
_DEPTH = 4  # names of the module that are followed


def has_new_name(outline: Outline, call: ast.Call) -> bool:
    """`os.makedirs(out)`, where `out` has the time in it, or something else that differs each time."""
    made = _made(outline, call)
    return made is not None and _differs(outline, made, 0)


def must_be_missing(outline: Outline, call: ast.Call) -> bool:
    """`os.makedirs(out)` without `exist_ok`: it fails where the folder exists. (`os.mkdir` has no such option.)"""
    made = _made(outline, call) if qualified_name(outline, call.func) != "os.mkdir" else None
    given = len(call.args) - (made in call.args)
    return made is not None and not given and all(word.arg not in ("exist_ok", None) for word in call.keywords)


def _made(outline: Outline, call: ast.Call) -> ast.expr | None:
    """The path of the folder that the call makes."""
    if qualified_name(outline, call.func) in ("os.makedirs", "os.mkdir"):
        return call.args[0] if call.args else None
    func = call.func
    is_path = isinstance(func, ast.Attribute) and func.attr == "mkdir" and _is_path(outline, func.value, 0)
    return func.value if isinstance(func, ast.Attribute) and is_path else None


def _is_path(outline: Outline, value: ast.expr, depth: int) -> bool:
    """`Path(...)`, `Path(...) / name`, or a name for it."""
    while isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div):
        value = value.left
    if isinstance(value, ast.Name) and depth < _DEPTH:
        bound = [binding.value for binding in outline.lookup(value, value.id)[1]]
        return bool(bound) and all(each is not None and _is_path(outline, each, depth + 1) for each in bound)
    return isinstance(value, ast.Call) and qualified_name(outline, value.func) in _PATHS


def _differs(outline: Outline, value: ast.expr, depth: int) -> bool:
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and qualified_name(outline, node.func) in names("each_time_another"):
            return True
        if isinstance(node, ast.Name) and depth < _DEPTH:
            bound = [binding.value for binding in outline.lookup(node, node.id)[1]]
            if any(_differs(outline, each, depth + 1) for each in bound if each is not None and each is not value):
                return True
    return False
