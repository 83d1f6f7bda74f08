"""Whether an attribute that holds a dict view is pickled, and whether its object goes to another process."""

from __future__ import annotations

import ast
import re
from functools import partial

from ...nodes import walk
from ...syntax.binding_rules import parameters
from ...syntax.file_tree import Scope
from ...syntax.names import last_name, whose_class
from ...syntax.outline import Outline
from ...syntax.pickled_state import StateFilter, constant, named_by, takes_all
from ...syntax.repo import Repo
from ...syntax.resolver import Class
from .holders import Holder

_STATE = frozenset(("__getstate__", "__reduce__", "__reduce_ex__"))
_WORKER_SIDE = frozenset(
    ["__getitem__", "__getitems__", "__iter__", "__next__", "__getstate__", "__setstate__", "__reduce__", "__del__"]
)
_LATE = frozenset(("forward", "__call__", "tearDown"))  # runs when the object has long been sent, if ever
_HOOK = re.compile(r"(?:before|after|on)_\w")  # so does a hook of a trainer


def keeps(repo: Repo, outline: Outline, attribute: Holder) -> bool:
    """The object is pickled with this attribute: no class, module or function, nothing set in a worker."""
    place = attribute.place
    target = place.value if isinstance(place, ast.Attribute) else place.args[0] if isinstance(place, ast.Call) else None
    if target is None:
        return False
    method = outline.method(target)
    if method is not None and method.name in _WORKER_SIDE:
        return False
    if whose_class(target) is not None:
        return False
    if isinstance(target, ast.Name) and not outline.is_self(target):
        marks = [] if method is None else [last_name(mark) for mark in method.decorator_list]
        if method is not None and "classmethod" in marks and parameters(method)[:1] == [target.id]:
            return False
        _, bindings = outline.lookup(target, target.id)
        by_reference = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        if any(isinstance(binding.statement, by_reference) and not binding.parameter for binding in bindings):
            return False
    if isinstance(target, ast.Attribute) and (
        repo.resolver.is_foreign(outline, target) or repo.resolver.module(outline, target) is not None
    ):
        return False  # `package.module.NAMES = ...`
    owner = outline.owner(target) if outline.is_self(target) else None
    return owner is None or not _left_out(repo, Class(outline, owner), attribute.name)


def _left_out(repo: Repo, owner: Class, name: str) -> bool:
    """The class decides itself what is pickled, and this attribute is not part of it, or is looked after there."""
    line = repo.resolver.lineage(owner)
    classes = [cls.node for cls in line]
    for cls in line:
        for node in cls.node.body:
            if not isinstance(node, ast.FunctionDef) or node.name not in _STATE:
                continue
            if not takes_all(node) or name in named_by(cls.outline, node, classes) | _attributes(node):
                return True
            if node.name == "__getstate__":
                state = StateFilter(node, partial(constant, cls.outline, classes))
                if state.leaves_out(name) is not False:
                    return True
    return False


def _attributes(method: ast.FunctionDef) -> set[str]:
    return {node.attr for node in walk(method) if isinstance(node, ast.Attribute)}


def travels(outline: Outline, kept: Holder) -> bool:
    """The object outlives the function, and has this attribute by the time that it may be sent."""
    place = kept.place
    assert place is not None
    method = outline.method(place)
    owner = outline.owner(place)
    target = place.value if isinstance(place, ast.Attribute) else place.args[0] if isinstance(place, ast.Call) else None
    if method is not None and (method.name in _LATE or _HOOK.match(method.name)):
        return False
    if owner is not None and target is not None and outline.is_self(target):
        return not any(
            isinstance(mark, ast.Attribute) and mark.attr == "setter" and last_name(mark.value) == kept.name
            for node in owner.body
            if isinstance(node, ast.FunctionDef)
            for mark in node.decorator_list
        )
    if isinstance(target, ast.Name):
        scope, bindings = outline.lookup(target, target.id)
        if not isinstance(scope, ast.Module) and not any(binding.parameter for binding in bindings):
            return _escapes(outline, scope, target.id)
    return True


def _escapes(outline: Outline, scope: Scope, name: str) -> bool:
    """A local object is returned, passed on or stored."""
    return any(
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Load)
        and not isinstance(outline.parents[node], (ast.Attribute, ast.Subscript))
        for node in ast.walk(scope)
    )
