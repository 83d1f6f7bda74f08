"""Initialisers that a decorator of classes gives them in the place of their own: `cls.__init__ = init`."""

from __future__ import annotations

import ast

from .binding_rules import FUNCTIONS, FunctionNode, parameters
from .outline import Outline


def given_initialisers(outline: Outline, decorator: FunctionNode, cls: str) -> list[tuple[ast.Assign, str]]:
    """The statements of a decorator that set `cls.__init__`, and by which name what they set it to; "" of no name."""
    found: list[tuple[ast.Assign, str]] = []
    for node in outline.own(decorator):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(owner), attr="__init__")], value=value):
                if owner == cls:
                    found.append((node, value.id if isinstance(value, ast.Name) else ""))
    return sorted(found, key=lambda each: each[0].lineno)


def giver_of(outline: Outline, me: ast.expr) -> tuple[FunctionNode, FunctionNode, str] | None:
    """The function that `me` stands in, the one around it (perhaps a decorator), and the first parameter of that."""
    function = outline.scope(me)
    decorator = outline.scope(function) if isinstance(function, FUNCTIONS) else None
    if not isinstance(function, FUNCTIONS) or not isinstance(decorator, FUNCTIONS) or not parameters(decorator):
        return None
    return function, decorator, parameters(decorator)[0]


def may_be_skipped(outline: Outline, me: ast.expr) -> bool:
    """Some classes may keep another initialiser than that around `me`, which their decorator gives to others.

    False where `me` is no parameter of such an initialiser.
    """
    if (given_by := giver_of(outline, me)) is None:
        return False
    function, decorator, cls = given_by
    found = given_initialisers(outline, decorator, cls)
    at = [statement for statement, given in found if given == function.name]
    if not at:
        return False
    if found[-1][0] is not at[-1] or at[-1] not in decorator.body:  # under a condition, or given another one below
        return True
    leaves = (node for node in outline.own(decorator) if isinstance(node, (ast.Return, ast.Raise)))
    return any(node.lineno < at[-1].lineno for node in leaves)
