"""What is taken from a module that a path names, as `importlib.util.module_from_spec` creates it."""

from __future__ import annotations

import ast
import re

from ...syntax.names import last_name
from .scope import FactsScope

_CLASS = re.compile(r"[A-Z]\w*[a-z]\w*")
_CREATES = "module_from_spec"


def note_loaded(scope: FactsScope, name: str, value: ast.expr | None) -> bool:
    """Note in `scope` whether `name` is now such a module, and return it: `value` is assigned to it."""
    if isinstance(value, ast.Call) and (last_name(value.func) == _CREATES or _is_loader(scope, value.func)):
        scope.loaded.add(name)
        return True
    if scope.loaded:
        scope.loaded.discard(name)
    return False


def note_returned(scope: FactsScope, value: ast.expr) -> None:
    """Note in the module that the function of `scope` returns such a module, where `value` is one that it returns."""
    if is_loaded(scope, value):
        _module(scope).loading.add(scope.qualname.removesuffix(".<locals>"))


def _is_loader(scope: FactsScope, function: ast.expr) -> bool:
    """A function of the file that returns such a module, and that is defined above."""
    return isinstance(function, ast.Name) and function.id in _module(scope).loading


def _module(scope: FactsScope) -> FactsScope:
    while scope.parent is not None:
        scope = scope.parent
    return scope


def is_loaded(scope: FactsScope, node: ast.expr) -> bool:
    """`node` names such a module."""
    if not isinstance(node, ast.Name):
        return False
    around: FactsScope | None = scope
    while around is not None and node.id not in around.bound:
        around = around.parent
    return around is not None and node.id in around.loaded


def takes_from_loaded(scope: FactsScope, call: ast.Call) -> bool:
    """`getattr(module, name)`, or `module.Name()`, an object of a class of the module."""
    if isinstance(call.func, ast.Name):
        return call.func.id == "getattr" and len(call.args) > 1 and is_loaded(scope, call.args[0])
    return names_class(call.func) and isinstance(call.func, ast.Attribute) and is_loaded(scope, call.func.value)


def names_class(node: ast.expr) -> bool:
    """`module.Name`: written as the name of a class."""
    return isinstance(node, ast.Attribute) and _CLASS.fullmatch(node.attr) is not None
