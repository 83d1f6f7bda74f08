"""Whether an expression builds a model, as far as the repository shows its class or function."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...nodes import walk
from ...syntax.resolver import FinalValue
from .file_view import FileView, Scope, spelled, walk_scope
from .library import endings, names, whole
from .models import dotted, is_torch_layer
from .uses import MODEL_METHODS

USED_AS_MODEL = names("used_as_model")
_HOLDS_LAYERS = endings("layer_containers")
_FACTORIES = whole("model_factories")
_DEPTH = 4  # functions and tables of constructors followed at most


def is_model(view: FileView, value: ast.expr, depth: int = 0) -> bool | None:
    """Whether `value` builds a `torch.nn.Module`; None when that can't be seen."""
    call, _ = peel(value)
    if not isinstance(call, ast.Call):
        return False if isinstance(call, (ast.Constant, ast.Dict, ast.List, ast.Tuple, ast.ListComp)) else None
    name = dotted(call.func.value if isinstance(call.func, ast.Subscript) else call.func)
    if name is None:
        return None
    if (method := own_method(view, call)) is not None:
        return any(is_model(view, value, depth + 1) for value in _returned(method)) or None
    answer = view.models.is_model_class(view.path, name)
    if answer is not None:
        return answer
    if _FACTORIES.search(view.qualified(name)):
        return True
    found = view.models.resolve(view.path, name)
    if not isinstance(found, FinalValue) or depth >= _DEPTH:
        return None
    there = view if found.path == view.path else FileView(view.models, found.outline)
    built: list[ast.expr] = []
    if isinstance(found.node, ast.Dict):  # a table of constructors
        built = [ast.Call(func=entry, args=[], keywords=[]) for entry in found.node.values]
    elif isinstance(found.node, ast.FunctionDef):
        if found.node.returns is not None and re.search(r"\bModule\b", ast.unparse(found.node.returns)):
            return True
        built = list(_returned(found.node))
    return True if any(is_model(there, value, depth + 1) for value in built) else None


def own_method(view: FileView, call: ast.Call) -> ast.FunctionDef | None:
    """The method that `self.build(...)` calls, where it does no more than build and return something new."""
    name = dotted(call.func) or ""
    owner = next((node for node in view.ancestors(call) if isinstance(node, ast.ClassDef)), None)
    if owner is None or not name.startswith("self.") or name.count(".") != 1:
        return None
    wanted = name.partition(".")[2]
    found = [node for node in owner.body if isinstance(node, ast.FunctionDef) and node.name == wanted]
    if len(found) != 1 or any(dotted(mark) != "staticmethod" for mark in found[0].decorator_list):
        return None
    if not all(_only_builds(node) for node in walk_scope(found[0].body)):
        return None
    return None if _overridden(view, owner.name, wanted) else found[0]


def _only_builds(node: ast.AST) -> bool:
    """Whether `node`, inside a method, neither changes nor returns the object, nor calls another of its methods."""
    if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)):
        return not ast.unparse(node).startswith("self")
    if isinstance(node, ast.Call):
        return not re.fullmatch(r"self\.\w+", dotted(node.func) or "")
    if isinstance(node, ast.Return):
        return node.value is not None and not (dotted(node.value) or "").startswith("self")
    return not isinstance(node, (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal))


def _overridden(view: FileView, owner: str, method: str) -> bool:
    project = view.models.project
    for source in project.matching(re.compile(rf"\bclass\s+\w+\s*\([^)]*\b{owner}\b"), word=owner):
        for node in walk(project.module(source.path) or ast.Module([], [])):
            if (
                isinstance(node, ast.ClassDef)
                and any((dotted(base) or "").rpartition(".")[2] == owner for base in node.bases)
                and any(isinstance(item, ast.FunctionDef) and item.name == method for item in node.body)
            ):
                return True
    return False


def only_torch(view: FileView, value: ast.expr) -> bool:
    """Whether nothing but layers of torch itself is built: without a group among the arguments they hold none."""
    calls = [node for node in walk(value) if isinstance(node, ast.Call)]
    if not all((name := dotted(call.func)) and is_torch_layer(view.qualified(name)) for call in calls):
        return False
    inside = (inner for call in calls if _HOLDS_LAYERS.search(dotted(call.func) or "") for inner in call.args)
    return all(isinstance(inner, (ast.Call, ast.Constant)) for inner in inside)


def used_as_model(scope: Scope, key: str) -> bool:
    """Whether the function calls a method of modules on `key`."""
    return any(
        isinstance(node, ast.Attribute) and node.attr in USED_AS_MODEL and dotted(node.value) == key
        for node in walk(scope)
    )


def peel(value: ast.expr) -> tuple[ast.expr, list[ast.Call]]:
    """The construction inside `Net(...).to(device).train()`, and the method calls on it, in order."""
    steps: list[ast.Call] = []
    while (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in MODEL_METHODS
        and isinstance(value.func.value, (ast.Call, ast.Name, ast.Attribute))
        and (isinstance(value.func.value, ast.Call) or dotted(value.func.value) is not None)
    ):
        steps.insert(0, value)
        value = value.func.value
    return value, steps


def _returned(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """What a function returns; a returned name stands for the values assigned to it."""
    nodes = list(walk_scope(function.body))
    for node in nodes:
        if not isinstance(node, ast.Return) or node.value is None:
            continue
        if not isinstance(node.value, ast.Name):
            yield node.value
            continue
        for other in nodes:
            if isinstance(other, ast.Assign) and any(spelled(target, node.value.id) for target in other.targets):
                yield other.value
