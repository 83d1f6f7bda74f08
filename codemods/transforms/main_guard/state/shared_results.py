"""Objects that a function gives to each of its callers, and that only the main process changes.

`settings().size = 7` of a function with `lru_cache`, or `Config.get().size = 7` of one that returns what its class
keeps: a spawned worker makes its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....nodes import walk
from ....syntax.callees import FUNCTIONS, Function
from ....syntax.names import last_name
from ....syntax.outline import Outline
from .changed_settings import Place, Search
from .process_state import ChangedState, inherits, made_before, place_of
from .worker_functions import Worker, run_by_call

_CACHES = ("lru_cache", "cache")
_Part = tuple[Function, str]  # the function, and the attribute or key of what it gives


def shared_results(search: Search) -> Iterator[ChangedState]:
    """One per part and script, at the first place where a worker reads it."""
    readers: dict[_Part, list[tuple[Place, Worker]]] = {}
    for worker in search.workers.values():
        sent = inherits(search, worker)
        nodes = run_by_call(worker.function) if sent is not None else ()
        for node in nodes:
            part = _part(search, worker.outline, node, ast.Load)
            if part is not None and sent is not None:
                readers.setdefault(part, []).append((Place(worker.outline, node, ""), sent))
    for part, places in readers.items():
        changes = list(_changes(search, part))
        for change, changed in made_before(search, changes, places):
            depends = f"what {place_of(change)} changes in the main process only: a spawned worker makes its own"
            advice = f"pass the worker what it needs of `{part[0].name}()`, or make the same change there"
            yield ChangedState(depends, advice, changed)


def _part(search: Search, outline: Outline, node: ast.AST, how: type[ast.expr_context]) -> _Part | None:
    """`call().name`, `call()["name"]`, also by a variable, of a function that gives all the same object."""
    if not isinstance(node, (ast.Attribute, ast.Subscript)) or not isinstance(node.ctx, how):
        return None
    made: ast.expr | None = node.value
    if isinstance(made, ast.Name):
        made = outline.only_value(made)
    called = search.callees.called(outline, made) if isinstance(made, ast.Call) and not made.args else None
    if called is None or not _is_shared(called[1]):
        return None
    return called[1], node.attr if isinstance(node, ast.Attribute) else ast.unparse(node.slice)


def _is_shared(function: Function) -> bool:
    """It keeps its result, or returns an attribute of its class or a global that it sets."""
    marks = [mark.func if isinstance(mark, ast.Call) else mark for mark in function.decorator_list]
    if any(last_name(mark) in _CACHES for mark in marks):
        return True
    first = {each.arg for each in function.args.args[:1]} if "classmethod" in map(last_name, marks) else set()
    declared = {name for node in walk(function) if isinstance(node, ast.Global) for name in node.names}
    returned = [node.value for node in walk(function) if isinstance(node, ast.Return)]
    return bool(returned) and all(
        (isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id in first)
        or (isinstance(value, ast.Name) and value.id in declared)
        for value in returned
    )


def _changes(search: Search, part: _Part) -> Iterator[Place]:
    function = part[0]
    for outline in search.repo.mentioning(function.name):
        for call in outline.calls_of(function.name):
            above = outline.parents[call]
            uses = _uses(outline, above) if isinstance(above, ast.Assign) and above.value is call else [call]
            for holder in (outline.parents[use] for use in uses):
                if isinstance(outline.scope(call), FUNCTIONS) and _part(search, outline, holder, ast.Store) == part:
                    yield Place(outline, holder, "")


def _uses(outline: Outline, statement: ast.Assign) -> list[ast.Name]:
    target = statement.targets[0] if len(statement.targets) == 1 else None
    if not isinstance(target, ast.Name):
        return []
    scope = outline.scope(statement)
    found = (use for use in outline.named.get(target.id, ()) if isinstance(use, ast.Name) and use is not target)
    return [use for use in found if outline.lookup(use, target.id)[0] is scope]
