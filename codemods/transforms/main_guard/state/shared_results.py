"""Objects that a function gives to each of its callers, and that only the main process changes.

`settings().size = 7` of a function with `lru_cache`, `Config.get().size = 7` of one that returns what its class keeps,
`Config().size = 7` of a class with one object: a spawned worker makes its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....nodes import walk
from ....syntax.binding_rules import positional
from ....syntax.callees import Function, method
from ....syntax.names import last_name
from ....syntax.outline import Outline
from .changed_settings import Place, Search
from .object_parts import fills
from .process_state import ChangedState, inherits, made_before, place_of
from .same_values import Same
from .worker_functions import Worker

_CACHES = ("lru_cache", "cache")
_PARTS = (ast.Attribute, ast.Subscript)
_Part = tuple[Function | ast.ClassDef, str]  # the function or class, and the attribute or key of what it gives


def shared_results(search: Search) -> Iterator[ChangedState]:
    """One per part and script, at the first place where a worker reads it."""
    readers: dict[_Part, list[tuple[Place, Worker]]] = {}
    for worker in search.workers.values():
        sent = inherits(search, worker)
        nodes = worker.nodes if sent is not None else ()
        for node in nodes:
            part = _part(search, worker.outline, node)
            if part is not None and sent is not None:
                readers.setdefault(part, []).append((Place(worker.outline, node, ""), sent))
    for part, places in readers.items():
        changes = list(_changes(search, part))
        for change, changed in made_before(search, changes, places):
            depends = f"what {place_of(change)} changes in the main process only: a spawned worker makes its own"
            advice = f"pass the worker what it needs of `{part[0].name}()`, or make the same change there"
            yield ChangedState(depends, advice, changed)


def _part(search: Search, outline: Outline, node: ast.AST) -> _Part | None:
    """`call().name`, `call()["name"]`, also by a variable, of a function that gives all the same object."""
    if not isinstance(node, _PARTS):
        return None
    made: ast.expr | None = node.value
    if isinstance(made, ast.Name):
        made = outline.only_value(made)
    if not isinstance(made, ast.Call) or made.args:
        return None
    called = search.callees.called(outline, made)
    cls = search.callees.made_class(outline, made) if called is None else None
    shared = called[1] if called is not None else cls[1] if cls is not None else None
    if shared is None or not (_has_one(shared) if isinstance(shared, ast.ClassDef) else _is_shared(shared)):
        return None
    return shared, node.attr if isinstance(node, ast.Attribute) else ast.unparse(node.slice)


def _is_shared(function: Function) -> bool:
    """It keeps its result, or returns an attribute of its class or a global that it sets."""
    marks = [mark.func if isinstance(mark, ast.Call) else mark for mark in function.decorator_list]
    if any(last_name(mark) in _CACHES for mark in marks):
        return True
    first = {*positional(function)[:1]} if "classmethod" in map(last_name, marks) else set()
    declared = {name for node in walk(function) if isinstance(node, ast.Global) for name in node.names}
    returned = [node.value for node in walk(function) if isinstance(node, ast.Return)]
    return bool(returned) and all(
        (isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id in first)
        or (isinstance(value, ast.Name) and value.id in declared)
        for value in returned
    )


def _has_one(owner: ast.ClassDef) -> bool:
    """`__new__` gives the object that the class keeps, or `__init__` has all of them share one dictionary."""
    new, begin = method(owner, "__new__"), method(owner, "__init__")
    if new is not None:
        first = {*positional(new)[:1]} | {owner.name}
        returned = [node.value for node in walk(new) if isinstance(node, ast.Return)]
        return bool(returned) and all(
            isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id in first
            for value in returned
        )
    targets = [node for node in walk(begin) if isinstance(node, ast.Assign)] if begin is not None else []
    return any(
        isinstance(target, ast.Attribute) and target.attr == "__dict__" and isinstance(node.value, ast.Attribute)
        for node in targets
        for target in node.targets
    )


def _changes(search: Search, part: _Part) -> Iterator[Place]:
    function = part[0]
    for outline in search.repo.mentioning(function.name):
        for call in outline.calls_of(function.name):
            for same in (Same(outline, call), *search.parts.same.of(outline, call)):
                where, holder = same.outline, same.outline.parents[same.node]
                changes = isinstance(holder, _PARTS) and (not isinstance(holder.ctx, ast.Load) or fills(where, holder))
                if changes and _part(search, where, holder) == part:
                    yield Place(where, holder, "")
