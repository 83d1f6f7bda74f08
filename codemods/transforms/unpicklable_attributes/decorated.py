"""Initialisers that a decorator of classes puts in the place of theirs: `cls.__init__ = init`."""

from __future__ import annotations

import ast

from ...syntax.binding_rules import FunctionNode, parameters
from ...syntax.callees import FUNCTIONS
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.repo import Repo


def decorated_class(repo: Repo, outline: Outline, me: ast.expr) -> list[tuple[Outline, ast.ClassDef]]:
    """The classes whose objects `me` is: the first parameter of an initialiser that a decorator gives to them."""
    function = outline.scope(me)
    if not isinstance(me, ast.Name) or not isinstance(function, FUNCTIONS) or parameters(function)[:1] != [me.id]:
        return []
    decorator = outline.scope(function)
    taken = parameters(decorator)[:1] if isinstance(decorator, FUNCTIONS) else []
    if not taken or not isinstance(decorator, FUNCTIONS) or not _replaces(outline, decorator, taken[0], function.name):
        return []
    applied = _given_by(outline, decorator)
    found: list[tuple[Outline, ast.ClassDef]] = []
    for other in repo.mentioning(applied.name):
        for node in other.of_kind(ast.ClassDef):
            for mark in node.decorator_list:
                called = mark.func if isinstance(mark, ast.Call) and applied is not decorator else mark
                if last_name(called) == applied.name and (outline, applied) in repo.called(other, called):
                    found.append((other, node))
    return found


def _given_by(outline: Outline, decorator: FunctionNode) -> FunctionNode:
    """`counted` of `def counted(more): def mark(cls): ...; return mark`; else the decorator itself."""
    around = outline.scope(decorator)
    if isinstance(around, FUNCTIONS):
        returned = [node.value for node in outline.own(around) if isinstance(node, ast.Return)]
        if any(isinstance(value, ast.Name) and value.id == decorator.name for value in returned):
            return around
    return decorator


def _replaces(outline: Outline, decorator: FunctionNode, cls: str, name: str) -> bool:
    """`cls.__init__ = name`"""
    return any(given == name for _, given in _initialisers(outline, decorator, cls))


def _initialisers(outline: Outline, decorator: FunctionNode, cls: str) -> list[tuple[ast.Assign, str]]:
    """The statements of a decorator that set `cls.__init__`, and by which name what they set it to; "" of no name."""
    found: list[tuple[ast.Assign, str]] = []
    for node in outline.own(decorator):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(owner), attr="__init__")], value=value):
                if owner == cls:
                    found.append((node, value.id if isinstance(value, ast.Name) else ""))
    return sorted(found, key=lambda each: each[0].lineno)


def may_be_skipped(outline: Outline, me: ast.expr) -> bool:
    """Some classes may keep another initialiser than that around `me`, which their decorator gives to others.

    False where `me` is no parameter of such an initialiser.
    """
    function = outline.scope(me)
    decorator = outline.scope(function) if isinstance(function, FUNCTIONS) else None
    taken = parameters(decorator)[:1] if isinstance(decorator, FUNCTIONS) else []
    if not taken or not isinstance(decorator, FUNCTIONS) or not isinstance(function, FUNCTIONS):
        return False
    found = _initialisers(outline, decorator, taken[0])
    at = [statement for statement, given in found if given == function.name]
    if not at:
        return False
    if found[-1][0] is not at[-1] or at[-1] not in decorator.body:  # under a condition, or given another one below
        return True
    leaves = (node for node in outline.own(decorator) if isinstance(node, (ast.Return, ast.Raise)))
    return any(node.lineno < at[-1].lineno for node in leaves)
