"""Classes that give an object which they have already: pickle makes a new one of it, or takes a wrong one."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...finding import Refused
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from ...syntax.resolver import method
from .classes import Method, Shape

_ADVICE = "give the class a `__reduce__` that asks the class for it"
_OWN_STATE = frozenset(("__reduce__", "__reduce_ex__", "__getnewargs__", "__getnewargs_ex__"))


def check_new_objects(repo: Repo, shapes: Iterable[Shape]) -> None:
    """Raises Refused where calling one of the classes may give an object that exists already."""
    for shape in shapes:
        if not shape.once(_makes_new_ones):
            new = shape.methods["__new__"]
            raise Refused(
                f"`__new__` of `{shape.node.name}` ({shape.outline.path}:{new.lineno}) may give an object that exists "
                f"already, and pickle calls it without the arguments: {_ADVICE}"
            )
        call = _call_of_metaclass(repo, shape) if shape.node.keywords and not shape.once(_has_own_state) else None
        if call is not None:
            where, function = call
            raise Refused(
                f"`__call__` of its metaclass ({where.path}:{function.lineno}) may give an object that exists already, "
                f"and pickle goes past it, so a worker would have two: {_ADVICE}"
            )


def _has_own_state(shape: Shape) -> bool:
    return bool(_OWN_STATE & shape.methods.keys())


def _makes_new_ones(shape: Shape) -> bool:
    """It has no `__new__` that may give an object which is there already, or says itself how it is pickled."""
    new = shape.methods.get("__new__")
    return new is None or _has_own_state(shape) or _always_new(new, "__new__")


def _call_of_metaclass(repo: Repo, shape: Shape) -> tuple[Outline, Method] | None:
    """The method that calls of the class run, where it may give something else than a new object."""
    for word in shape.node.keywords:
        for meta in repo.resolver.classes(shape.outline, word.value) if word.arg == "metaclass" else ():
            for at in repo.resolver.lineage(meta):
                call = method(at.node, "__call__")
                if call is not None:
                    return None if _always_new(call, "__call__") else (at.outline, call)
    return None


def _always_new(function: Method, name: str) -> bool:
    """Each `return` of the function gives what a base class has just made."""
    made = {
        target.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and _makes(node.value, name)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    stores = [node for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    once = {own for own in made if sum(node.id == own for node in stores) == 1}
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    return all(
        value is not None and (_makes(value, name) or (isinstance(value, ast.Name) and value.id in once))
        for value in returned
    )


def _makes(value: ast.expr, name: str) -> bool:
    """`super().__new__(cls)`, `object.__new__(cls)`."""
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == name
