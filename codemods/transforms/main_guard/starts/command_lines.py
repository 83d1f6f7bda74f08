"""Functions of which the command line chooses one: `app()` of typer and click, `fire.Fire(Tools)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....syntax.callees import FUNCTIONS, Function
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ....syntax.resolver import Resolver

_APP, _GROUP, _FIRE = "typer.Typer()", "click.group", "fire.Fire"
_REGISTERS = ("command", "callback")


def commands(
    outline: Outline, call: ast.Call, name: str, called: tuple[Outline, Function, int] | None
) -> Iterator[tuple[Outline, Function]]:
    """The functions that `@app.command()` gives to what `call` calls, which is `name` or the function `called`."""
    if not isinstance(call.func, ast.Name) or (name != _APP and (called is None or not _is_group(*called[:2]))):
        return
    where = called[0] if called is not None else outline
    own = called[1].name if called is not None else call.func.id
    for function in where.module.body:
        if isinstance(function, FUNCTIONS) and any(_registers(mark, own) for mark in function.decorator_list):
            yield where, function


def _registers(mark: ast.expr, app: str) -> bool:
    made_by = mark.func if isinstance(mark, ast.Call) else mark
    is_of_it = isinstance(made_by, ast.Attribute) and isinstance(made_by.value, ast.Name) and made_by.value.id == app
    return is_of_it and last_name(made_by) in _REGISTERS


def _is_group(outline: Outline, function: Function) -> bool:
    marks = (mark.func if isinstance(mark, ast.Call) else mark for mark in function.decorator_list)
    return any(qualified_name(outline, mark) == _GROUP for mark in marks)


def offered(resolver: Resolver, outline: Outline, call: ast.Call) -> Iterator[tuple[Outline, Function]]:
    """What `fire.Fire` offers of its argument: the methods of a class, the functions of a dict; of none, all."""
    if qualified_name(outline, call.func) != _FIRE:
        return
    if not call.args:
        yield from ((outline, each) for each in outline.module.body if isinstance(each, FUNCTIONS))
        return
    given = call.args[0]
    for value in given.values if isinstance(given, ast.Dict) else ():
        yield from resolver.functions(outline, value)
    for where, made in resolver.classes(outline, given.func if isinstance(given, ast.Call) else given):
        for part in made.body:
            if isinstance(part, FUNCTIONS) and not part.name.startswith("_"):
                yield where, part
