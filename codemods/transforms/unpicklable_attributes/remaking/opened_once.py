"""Several attributes that are parts of one file: `__setstate__` opens it once, as the class itself does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from ....nodes import walk
from ....syntax.outline import Outline
from ..classes import Shape


def opened_once(shape: Shape, lines: Mapping[str, str], used: str) -> dict[str, list[str]]:
    """New lines for attributes whose `lines` each open what the class opened once, under a name of a method.

    `hf = h5py.File(path)`, then `self.rows = hf["rows"]` and `self.labels = hf["labels"]`. `used`: a text with the
    names that mean something else there.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for attribute, line in lines.items():
        name, opens = _local(shape, attribute), _opening(line.partition(" = ")[2])
        if name is not None and opens is not None:
            groups.setdefault((name, opens), []).append(attribute)
    found: dict[str, list[str]] = {}
    names = [name for name, _ in groups]
    for (name, opens), attributes in groups.items():
        if len(attributes) > 1 and names.count(name) == 1 and not re.search(rf"\b{name}\b", used):
            for attribute in attributes:
                found[attribute] = [lines[attribute].replace(opens, name, 1)]
            found[attributes[0]].insert(0, f"{name} = {opens}")
    return found


def _opening(text: str) -> str | None:
    """`h5py.File(path)` of `h5py.File(path)["rows"]`: the first call of a chain, which has more than that."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    opens: ast.expr | None = None
    for part in _chain(node):
        opens = part if isinstance(part, ast.Call) else opens
    return ast.get_source_segment(text, opens) if opens is not None and opens is not node else None


def _chain(node: ast.expr) -> Iterable[ast.expr]:
    """`a.b(c)[d]`, `a.b(c)`, `a.b` and `a`."""
    while True:
        yield node
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return


def _local(shape: Shape, attribute: str) -> str | None:
    """The local name that the only value of the attribute is a part of, where that name is given one value."""
    stores = [
        (method, statement.value)
        for method in shape.methods.values()
        for statement in walk(method)
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Attribute) and target.attr == attribute and shape.outline.is_self(target.value)
    ]
    if len(stores) != 1:
        return None
    method, value = stores[0]
    *_, root = _chain(value)
    return root.id if isinstance(root, ast.Name) and _is_set_once(shape.outline, method, root.id) else None


def _is_set_once(outline: Outline, method: ast.AST, name: str) -> bool:
    stored = [
        node for node in walk(method) if isinstance(node, ast.Name) and node.id == name and type(node.ctx) is ast.Store
    ]
    statement = outline.parents[stored[0]] if len(stored) == 1 else None
    return isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
