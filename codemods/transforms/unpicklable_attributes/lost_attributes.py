"""Attributes that a `__getstate__` takes out and nothing makes anew: the copy fails where it reads them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ...finding import Trace
from ...nodes import end_line, walk
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.pickled_state import set_in_body
from ...syntax.repo import Repo
from ...syntax.unpicklable import Made
from .classes import Method, Shape, Store
from .remaking.containers import fields
from .search import Search
from .sure_to_fail import CALLED, is_plain_state, is_unconditional, surely_called

_UPDATES = frozenset(("update", "dict", "setdefault"))
_OWN_SETTERS = frozenset(("__setstate__", "__getattr__", "__getattribute__", "__reduce__", "__reduce_ex__", "__copy__"))


class Lost(NamedTuple):
    """`store` sets the attribute, `state` takes it out; `read`: a method that reads it, `at` the line."""

    shape: Shape
    store: Store
    made: Made
    state: Method
    read: Method
    at: int
    sure: bool  # a worker reads it, whatever happens


def lost_attributes(search: Search, path: str) -> Iterator[Lost]:
    """The attributes of the classes of a file that objects have before they are sent, and copies have not."""
    outline = search.repo.outline(path) if search.project.holds(path, "def __getstate__(") else None
    for node in outline.of_kind(ast.ClassDef) if outline is not None else ():
        assert outline is not None
        shape = search.family.shape(outline, node)
        if (state := shape.methods.get("__getstate__")) is None or not _is_alone(search, shape):
            continue
        trace = search.crossing(shape)[1]
        if not trace:
            continue
        taken = set(_taken_out(state))
        made_first = [store for several in fields(shape).values() for store in several]
        for store in [*(store for name in shape.selves for store in shape.stores(name)), *made_first]:
            name = store.target.attr
            left_out = shape.key(name) in taken or _is_filtered(search, shape, name)
            first = store.method.name in ("__init__", "__post_init__") and store.always
            if not left_out or not (first or store in made_first) or store.value is None:
                continue
            made = next(iter(search.recogniser.made(outline, store.value)), None)
            if (
                made is None
                or made.choice
                or made.unsure
                or not search.counts(made.kind)
                or _is_set_elsewhere(search, shape, store)
            ):
                continue
            if (read := _read(search.repo, shape, name, state, trace)) is not None:
                yield Lost(shape, store, made, state, *read)


def _is_alone(search: Search, shape: Shape) -> bool:
    """All that is said of its state is in its own `__getstate__`: no base class or class below says more."""
    hierarchy = search.family.hierarchy(shape)
    if any(_OWN_SETTERS & other.methods.keys() for other in hierarchy):
        return False
    if any("__getstate__" in other.methods for other in hierarchy if other is not shape):
        return False
    inherited, unknown = search.family.state_methods(shape)
    return unknown is None and "__setstate__" not in inherited


def _taken_out(state: Method) -> Iterator[str]:
    """What `del state["lock"]` and `state.pop("lock", None)` name, wherever they always run."""
    for statement in state.body:
        targets = statement.targets if isinstance(statement, ast.Delete) else []
        for target in targets:
            if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
                yield str(target.slice.value)
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and last_name(call.func) == "pop" and call.args:
            key = call.args[0]
            if isinstance(key, ast.Constant):
                yield str(key.value)


def _is_filtered(search: Search, shape: Shape, name: str) -> bool:
    """A test leaves it out; not one of a state whose entries are set to None."""
    state = shape.methods["__getstate__"]
    plain = not any(isinstance(node, ast.IfExp) or _sets_item(node) for node in walk(state))
    filters = search.state_filters(shape)
    return plain and any(each.leaves_out(shape.key(name)) is True for _, each in filters)


def _sets_item(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)


def _is_set_elsewhere(search: Search, shape: Shape, store: Store) -> bool:
    """Something else gives the copy the attribute, or code asks whether it is there."""
    name = store.target.attr
    hierarchy = search.family.hierarchy(shape)
    if any(other.target is not store.target for each in hierarchy for other in each.stores(name)):
        return True
    for each in hierarchy:
        own = each.node is shape.node
        in_body = any(True for _ in set_in_body(each.node, name))
        if name in each.methods or (in_body and not (own and store.method.name == "__init__" and _is_field(store))):
            return True
    state = shape.methods["__getstate__"]
    inside = {id(node) for node in walk(state)}
    if any(_sets_item(node) and _names(node, shape.key(name)) for node in walk(state)):
        return True
    for outline in search.repo.mentioning(name):
        uses = outline.attributes.get(name, ())
        if any(not (isinstance(use.ctx, ast.Load) or outline.is_self(use.value)) for use in uses):
            return True  # `worker_init_fn` sets it
        if any(isinstance(node, ast.keyword) and _puts(outline, node, name) for node in outline.nodes):
            return True  # `self.__dict__.update(lock=Lock())`
        texts = (node for node in outline.nodes if isinstance(node, ast.Constant) and node.value == name)
        if any(id(node) not in inside for node in texts):
            return True  # `hasattr(self, "lock")`
    return False


def _names(node: ast.AST, key: str) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == key


def _puts(outline: Outline, node: ast.keyword, name: str) -> bool:
    call = outline.parents[node]
    return node.arg == name and isinstance(call, ast.Call) and last_name(call.func) in _UPDATES


def _is_field(store: Store) -> bool:
    return store.method not in store.owner.outline.parents


def _read(repo: Repo, shape: Shape, name: str, state: Method, trace: Trace) -> tuple[Method, int, bool] | None:
    """A method that reads it, with the line, and whether workers are sure to come to that."""
    found = [
        (method, use)
        for method, use in shape.selves.get(name, ())
        if method is not state and method.name not in ("__init__", "__post_init__", "__del__")
        if isinstance(use.ctx, ast.Load) and not _may_fail(method)
    ]
    called = surely_called(repo, shape, _sent(repo, shape, trace), trace) if is_plain_state(state) else set()
    for method, use in found:
        if method.name in called and is_unconditional(shape.outline, method, use):
            return method, use.lineno, True
    likely = _called(shape, {*(CALLED | _sent(repo, shape, trace))} & shape.methods.keys())
    found.sort(key=lambda each: (each[0].name not in likely, each[1].lineno))
    return (found[0][0], found[0][1].lineno, False) if found else None


def _may_fail(method: Method) -> bool:
    """It handles what goes wrong in it."""
    return any(isinstance(node, ast.ExceptHandler) for node in walk(method))


def _sent(repo: Repo, shape: Shape, trace: Trace) -> set[str]:
    """The methods that the boundary is given: `pool.map(counter.add, rows)`."""
    outline = repo.outline(trace[-1].path)
    return {
        attribute
        for attribute in (shape.methods if outline is not None else ())
        if outline is not None
        for node in outline.attributes.get(attribute, ())
        if node.lineno <= trace[-1].line <= end_line(node)
        if not (isinstance(call := outline.parents[node], ast.Call) and call.func is node)
    }


def _called(shape: Shape, names: set[str]) -> set[str]:
    """These methods, and those that they call."""
    found, todo = set(names), [*names]
    while todo:
        name = todo.pop()
        for other in shape.methods.keys() - found:
            if name in shape.callers(other):
                found.add(other)
                todo.append(other)
    return found
