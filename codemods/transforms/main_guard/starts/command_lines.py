"""Functions of which the command line chooses one: `app()` of typer and click, `fire.Fire(Tools)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....syntax.callees import FUNCTIONS, Function
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ....syntax.repo import Repo
from ....syntax.resolver import Resolver

_APP, _GROUP, _FIRE = "typer.Typer()", "click.group", "fire.Fire"
_FIRST, _CHAIN = "callback", "chain"
_REGISTERS = ("command", _FIRST)
_NESTED, _ADDS = "group", "add_command"
_NAMES = (ast.Name, ast.Attribute)
_Call = tuple[Outline, ast.expr]


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


def calls_of_command(repo: Repo, resolver: Resolver, outline: Outline, function: Function) -> Iterator[_Call]:
    """Where a command line is run that may choose the function: `app()` of typer, and those of the group of click."""
    for holder, group in _groups(repo, resolver, outline, function):
        for where, found in resolver.functions(holder, group):
            if _is_group(where, found):
                yield from _calls(repo, resolver, where, found)
        bound = resolver.bound_by(holder, group) if isinstance(group, (ast.Name, ast.Attribute)) else None
        made = bound[2].value if bound is not None else None
        if bound is not None and isinstance(made, ast.Call) and f"{qualified_name(bound[0], made.func)}()" == _APP:
            for caller in repo.mentioning(bound[1]):
                for call in caller.calls_of(bound[1]):
                    called = resolver.bound_by(caller, call.func) if isinstance(call.func, _NAMES) else None
                    if called is not None and called[2] is bound[2]:
                        yield caller, call


def is_chosen_alone(repo: Repo, resolver: Resolver, outline: Outline, function: Function) -> bool:
    """No other command runs in its run: it is no group, whose commands follow, of no chain, and no code names it."""
    marks = [mark.func if isinstance(mark, ast.Call) else mark for mark in function.decorator_list]
    if _is_group(outline, function) or any(last_name(mark) == _FIRST for mark in marks):
        return False
    for holder, group in _groups(repo, resolver, outline, function):
        for _, found in resolver.functions(holder, group):
            given = (mark.keywords for mark in found.decorator_list if isinstance(mark, ast.Call))
            if any(keyword.arg in (None, _CHAIN) for keywords in given for keyword in keywords):
                return False
    for other in repo.mentioning(function.name):
        for use in (*other.named.get(function.name, ()), *other.attributes.get(function.name, ())):
            above = other.parents[use]
            added = isinstance(above, ast.Call) and last_name(above.func) == _ADDS
            if not added and (outline, function) in resolver.functions(other, use):
                return False
    return True


def _groups(repo: Repo, resolver: Resolver, outline: Outline, function: Function) -> Iterator[tuple[Outline, ast.expr]]:
    """The expressions for what may run the function: `cli` of `@cli.command()`, and of `cli.add_command(run)`."""
    for mark in function.decorator_list:
        made_by = mark.func if isinstance(mark, ast.Call) else mark
        if isinstance(made_by, ast.Attribute) and made_by.attr in (*_REGISTERS, _NESTED):
            yield outline, made_by.value
    for other in repo.mentioning(_ADDS) if function.decorator_list else ():
        for call in other.calls_of(_ADDS):
            given = call.args[0] if call.args and isinstance(call.func, ast.Attribute) else None
            if given is not None and (outline, function) in resolver.functions(other, given):
                assert isinstance(call.func, ast.Attribute)
                yield other, call.func.value


def _calls(repo: Repo, resolver: Resolver, outline: Outline, group: Function) -> Iterator[_Call]:
    """Where the group is called, or one that it is a part of."""
    for caller in repo.mentioning(group.name):
        for call in caller.calls_of(group.name):
            if (outline, group) in resolver.functions(caller, call.func):
                yield caller, call
    for holder, above in _groups(repo, resolver, outline, group):
        for where, found in resolver.functions(holder, above):
            if found is not group:
                yield from _calls(repo, resolver, where, found)


def _registers(mark: ast.expr, app: str) -> bool:
    made_by = mark.func if isinstance(mark, ast.Call) else mark
    is_of_it = isinstance(made_by, ast.Attribute) and isinstance(made_by.value, ast.Name) and made_by.value.id == app
    return is_of_it and last_name(made_by) in _REGISTERS


def _is_group(outline: Outline, function: Function) -> bool:
    marks = (mark.func if isinstance(mark, ast.Call) else mark for mark in function.decorator_list)
    return any(qualified_name(outline, mark) == _GROUP or _is_nested(outline, mark) for mark in marks)


def _is_nested(outline: Outline, mark: ast.expr) -> bool:
    """`@cli.group()`, where `cli` is a group of the file, or comes from another."""
    return (
        isinstance(mark, ast.Attribute)
        and mark.attr == _NESTED
        and not qualified_name(outline, mark).startswith("click")
    )


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
