"""Initialisers that a decorator of classes puts in the place of theirs: `cls.__init__ = init`."""

from __future__ import annotations

import ast

from ...syntax.binding_rules import FunctionNode, parameters
from ...syntax.callees import FUNCTIONS
from ...syntax.given_initialisers import given_initialisers
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
    return any(given == name for _, given in given_initialisers(outline, decorator, cls))
