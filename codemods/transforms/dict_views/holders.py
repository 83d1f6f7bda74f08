"""What refers to a dict view, step by step: attributes, local names, results and arguments of calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from ...syntax.binding_rules import FUNCTIONS, defaults_of
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.resolver import Class
from .by_tables import takes_elements


@dataclass(frozen=True, slots=True)
class Difference:
    """What a list would do differently, at `path`:`line`; `fatal`: no fix, else an unsafe one."""

    path: str
    line: int
    text: str
    fatal: bool


class HolderKind(Enum):
    """What refers to the view."""

    ATTRIBUTE = "attribute"  # of any object
    NAME = "name"  # a local name, or one of the module
    RESULT = "result"  # of a function
    ARGUMENT = "argument"  # of a call


@dataclass(frozen=True, slots=True)
class Holder:
    """Something that refers to the view.

    `callee` and `index` (position or keyword) say which argument of which call; `owner` the class that stores the
    attribute on itself, by its name where it is not of the repository; `statement` the binding of a local name;
    `nested`: the view sits inside a container; `place`: the node that it is stored to.
    """

    kind: HolderKind
    name: str
    owner: Class | str | None = None
    outline: Outline | None = None
    scope: ast.AST | None = None
    statement: ast.AST | None = None
    nested: bool = False
    hops: int = 0
    index: int | str | None = None
    callee: ast.expr | None = None
    place: ast.AST | None = field(default=None, compare=False)


def local_name(outline: Outline, name: ast.Name, nested: bool, hops: int, loose: bool = False) -> Holder:
    """The variable `name`, bound where it stands; `loose`: any of its bindings."""
    statement = None if loose else outline.statement(name)
    return Holder(
        HolderKind.NAME,
        name.id,
        outline=outline,
        scope=outline.scope(name),
        statement=statement,
        nested=nested,
        hops=hops,
    )


def parameter_with_default(
    outline: Outline, args: ast.arguments, default: ast.AST, nested: bool, hops: int
) -> Iterator[Holder]:
    """The parameter whose default value is `default`."""
    function = outline.parents[args]
    assert isinstance(function, (*FUNCTIONS, ast.Lambda))
    for arg, value in defaults_of(function):
        if value is default:
            yield Holder(
                HolderKind.NAME, arg.arg, outline=outline, scope=function, statement=function, nested=nested, hops=hops
            )


def stored(outline: Outline, place: ast.expr, nested: bool, hops: int, inside: bool = False) -> Iterator[Holder]:
    """What an assignment to `place` stores to; `inside`: it is put into what is there, which keeps its bindings."""
    if takes_elements(outline, place):
        return
    while isinstance(place, ast.Subscript):
        place, nested, inside = place.value, True, True
    if isinstance(place, ast.Name):
        yield local_name(outline, place, nested, hops, loose=inside)
    elif isinstance(place, ast.Attribute):
        owner = outline.owner(place) if outline.is_self(place.value) else None
        cls = Class(outline, owner) if owner is not None else None
        yield Holder(HolderKind.ATTRIBUTE, place.attr, cls, outline, nested=nested, hops=hops, place=place)


def argument_of(outline: Outline, callee: ast.expr, index: int | str, nested: bool, hops: int) -> Holder:
    """An argument of a call of `callee`."""
    name = last_name(callee)
    return Holder(HolderKind.ARGUMENT, name, outline=outline, nested=nested, hops=hops + 1, index=index, callee=callee)
