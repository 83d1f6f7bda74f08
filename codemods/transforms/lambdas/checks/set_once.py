"""Attributes that the constructor of an object sets, and nothing after it: `model.max_len`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection

from ....syntax.binding_rules import parameters, positional
from ....syntax.outline import Outline, ValueBinding
from ....syntax.repo import Repo

_FURTHEST = 3  # variables and functions by which an object comes

Owners = Collection[ast.ClassDef | None]


def set_by_constructor(repo: Repo, outline: Outline, attribute: ast.Attribute) -> bool:
    """The object is of a class of the project, whose `__init__` sets the attribute, and no other line does.

    A function that reads `model.max_len` needs that number, not the model.
    """
    name = attribute.attr
    stores = [
        (other, store)
        for other in repo.mentioning(name)
        for store in other.attributes.get(name, ())
        if not isinstance(store.ctx, ast.Load)
    ]
    setting = {other.owner(store) for other, store in stores if _is_in_constructor(other, store)}
    return (
        bool(stores)
        and len(stores) == len(setting)
        and next(iter(repo.methods(name)), None) is None
        and _is_made_by(repo, outline, attribute.value, setting, 0)
    )


def _is_in_constructor(outline: Outline, store: ast.Attribute) -> bool:
    """`self.name = ...` directly in the body of an `__init__`."""
    init = outline.scope(store)
    return (
        outline.is_self(store.value)
        and isinstance(init, ast.FunctionDef)
        and init.name == "__init__"
        and outline.statement(store) in init.body
        and isinstance(outline.parents[store], (ast.Assign, ast.AnnAssign))
    )


def _is_made_by(repo: Repo, outline: Outline, value: ast.expr | None, setting: Owners, depth: int) -> bool:
    """The value is a new object of one of the classes `setting`, or of one derived from them, whoever returns it."""
    if depth > _FURTHEST:
        return False
    if isinstance(value, ast.Name):
        bindings = outline.lookup(value, value.id)[1]
        made = [item for item in bindings if not _comes_back(repo, outline, item, value.id)]
        return bool(made) and all(
            isinstance(item.statement, ast.Assign) and _is_made_by(repo, outline, item.value, setting, depth + 1)
            for item in made
        )
    if not isinstance(value, ast.Call):
        return False
    if _is_nothing(outline, value.func):
        return True
    classes = repo.resolver.classes(outline, value.func)
    if classes:
        return all(any(base.node in setting for base in repo.resolver.lineage(each)) for each in classes)
    found = repo.resolver.definition(outline, value.func)
    if found is None or not isinstance(found.node, ast.FunctionDef) or found.node.decorator_list:
        return False
    passed = [node.value for node in found.outline.own(found.node) if isinstance(node, ast.Return)]
    return bool(passed) and all(_is_made_by(repo, found.outline, item, setting, depth + 1) for item in passed)


def _is_nothing(outline: Outline, called: ast.expr) -> bool:
    """A name that nothing binds: the call fails, and returns no object."""
    return (
        isinstance(called, ast.Name)
        and not outline.lookup(called, called.id)[1]
        and not outline.star_imports
        and not hasattr(builtins, called.id)
    )


def _comes_back(repo: Repo, outline: Outline, binding: ValueBinding, name: str) -> bool:
    """`model, epoch = load(model, path)`, where `load` returns the object that it got."""
    statement = binding.statement
    target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return False
    call, found = statement.value, repo.resolver.definition(outline, statement.value.func)
    if found is None or not isinstance(found.node, ast.FunctionDef) or found.node.decorator_list:
        return False
    at = None
    if isinstance(target, ast.Tuple):
        at = next((at for at, item in enumerate(target.elts) if isinstance(item, ast.Name) and item.id == name), None)
    given = [at for at, item in enumerate(call.args) if isinstance(item, ast.Name) and item.id == name]
    names = positional(found.node)
    if len(given) != 1 or given[0] >= len(names) or any(isinstance(item, ast.Starred) for item in call.args):
        return False
    parameter = names[given[0]]
    returns = [node.value for node in found.outline.own(found.node) if isinstance(node, ast.Return)]
    if at is not None:  # else it can't be unpacked
        returns = [item.elts[at] for item in returns if isinstance(item, ast.Tuple) and len(item.elts) > at]
    is_same = all(isinstance(item, ast.Name) and item.id == parameter for item in returns)
    bound_once = len(found.outline.bindings(found.node, parameter)) == 1 and parameter in parameters(found.node)
    return bool(returns) and is_same and bound_once
