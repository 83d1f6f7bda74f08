"""Parameters whose values all stand in sight: what a function of the file is called with, everywhere."""

from __future__ import annotations

import ast

from ....project import Project
from ....syntax.binding_rules import DEFINITIONS, BindingKind
from ....syntax.names import dotted
from ....syntax.repo import Repo
from ....syntax.scope_data import Scope
from ....syntax.scopes import Scopes

_BY_NAME = DEFINITIONS | {BindingKind.IMPORT}


def gets_only_named(project: Project, path: str, scopes: Scopes, value: ast.expr) -> bool:
    """`value` is a parameter, never bound again, which gets nothing but what modules have by a name.

    Each use of its function is a call here, as `wrap(module.function)`; no other file takes the function.
    """
    owner = scopes.owner(scopes.around(value), value.id) if isinstance(value, ast.Name) else None
    if not isinstance(value, ast.Name) or owner is None or not isinstance(owner.node, ast.FunctionDef):
        return False
    function = owner.node
    top = scopes.owner(scopes.around(function), function.name)
    parameter = [binding.kind for binding in owner.bindings[value.id]] == [BindingKind.PARAMETER]
    if not parameter or top is None or top.node is not scopes.tree or function.decorator_list:
        return False
    if len(top.bindings[function.name]) != 1 or _is_taken_elsewhere(project, path, function.name):
        return False
    uses = top.uses.get(function.name, [])
    return bool(uses) and all(_hands_over_named(scopes, top, use.node, function, value.id) for use in uses)


def _hands_over_named(scopes: Scopes, top: Scope, used: ast.Name, function: ast.FunctionDef, name: str) -> bool:
    """The use is a call with such an argument for the parameter called `name`."""
    call = scopes.parents[used]
    if not isinstance(call, ast.Call) or call.func is not used or any(isinstance(a, ast.Starred) for a in call.args):
        return False
    positional = [part.arg for part in (*function.args.posonlyargs, *function.args.args)]
    place = positional.index(name) if name in positional else len(call.args)
    argument = call.args[place] if place < len(call.args) else None
    argument = argument or next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
    if argument is None or any(keyword.arg is None for keyword in call.keywords):
        return False
    first = dotted(argument).partition(".")[0]
    if not first or scopes.owner(scopes.around(argument), first) is not top:
        return False
    kinds = {binding.kind for binding in top.bindings[first]}
    return len(top.bindings[first]) == 1 and kinds <= (
        _BY_NAME if "." not in dotted(argument) else {BindingKind.IMPORT}
    )


def _is_taken_elsewhere(project: Project, path: str, name: str) -> bool:
    others = (outline for outline in Repo(project).mentioning(name) if outline.path != path)
    return any(name in outline.imported or outline.attributes.get(name) for outline in others)
