"""Definitions that print as they run: a metaclass, a decorator, a class body. Every spawned worker runs them again."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from ....syntax.callees import FUNCTIONS, Function, method
from ....syntax.outline import Outline
from ....syntax.resolver import Class
from ..side_effects import shows
from ..starts.process_starts import Starts

_OF_METACLASSES = ("__prepare__", "__new__", "__init__")
_OF_BASES = "__init_subclass__"


def shown_again(starts: Starts, outline: Outline, moved: Collection[ast.stmt]) -> ast.stmt | None:
    """The first definition of the module, none of `moved`, that prints or logs when it runs."""
    for statement in outline.module.body:
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)) and statement not in moved:
            parts = _decorators(starts, outline, statement)
            if isinstance(statement, ast.ClassDef):
                inner = [each for each in statement.body if isinstance(each, FUNCTIONS)]
                parts += [part for each in inner for part in _decorators(starts, outline, each)]
                parts = [*parts, (outline, statement.body), *_makers(starts, Class(outline, statement))]
            if any(shows(starts, where, inner, 1) for where, body in parts for inner in body):
                return statement
    return None


def _decorators(
    starts: Starts, outline: Outline, statement: Function | ast.ClassDef
) -> list[tuple[Outline, list[ast.stmt]]]:
    """What the decorators run."""
    marks = (mark.func if isinstance(mark, ast.Call) else mark for mark in statement.decorator_list)
    found = (starts.callees.resolver.definition(outline, mark) for mark in marks)
    return [(each.outline, each.node.body) for each in found if each is not None and isinstance(each.node, FUNCTIONS)]


def _makers(starts: Starts, cls: Class) -> Iterator[tuple[Outline, list[ast.stmt]]]:
    """The methods of its metaclass, and of its bases, that run when the class is made."""
    resolver = starts.callees.resolver
    for at in resolver.lineage(cls):
        if at.node is not cls.node and (hook := method(at.node, _OF_BASES)) is not None:
            yield at.outline, hook.body
        for keyword in at.node.keywords:
            for made in resolver.classes(at.outline, keyword.value) if keyword.arg == "metaclass" else ():
                for name in _OF_METACLASSES:
                    if (maker := method(made.node, name)) is not None:
                        yield made.outline, maker.body
