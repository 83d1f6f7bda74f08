"""Objects in a set or dict that they reach themselves: a copy is asked for its hash before it has its attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ....finding import Refused
from ....syntax.binding_rules import positional
from ....syntax.names import last_name, root_of_place
from ..classes import Method, Shape

_PUTS = frozenset(("add", "setdefault"))
_HASHED = frozenset(("frozen", "unsafe_hash"))


def check_not_hashed_early(line: Iterable[Shape]) -> None:
    """Raises Refused where unpickling an object hashes it, as one of its own attributes, before it has any.

    `line`: the class and its base classes.
    """
    shapes = list(line)
    reader = next((found for shape in shapes if (found := shape.methods.get("__hash__")) is not None), None)
    if not (any(shape.once(_is_hashed_by_fields) for shape in shapes) if reader is None else _reads_itself(reader)):
        return
    for shape in shapes:
        for method in shape.methods.values():
            for node in _puts(shape, method):
                raise Refused(
                    f"line {node.lineno} puts the object in a set or dict that it holds itself, and a copy would be "
                    "asked for its hash there before it has the attributes that the hash is made of: give the class a "
                    "`__reduce__` that hands them to the constructor"
                )


def _is_hashed_by_fields(shape: Shape) -> bool:
    """A dataclass whose hash is made of its fields."""
    marks = (mark for mark in shape.node.decorator_list if isinstance(mark, ast.Call))
    words = [word for mark in marks if last_name(mark.func) == "dataclass" for word in mark.keywords]
    return any(word.arg in _HASHED and getattr(word.value, "value", None) for word in words)


def _reads_itself(method: Method) -> bool:
    """`__hash__` reads attributes, or calls a method that may."""
    this = {*positional(method)[:1]}
    return any(
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in this
        for node in ast.walk(method)
    )


def _puts(shape: Shape, method: Method) -> Iterator[ast.expr]:
    """`self.group = {self}`, `self.group.add(self)`, `parent.children[self] = 1` where `self.parent = parent`."""
    this = {*positional(method)[:1]}
    kept = this | {name for name in _names(method) if _is_kept(method, this, name)}
    for node in ast.walk(method):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PUTS:
            keys, place = node.args[:1], node.func.value
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            keys, place = [node.slice], node.value
        elif isinstance(node, (ast.Set, ast.Dict)):
            keys = [key for key in (node.elts if isinstance(node, ast.Set) else node.keys) if key is not None]
            statement = shape.outline.statement(node)
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            place = targets[0] if isinstance(statement, ast.Assign) and statement.value is node else node
        else:
            continue
        if any(isinstance(key, ast.Name) and key.id in this for key in keys) and _root(place) in kept:
            yield node


def _names(method: Method) -> set[str]:
    return {node.id for node in ast.walk(method) if isinstance(node, ast.Name)}


def _is_kept(method: Method, this: set[str], name: str) -> bool:
    """`self.name = name`, whatever the attribute."""
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        and any(isinstance(target, ast.Attribute) and _root(target) in this for target in node.targets)
        for node in ast.walk(method)
    )


def _root(node: ast.expr) -> str:
    root = root_of_place(node)
    return root.id if root is not None else ""
