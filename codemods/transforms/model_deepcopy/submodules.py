"""Copies of one of several models, of a layer, of a snapshot: where what is copied is built, and what it holds.

Such copies are made everywhere and work; only those that are seen to hold a process group count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .callers import Built, built_elsewhere, calls_in, site_of
from .resolve import Place, dotted
from .scope import Copy, ModelScope
from .uses import parents_of, spelled

_ELEMENTS = ("values", "children", "modules", "parameters")


def constructions(search: ModelScope, site: Copy, value: ast.expr) -> Iterator[Built]:
    """Where the models are built that `value`, seen at `site`, may be: an element `nets[0]`, a layer `net.head`..."""
    value = _iterated(search, site.call, value)
    if (parts := _parts(value)) is None:
        return
    for length in range(len(parts), 0, -1):
        found = list(_bound(search, site, ".".join(parts[:length]), value))
        for attribute in parts[length:]:
            found = [inner for built in found for inner in _attribute(built, attribute)]
        if found:
            yield from found
            return


def _iterated(search: ModelScope, inside: ast.AST, value: ast.expr) -> ast.expr:
    """For a variable of a loop or comprehension around `inside`: what holds its values; else `value`."""
    if not isinstance(value, ast.Name):
        return value
    for node in search.ancestors(inside):
        loops: list[ast.For | ast.comprehension] = [node] if isinstance(node, ast.For) else []
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            loops = list(reversed(node.generators))
        for loop in loops:
            targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
            for index, target in enumerate(targets):
                if spelled(target, value.id):
                    return _element(loop.iter, index if isinstance(loop.target, ast.Tuple) else None)
    return value


def _element(iterated: ast.expr, index: int | None) -> ast.expr:
    """`models` of `enumerate(models)`, `models.items()`, `zip(names, models)`, for the target at `index`."""
    if not isinstance(iterated, ast.Call):
        return iterated
    name = dotted(iterated.func) or ""
    if isinstance(iterated.func, ast.Attribute) and not iterated.args:
        if (name.endswith(".items") and index == 1) or (iterated.func.attr in _ELEMENTS and index is None):
            return iterated.func.value
    elif name == "enumerate" and index == 1 and iterated.args:
        return iterated.args[0]
    elif name == "zip" and index is not None and index < len(iterated.args):
        return iterated.args[index]
    return iterated


def _parts(value: ast.expr) -> list[str] | None:
    """`["self", "nets", "head"]` of `self.nets[0].head`; None for what is no such chain."""
    if isinstance(value, ast.Name):
        return [value.id]
    if isinstance(value, (ast.Attribute, ast.Subscript)) and (before := _parts(value.value)) is not None:
        return [*before, value.attr] if isinstance(value, ast.Attribute) else before
    return None


def _bound(search: ModelScope, site: Copy, key: str, value: ast.expr) -> Iterator[Built]:
    """What builds the object, or the elements of the container, that the variable `key` holds at `site`."""
    bindings = search.bindings(site.scope, key, site.statement)
    if not bindings:
        yield from built_elsewhere(search, site, key)
        return
    statement = bindings[-1]
    given = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    if given is not None:
        for call in calls_in(search, _entry(given, key, value)):
            yield Built(search, site, statement, call, ())


def _entry(given: ast.expr, key: str, value: ast.expr) -> ast.expr:
    """The entry of a literal dict that `nets["head"]` takes, `given` where that can't be told."""
    for node in ast.walk(value):
        if isinstance(node, ast.Subscript) and spelled(node.value, key) and isinstance(node.slice, ast.Constant):
            for name, entry in zip(given.keys, given.values, strict=True) if isinstance(given, ast.Dict) else ():
                if isinstance(name, ast.Constant) and name.value == node.slice.value:
                    return entry
    return given


def _attribute(built: Built, attribute: str) -> Iterator[Built]:
    """What the class that `built` makes an object of builds for its `self.attribute`."""
    models = built.search.models
    found = models.resolve(built.search.path, dotted(built.call.func) or "")
    tree = models.project.module(found.path) if isinstance(found, Place) else None
    if not isinstance(found, Place) or not isinstance(found.node, ast.ClassDef) or tree is None:
        return
    inside = type(built.search)(models, found.path, tree, parents_of(tree))
    for node in ast.walk(found.node):
        if isinstance(node, ast.Assign) and any(spelled(target, f"self.{attribute}") for target in node.targets):
            for call in calls_in(inside, node.value):
                yield Built(inside, site_of(inside, call), node, call, built.hops)
