"""What a method keeps where a parameter says so, and only workers say that.

`env = self.connect(path)` in `__init__`, and `self.connect(self.path, keep=True)` in `__getitem__`: an object that is
sent has no `self.env` yet.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....flow.facts.passed_on import asked_for
from ....flow.facts.scope import Asked
from ....syntax.binding_rules import default_values, given_to, positional
from ....syntax.outline import Outline
from ..classes import Method, Shape, Store
from ..family import Family

_ENDS = (ast.Return, ast.Raise)


def kept_by_workers(family: Family, shape: Shape, store: Store) -> bool:
    """No call of the store's method that comes to the store is made before an object is sent."""
    method = store.method
    return any(
        _set_by_workers(family, shape, method, asked.name)
        for asked in _asked_for(store)
        if not (asked.only_none or asked.among or any(_binds(node, asked.name) for node in ast.walk(method)))
    )


def _asked_for(store: Store) -> Iterator[Asked]:
    """Names that are set wherever the store runs, as `asked_for` gives them."""
    parents = store.owner.outline.parents
    inside: ast.AST = store.statement
    while inside is not store.method and (node := parents.get(inside)) is not None:
        block = next((part for name in ("body", "orelse") if inside in (part := getattr(node, name, None) or [])), [])
        for before in block[: block.index(inside)] if isinstance(inside, ast.stmt) and inside in block else ():
            if isinstance(before, ast.If) and not before.orelse and isinstance(before.body[-1], _ENDS):
                yield from asked_for(before.test, negated=True)
        if isinstance(node, ast.If) and block:
            yield from asked_for(node.test, negated=block is node.orelse)
        inside = node


def _set_by_workers(family: Family, shape: Shape, method: Method, flag: str) -> bool:
    setting = False
    for other in family.hierarchy(shape):
        for caller, use in other.selves.get(method.name, []):
            if _says(other.outline, use, method, flag):
                if caller.name not in other.worker_only_methods:
                    return False
                setting = True
    return setting


def _says(outline: Outline, use: ast.Attribute, method: Method, flag: str) -> bool:
    """The use of the method on `self` may be a call that sets the flag."""
    call = outline.parents[use]
    if not isinstance(call, ast.Call) or call.func is not use:
        return True
    if any(isinstance(part, ast.Starred) for part in call.args) or any(word.arg is None for word in call.keywords):
        return True
    value = (default_values(method) | given_to(positional(method)[1:], call)).get(flag)
    return not isinstance(value, ast.Constant) or bool(value.value)


def _binds(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
