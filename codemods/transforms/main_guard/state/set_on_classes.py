"""Attributes that only class methods give a value, on the class itself: `cls.size = size`."""

from __future__ import annotations

import ast

from ....flow.facts.syntax import is_record
from ....nodes import end_line
from ....syntax.binding_rules import positional
from ....syntax.callees import FUNCTIONS, Callees
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.resolver import Class

_SCOPES = (*FUNCTIONS, ast.Lambda, ast.ClassDef)
_LOOK_UP = frozenset({"__getattr__", "__getattribute__"})
_WHEN_MADE = frozenset({"__init_subclass__", "__set_name__"})  # run by each import, as a metaclass does
_BY_TEXT = frozenset({"setattr", "vars"})


def only_set_on_class(callees: Callees, owner: Class, name: str, by_object: bool) -> Class | None:
    """The class whose class method sets the attribute, where no body gives it a value and no object has its own.

    `by_object`: it is read of an object, which may have got one from outside.
    """
    lineage = callees.resolver.lineage(owner)
    setter = next((at for at in lineage if _sets(at, name)), None)
    if setter is None:
        return None
    for at in (*lineage, *callees.heirs(owner)):
        own = {each.name for each in at.node.body if isinstance(each, FUNCTIONS)}
        if own & (_LOOK_UP | _WHEN_MADE) or any(word.arg == "metaclass" for word in at.node.keywords):
            return None
        if at.outline.sets_on_self(at.node, name) or _sets_by_text(at) or _binds(at, name):
            return None
    if by_object and _set_from_outside(callees, owner, name):
        return None
    return setter


def is_cls(outline: Outline, value: ast.expr) -> bool:
    """The class that a class method gets."""
    around = outline.method(value)
    if around is None or not isinstance(value, ast.Name) or value.id not in positional(around)[:1]:
        return False
    is_static = any(last_name(mark) == "staticmethod" for mark in around.decorator_list)
    return not is_static and not outline.is_self(value)


def _sets(owner: Class, name: str) -> bool:
    """A class method of the class sets the attribute of its `cls`."""
    outline, last = owner.outline, end_line(owner.node)
    for node in outline.attributes.get(name, ()):
        is_inside = owner.node.lineno <= node.lineno <= last  # first: a file may have many classes
        around = outline.method(node.value) if is_inside and isinstance(node.ctx, ast.Store) else None
        marks = [last_name(mark) for mark in around.decorator_list] if around is not None else []
        if "classmethod" in marks and is_cls(outline, node.value) and outline.owner(node.value) is owner.node:
            return True
    return False


def _sets_by_text(owner: Class) -> bool:
    """Its methods set attributes whose names are not written there: `setattr(self, name, 3)`, `self.__dict__`."""
    for node in ast.walk(owner.node):
        if isinstance(node, ast.Attribute) and node.attr == "__dict__":
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _BY_TEXT:
            return True
    return False


def _set_from_outside(callees: Callees, owner: Class, name: str) -> bool:
    """Code sets the attribute of what may be an object of the class, or of one that is related to it."""
    related = {at.node for at in (*callees.resolver.lineage(owner), *callees.heirs(owner))}
    for outline in callees.repo.mentioning(name):
        for node in outline.attributes.get(name, ()):
            value = node.value
            if not isinstance(node.ctx, ast.Store) or outline.is_self(value) or is_cls(outline, value):
                continue
            made = [each.node for each in callees.classes_of(outline, value)]
            if callees.resolver.definition(outline, value) is None and (not made or related & {*made}):
                return True
    return False


def _binds(owner: Class, name: str) -> bool:
    """The body of the class does more for the name than `size: int`."""
    outline = owner.outline
    for node in (*outline.definitions.get(name, ()), *outline.named.get(name, ())):
        above = outline.parents[node]
        declares = isinstance(above, ast.AnnAssign) and above.value is None and not is_record(owner.node)
        around = next((each for each in outline.ancestors(node) if isinstance(each, _SCOPES)), None)
        if around is owner.node and not declares and not isinstance(getattr(node, "ctx", None), ast.Load):
            return True
    return False
