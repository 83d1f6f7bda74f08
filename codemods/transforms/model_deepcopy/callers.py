"""Models that are built outside the function that copies them: in another method of the class, or by a caller."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...finding import Hop
from ...nodes import walk
from ...syntax.binding_rules import COMPREHENSIONS, positional
from ...syntax.resolver import FinalValue
from .binding import ModelBinding, binding_of, plain_binding
from .file_view import FileView, Function, spelled, walk_scope
from .is_model import is_model, peel
from .model_copy import Site
from .models import dotted

_ELEMENTS = ("values", "children", "modules", "parameters")
_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
_DEPTH = 3  # functions that pass the model on
_CALLERS = 20  # looked at for one function; the first that builds a telling model counts


@dataclass(frozen=True)
class Built:
    """A construction of the model, `call`, made by `statement`; `view` and `site` are those of its file.

    `hops`: how the model gets from there to the site.
    """

    view: FileView
    site: Site
    statement: ast.stmt
    call: ast.Call
    hops: tuple[Hop, ...]


def built_elsewhere(view: FileView, site: Site, key: str, depth: int = 0) -> Iterator[Built]:
    """Where the model that `key` holds at `site` is built, when the function of the copy does not show it."""
    if depth > _DEPTH or isinstance(site.scope, ast.Module) or key == "self":
        return
    owner = _owner(view, site.scope)
    outer = _outer(view, site.scope, key.partition(".")[0])
    if outer is not None:
        yield from _by_closure(view, outer, site, key, depth)
    elif owner is not None and key.startswith("self."):
        yield from _in_methods(view, owner, site, key, depth)
    else:
        yield from _by_callers(view, site.scope, key, depth)


def _outer(view: FileView, function: Function, name: str) -> Function | ast.Module | None:
    """The function, or module, around `function` that `name` is a variable of; None when it is one of its own."""
    scopes = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)
    own: Function | ast.Module | None = function
    while own is not None:
        arguments = (
            [] if isinstance(own, ast.Module) else [node.arg for node in walk(own.args) if isinstance(node, ast.arg)]
        )
        stored = (
            node.id for node in walk_scope(own.body) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )
        if name in arguments or name in stored:
            return None if own is function else own
        own = next((node for node in view.ancestors(own) if isinstance(node, scopes)), None)
    return None


def _by_closure(view: FileView, outer: Function | ast.Module, site: Site, key: str, depth: int) -> Iterator[Built]:
    """Where `key`, a variable of the function or module around that of the copy, is built."""
    site = replace(site, scope=outer, statement=outer.body[-1])
    binding = plain_binding(view, site, key)
    if binding is not None and binding.call is not None:
        yield Built(view, site, binding.statement, binding.call, ())
    elif binding is None:
        yield from built_elsewhere(view, site, key, depth + 1)


def _by_callers(view: FileView, function: Function, key: str, depth: int) -> Iterator[Built]:
    """Where the argument that `key` names in `function` is built."""
    if depth > _DEPTH:
        return
    for caller, call, argument in passed_arguments(view, function, key):
        site = Site.of(caller, call)
        hop = Hop(caller.path, call.lineno, f"it is passed to `{dotted(call.func)}`")
        walked = elements_of(caller, call, argument)
        parts = walked.elts if isinstance(walked, (ast.Tuple, ast.List)) else [argument]
        for part in parts:  # `for net in (student, teacher): ModelEMA(net)`
            for built in _by_argument(caller, site, call, part, depth):
                yield replace(built, hops=(*built.hops, hop))


def _by_argument(caller: FileView, site: Site, call: ast.Call, argument: ast.expr, depth: int) -> Iterator[Built]:
    """Where the model that `call` is given as `argument` is built."""
    argument = _element(argument, None)  # `clone(models.values())`
    construction, _ = peel(argument)
    if isinstance(construction, ast.Call):
        yield Built(caller, site, site.statement, construction, ())
        return
    container = elements_of(caller, call, argument)
    if container is not argument or isinstance(container, ast.Subscript):  # an element of a list or dict of models
        yield from built_by(caller, site, ".".join(chain_of(container) or []), container, depth + 1)
        return
    if isinstance(argument, _DISPLAYS):  # `clone({"a": Net(group)})`
        yield from (Built(caller, site, site.statement, made, ()) for made in calls_in(caller, argument))
        return
    site = site.of_variable((dotted(argument) or "").removesuffix(".module"))
    if not site.variable:
        return
    binding = binding_of(caller, site, site.variable)
    if isinstance(binding, ModelBinding) and binding.call is not None:
        yield Built(caller, site, binding.statement, binding.call, ())
    elif binding is not None:  # `models = [Net(group), Net(group)]`
        yield from built_by(caller, site, site.variable, argument, depth + 1)
    else:
        yield from built_elsewhere(caller, site, site.variable, depth + 1)


def passed_arguments(view: FileView, function: Function, key: str) -> Iterator[tuple[FileView, ast.Call, ast.expr]]:
    """The arguments that callers give to the parameter `key` of `function`, which does not rebind it."""
    owner = _owner(view, function)
    position = _position(function, key, owner is not None)
    rebound = any(spelled(node, key) and isinstance(node.ctx, ast.Store) for node in walk_scope(function.body))  # type: ignore[attr-defined]
    if position is None or rebound:
        return
    index, name = position
    for caller, call in _calls(view, function, owner):
        argument = next((word.value for word in call.keywords if word.arg == name), None)
        if argument is None and 0 <= index < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args):
            argument = call.args[index]
        if argument is not None:
            yield caller, call, argument


def _owner(view: FileView, function: ast.AST) -> ast.ClassDef | None:
    parent = view.parents.get(function)
    return parent if isinstance(parent, ast.ClassDef) else None


def calls_in(view: FileView, value: ast.expr) -> Iterator[ast.Call]:
    """The construction that `value` is; of a container the constructions of models in it."""
    call, _ = peel(value)
    if isinstance(call, ast.Call):
        yield call
    elif isinstance(value, _DISPLAYS):
        yield from (node for node in walk(value) if isinstance(node, ast.Call) and is_model(view, node))


def _in_methods(view: FileView, owner: ast.ClassDef, site: Site, key: str, depth: int) -> Iterator[Built]:
    for method in owner.body:
        if not isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for node in walk_scope(method.body):
            if not (isinstance(node, ast.Assign) and any(spelled(target, key) for target in node.targets)):
                continue
            call, _ = peel(node.value)
            if isinstance(call, ast.Name):  # self.model = model
                yield from _by_callers(view, method, call.id, depth + 1)
            elif method is not site.scope and not any(spelled(inner, key) for inner in walk(node.value)):
                for built in calls_in(view, node.value):
                    yield Built(view, Site.of(view, built), node, built, ())


def _position(scope: Function, key: str, method: bool) -> tuple[int, str] | None:
    """Where `key` stands among the arguments of a call of this function."""
    ordered = positional(scope)
    static = any(dotted(mark) == "staticmethod" for mark in scope.decorator_list)
    if key in ordered:
        return ordered.index(key) - (1 if method and not static else 0), key
    return (10**6, key) if any(arg.arg == key for arg in scope.args.kwonlyargs) else None


def _calls(view: FileView, function: Function, owner: ast.ClassDef | None) -> Iterator[tuple[FileView, ast.Call]]:
    """Calls of a function, of the class for its `__init__`, or `self.method(...)` in the class for other methods."""
    if owner is not None and function.name != "__init__":
        for node in walk(owner):
            if isinstance(node, ast.Call) and dotted(node.func) == f"self.{function.name}":
                yield view, node
        return
    target: ast.AST = owner or function
    name = (owner or function).name
    count = 0
    for path in view.models.project.with_words((name,)):
        caller: FileView | None = view if path == view.path else None
        outline = view.models.outline(path)
        if outline is None:
            continue
        aliases = {name, *(alias for alias, (_, item) in outline.import_of.items() if item.name == name)}
        if aliases.isdisjoint(outline.calls):
            continue
        for node in outline.calls[name] if aliases == {name} else outline.nodes:
            if not isinstance(node, ast.Call) or (called := dotted(node.func)) is None:
                continue
            if called.rpartition(".")[2] not in aliases:
                continue
            found = view.models.resolve(path, called)
            if isinstance(found, FinalValue) and found.node is target:
                caller = caller or FileView(view.models, outline)
                count += 1
                yield caller, node
                if count >= _CALLERS:
                    return


def elements_of(view: FileView, inside: ast.AST, value: ast.expr) -> ast.expr:
    """For a variable of a loop or comprehension around `inside`: what holds its values; else `value`."""
    if not isinstance(value, ast.Name):
        return value
    for node in view.ancestors(inside):
        loops: list[ast.For | ast.comprehension] = [node] if isinstance(node, ast.For) else []
        if isinstance(node, COMPREHENSIONS):
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


def chain_of(value: ast.expr) -> list[str] | None:
    """`["self", "nets", "head"]` of `self.nets[0].head`; None for what is no such chain."""
    if isinstance(value, ast.Name):
        return [value.id]
    if isinstance(value, (ast.Attribute, ast.Subscript)) and (before := chain_of(value.value)) is not None:
        return [*before, value.attr] if isinstance(value, ast.Attribute) else before
    return None


def built_by(view: FileView, site: Site, key: str, value: ast.expr, depth: int = 0) -> Iterator[Built]:
    """What builds the object, or the elements of the container, that the variable `key` holds at `site`."""
    bindings = view.bindings(site.scope, key, site.statement)
    if not bindings:
        yield from built_elsewhere(view, site, key, depth)
        return
    statement = bindings[-1]
    assigned = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    if assigned is not None:
        for call in calls_in(view, _entry(assigned, key, value)):
            yield Built(view, site, statement, call, ())
    for call in _appended(view, site, key):
        for made in calls_in(view, call.args[0]):
            yield Built(view, site, Site.of(view, call).statement, made, ())


def _entry(assigned: ast.expr, key: str, value: ast.expr) -> ast.expr:
    """The entry of a literal dict that `nets["head"]` takes, `assigned` where that can't be told."""
    for node in walk(value):
        if isinstance(node, ast.Subscript) and spelled(node.value, key) and isinstance(node.slice, ast.Constant):
            for name, entry in (
                zip(assigned.keys, assigned.values, strict=True) if isinstance(assigned, ast.Dict) else ()
            ):
                if isinstance(name, ast.Constant) and name.value == node.slice.value:
                    return entry
    return assigned


def _appended(view: FileView, site: Site, key: str) -> Iterator[ast.Call]:
    """`models.append(...)` of the function, for the list `models`."""
    for node in walk_scope(site.scope.body):
        if isinstance(node, ast.Call) and dotted(node.func) == f"{key}.append" and len(node.args) == 1:
            yield node
