"""What the code of a repository passes as one parameter of a method, as far as all of it can be seen."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....syntax.binding_rules import default_values, positional
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ..classes import Method, Shape
from ..family import Family

_ASKS = ("isinstance", "issubclass", "super")


def passed(family: Family, shape: Shape, method: Method, parameter: str) -> list[ast.expr]:
    """The arguments of all calls (else the default); nothing where one may not be seen, or where there is no call."""
    defaults, names = default_values(method), positional(method)
    at = names.index(parameter) - 1 if parameter in names else -1
    found: list[ast.expr] = []
    for call in _calls(family, shape, method):
        if call is None or any(isinstance(argument, ast.Starred) for argument in call.args):
            return []
        own = isinstance(call.func, ast.Attribute) and bool(call.args) and getattr(call.args[0], "id", "") == "self"
        given = [keyword.value for keyword in call.keywords if keyword.arg in (parameter, None)]
        given += call.args[at + own :][:1] if at >= 0 else []
        value = given[0] if given else defaults.get(parameter)
        if value is None:
            return []
        found.append(value)
    return found


def _calls(family: Family, shape: Shape, method: Method) -> Iterator[ast.Call | None]:
    """The calls of `method`; None for what may be a call that is not seen."""
    names = [method.name]
    if method.name == "__init__":
        below = family.derived(shape)
        names = [item.node.name for item in (shape, *below) if item is shape or "__init__" not in item.methods]
        yield from (None for item in (shape, *below) if item.node.decorator_list)
        for item in below:
            for node in ast.walk(item.methods["__init__"]) if "__init__" in item.methods else ():
                if isinstance(node, ast.Call) and last_name(node.func) == "__init__":
                    yield node
    for name in names:
        for outline in family.repo.mentioning(name):
            for node in outline.nodes:
                looked_up = isinstance(node, ast.Constant) and node.value == name
                if looked_up or (isinstance(node, ast.alias) and node.asname and node.name == name):
                    yield None
                elif getattr(node, "id", getattr(node, "attr", None)) == name and not _is_harmless(outline, node):
                    above = outline.parents[node]
                    front = getattr(getattr(node, "value", None), "id", None)
                    if method.name == "__init__" or (isinstance(node, ast.Attribute) and front not in outline.imported):
                        yield above if isinstance(above, ast.Call) and above.func is node else None


def _is_harmless(outline: Outline, node: ast.AST) -> bool:
    """The name is a base class, an annotation, a part of `isinstance` or the front of something else."""
    above = outline.parents[node]
    if isinstance(above, ast.Tuple):
        above = outline.parents[above]
    if isinstance(above, ast.Call) and node is not above.func:
        return last_name(above.func) in _ASKS
    if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return node is above.returns
    return isinstance(above, (ast.ClassDef, ast.arg, ast.Attribute)) or node is getattr(above, "annotation", None)
