"""The classes that get an initialiser from a decorator: `cls.__init__ = init`."""

from __future__ import annotations

import ast

from ...syntax.binding_rules import FunctionNode, parameters
from ...syntax.callees import FUNCTIONS
from ...syntax.given_initialisers import given_initialisers, giver_of
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.repo import Repo


def decorated_class(repo: Repo, outline: Outline, me: ast.expr) -> list[tuple[Outline, ast.ClassDef]]:
    """The classes whose objects `me` is: the first parameter of an initialiser that a decorator gives to them."""
    given_by = giver_of(outline, me)
    if given_by is None or not isinstance(me, ast.Name) or parameters(given_by[0])[:1] != [me.id]:
        return []
    function, decorator, cls = given_by
    if all(given != function.name for _, given in given_initialisers(outline, decorator, cls)):
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
