"""Functions that keep something between their calls, which the main process calls before workers do.

A default that is filled, variables of the function that made it, a cache of what changes, implementations that are
registered with it: a spawned worker begins anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ....nodes import walk
from ....syntax.binding_rules import default_values
from ....syntax.callees import FUNCTIONS, Function
from ....syntax.names import last_name
from ....syntax.outline import Outline, pairs
from ..data import names
from .changed_settings import Place, Search
from .import_values import another_each_time
from .object_parts import fills
from .process_state import WHERE, ChangedState, inherits, made_before, place_of
from .same_values import Same
from .worker_functions import Worker

_DISPATCHES = ("singledispatch", "singledispatchmethod")
_CACHES = ("lru_cache", "cache")
_REGISTER = "register"
_CONTAINERS = (ast.List, ast.Dict, ast.Set)


class _Kept(NamedTuple):
    """What several functions of a module share, or one keeps for itself."""

    outline: Outline
    variables: frozenset[str]  # of the function that made them, else the function itself
    changing: frozenset[str]  # a call of these changes it
    what: str
    registers: bool = False  # it is changed by `.register`, not by a call


def stateful_functions(search: Search) -> Iterator[ChangedState]:
    """One per state and script, at the first place where a worker depends on it."""
    known: dict[tuple[Outline, str], _Kept | None] = {}
    readers: dict[_Kept, list[tuple[Place, Worker]]] = {}
    for worker in search.workers.values():
        sent = inherits(search, worker)
        for node in worker.nodes if sent is not None else ():
            if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
                home = _home(search, worker.outline, node.func)
                if home is not None and home not in known:
                    known[home] = _of(search, *home)
                kept = known[home] if home is not None else None
                if kept is not None and sent is not None:
                    readers.setdefault(kept, []).append((Place(worker.outline, node.func, ""), sent))
    for kept, places in readers.items():
        changes = list(_changes(search, kept))
        for change, changed in made_before(search, changes, places):
            depends = (
                f"{kept.what}, which {place_of(change)} changes in the main process only: a spawned worker begins anew"
            )
            advice = f"pass the worker what it needs of that, or make the same call there: {WHERE}"
            yield ChangedState(depends, advice, changed)


def _changes(search: Search, kept: _Kept) -> Iterator[Place]:
    """Where code that no worker runs calls what changes it."""
    for name in sorted(kept.changing):
        for outline in search.repo.mentioning(name):
            own = set(outline.names_of(name))
            for use in (use for each in sorted(own) for use in outline.named.get(each, ())):
                if outline.scope(use) not in search.workers and _home(search, outline, use) == (kept.outline, name):
                    for same in (Same(outline, use), *search.parts.same.of(outline, use)):
                        above = same.outline.parents[same.node]
                        registers = isinstance(above, ast.Attribute) and above.attr == _REGISTER
                        is_called = isinstance(above, ast.Call) and above.func is same.node
                        if registers if kept.registers else is_called:
                            yield Place(*(same.at or (same.outline, same.node)), "")


def _home(search: Search, outline: Outline, node: ast.Name | ast.Attribute) -> tuple[Outline, str] | None:
    """The file that binds it, and the name there."""
    found = search.callees.resolver.bound_by(outline, node)
    return found[:2] if found is not None else None


def _of(search: Search, outline: Outline, name: str) -> _Kept | None:
    bindings = outline.bindings(outline.module, name)
    if len(bindings) != 1:
        return None
    statement = bindings[0].statement
    if isinstance(statement, FUNCTIONS):
        return _of_function(search, outline, statement)
    made = statement.value if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    maker = search.callees.called(outline, made) if isinstance(made, ast.Call) else None
    if maker is None or not isinstance(statement, ast.Assign):
        return None
    where, function, _ = maker
    bound: dict[str, ast.expr] = {}
    for returned in (node.value for node in where.own(function) if isinstance(node, ast.Return)):
        for target, value in pairs(statement.targets[0], returned) if returned is not None else ():
            if isinstance(target, ast.Name):
                bound[target.id] = value
    read = _read(where, function, bound[name]) if name in bound else frozenset()
    shared = _changed_inside(where, function)
    changing = frozenset(key for key, value in bound.items() if read & _changed(value, shared))
    what = f"what `{function.name}` keeps for the functions that it returns"
    return _Kept(outline, read, changing, what) if changing else None


def _of_function(search: Search, outline: Outline, function: Function) -> _Kept | None:
    own = frozenset({function.name})
    marks = [mark.func if isinstance(mark, ast.Call) else mark for mark in function.decorator_list]
    if any(last_name(mark) in _DISPATCHES for mark in marks):
        return _Kept(outline, own, own, f"the functions that are registered with `{function.name}`", registers=True)
    if _fills_default(outline, function):
        return _Kept(outline, own, own, f"a default of `{function.name}`, which keeps what is put into it")
    if _keeps_result(function, marks) and another_each_time(search, outline, function):
        return _Kept(outline, own, own, f"what `{function.name}` keeps of its first call")
    for mark in marks:
        decorator = search.callees.called(outline, ast.Call(mark, [], []))
        if decorator is not None and (kept := _counts(decorator[0], decorator[1])):
            return _Kept(outline, own, own, f"`{kept}`, which `{decorator[1].name}` keeps for `{function.name}`")
    return None


def _keeps_result(function: Function, marks: list[ast.expr]) -> bool:
    """A cache, or a global that it sets where that is not set yet: `if _seed is None: _seed = random.random()`."""
    if any(last_name(mark) in _CACHES for mark in marks):
        return True
    declared = {name for node in walk(function) if isinstance(node, ast.Global) for name in node.names}
    tests = (node.test for node in walk(function) if isinstance(node, (ast.If, ast.IfExp))) if declared else ()
    asked = {part.id for test in tests for part in walk(test) if isinstance(part, ast.Name)}
    return bool(declared & asked)


def _fills_default(outline: Outline, function: Function) -> bool:
    """`def remember(x, seen=[]): seen.append(x)`; a cache of its own results is none that matters."""
    kept = {name for name, value in default_values(function).items() if _is_container(value)}
    uses = [node for node in walk(function) if isinstance(node, ast.Name) and node.id in kept]
    return any(fills(outline, use) for use in uses) and not _only_caches(outline, uses)


def _is_container(value: ast.expr) -> bool:
    return isinstance(value, _CONTAINERS) or (
        isinstance(value, ast.Call) and last_name(value.func) in names("containers")
    )


def _only_caches(outline: Outline, uses: list[ast.Name]) -> bool:
    """`if key not in kept: kept[key] = compute(key)`, `return kept[key]`: the same for everybody who asks."""
    asked = stored = False
    for use in uses:
        above = outline.parents[use]
        asked |= isinstance(above, ast.Compare) and isinstance(above.ops[0], (ast.In, ast.NotIn))
        if isinstance(above, ast.Subscript) and not isinstance(above.ctx, ast.Load):
            statement = outline.statement(above)
            stored |= isinstance(getattr(statement, "value", None), ast.Call)
        elif isinstance(above, ast.Attribute) and fills(outline, use):
            return False
    return asked and stored


def _changed_inside(outline: Outline, maker: Function) -> dict[str, list[Function]]:
    """Variables of `maker` that functions in it change, with these."""
    found: dict[str, list[Function]] = {}
    inner = [node for node in walk(maker) if isinstance(node, FUNCTIONS) and node is not maker]
    for function in inner:
        outer = {name for node in walk(function) if isinstance(node, ast.Nonlocal) for name in node.names}
        for node in walk(function):
            if isinstance(node, ast.Name) and outline.scope(node) is function:
                stored = not isinstance(node.ctx, ast.Load)
                if (stored and node.id in outer) or (
                    fills(outline, node) and outline.lookup(node, node.id)[0] is maker
                ):
                    found.setdefault(node.id, []).append(function)
    return found


def _changed(value: ast.expr, shared: dict[str, list[Function]]) -> set[str]:
    """The variables that what is returned changes when it is called: `put`, `kept.update`."""
    if isinstance(value, ast.Name):
        return {name for name, functions in shared.items() if any(each.name == value.id for each in functions)}
    changes = isinstance(value, ast.Attribute) and value.attr in (names("filling") | {"__setitem__", "__delitem__"})
    holder = value.value if isinstance(value, ast.Attribute) and changes else None
    return {holder.id} if isinstance(holder, ast.Name) else set()


def _read(outline: Outline, maker: Function, value: ast.expr) -> frozenset[str]:
    """The variables of `maker` that what is returned reads."""
    inner = (each for each in walk(maker) if isinstance(each, FUNCTIONS) and each.name == getattr(value, "id", ""))
    nodes = [node for each in inner for node in walk(each)]
    return frozenset(
        node.id
        for node in (*nodes, value.value if isinstance(value, ast.Attribute) else None)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and outline.lookup(node, node.id)[0] is maker
    )


def _counts(outline: Outline, decorator: Function) -> str:
    """A variable that the function around the decorated one counts or sets, and reads otherwise too; else ""."""
    for name, functions in _changed_inside(outline, decorator).items():
        uses = [node for each in functions for node in walk(each) if isinstance(node, ast.Name) and node.id == name]
        if not _only_caches(outline, uses) and any(
            isinstance(use.ctx, ast.Load) and not fills(outline, use) for use in uses
        ):
            return name
    return ""
