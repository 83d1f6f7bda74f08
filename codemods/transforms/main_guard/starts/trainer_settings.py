"""Trainers of libraries that make their own loaders: whether their settings ask for workers."""

from __future__ import annotations

import ast
import re

from ....syntax.binding_rules import parameters, positional
from ....syntax.callees import FUNCTIONS, Callees, Function
from ....syntax.names import without_arguments
from ....syntax.outline import Outline
from ....syntax.resolver import Class
from .loader_values import bound_value

_MAX_VALUES = 8
_INITIALISER = "__init__"
_WORKERS = re.compile(r"(?:^|_)num_(?:\w+_)?workers$")  # what settings call the workers of their loaders


def set_to_workers(callees: Callees, outline: Outline, trainer: ast.expr) -> bool:
    """The trainer is made with settings that say `dataloader_num_workers=4`, or `num_loader_workers=4`."""
    todo, seen = [trainer], 0
    while todo and seen < _MAX_VALUES:
        node, seen = todo.pop(0), seen + 1
        for call in _calls_of(outline, node):
            said = [keyword.value for keyword in call.keywords if _WORKERS.search(keyword.arg or "")]
            if said:
                return not all(isinstance(value, ast.Constant) and value.value in (0, None) for value in said)
            if node is trainer:
                todo += _given_to_library(callees, outline, call)
    return False


def given_before(callees: Callees, outline: Outline, trainer: ast.expr) -> list[ast.expr]:
    """What the class of a library, or other methods of its object, got before a method of the trainer is called.

    `trial = Trial(model)`, `trial.with_generators(loader).to(device)`: a later `trial.run()` goes through the loader.
    """
    calls = list[ast.Call]()
    made = bound_value(outline, trainer)
    while isinstance(made, ast.Call):
        calls.append(made)
        made = made.func.value if isinstance(made.func, ast.Attribute) else made.func
    if not calls or not callees.resolver.is_foreign(outline, calls[-1].func):
        return []
    if isinstance(trainer, ast.Name):
        own = (node for node in outline.own(outline.scope(trainer)) if isinstance(node, ast.Call))
        own = (call for call in own if call.lineno < trainer.lineno)
        methods = ((call, call.func) for call in own if isinstance(call.func, ast.Attribute))
        calls += [call for call, at in methods if isinstance(at.value, ast.Name) and at.value.id == trainer.id]
    return [each for call in calls for each in (*call.args, *(keyword.value for keyword in call.keywords))]


def _given_to_library(callees: Callees, outline: Outline, call: ast.Call) -> list[ast.expr]:
    """What the constructor of a library gets of the arguments of `call`.

    A class of the repository that derives from one of a library passes on all of them, or those that its `__init__`
    names in `super().__init__(...)`. One with a method that makes loaders may ask for no workers.
    """
    every = [*call.args, *(keyword.value for keyword in call.keywords)]
    if (made := callees.made_class(outline, call)) is None:
        return every
    lineage = callees.resolver.lineage(Class(*made))
    bases = [(at.outline, without_arguments(base)) for at in lineage for base in at.node.bases]
    methods = [part for at in lineage for part in at.node.body if isinstance(part, FUNCTIONS)]
    if not any(callees.resolver.is_foreign(*base) for base in bases) or any(
        method.name.endswith(("_dataloader", "_data_loader")) for method in methods
    ):
        return []
    initialisers = [method for method in methods if method.name == _INITIALISER]
    if not initialisers:
        return every
    return _passed_on(initialisers[0], call) if len(initialisers) == 1 else []


def _passed_on(initialiser: Function, call: ast.Call) -> list[ast.expr]:
    """The arguments of `call`, which `initialiser` gets, that it passes to the `__init__` of its base as they are."""
    handed: set[str] = set()
    for node in ast.walk(initialiser):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == _INITIALISER:
            values = [*node.args, *(keyword.value for keyword in node.keywords)]
            plain = [value.value if isinstance(value, ast.Starred) else value for value in values]
            handed |= {value.id for value in plain if isinstance(value, ast.Name)}
    names, named, rest = positional(initialiser)[1:], parameters(initialiser), initialiser.args
    more = rest.vararg.arg if rest.vararg is not None else ""
    options = rest.kwarg.arg if rest.kwarg is not None else ""
    found = [value for at, value in enumerate(call.args) if (names[at] if at < len(names) else more) in handed]
    for keyword in call.keywords:
        name = keyword.arg if keyword.arg in named else options
        found += [keyword.value] if name in handed else []
    return found


def _calls_of(outline: Outline, node: ast.expr) -> list[ast.Call]:
    """The calls that give the values of `node`, a call or a name, wherever its scope binds that."""
    values = [node]
    if isinstance(node, ast.Name):
        bindings = outline.bindings(outline.lookup(node, node.id)[0], node.id)
        values = [binding.value for binding in bindings if binding.value is not None]
    return [value for value in values if isinstance(value, ast.Call)]
