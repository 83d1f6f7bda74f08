"""Trainers of libraries that make their own loaders: whether their settings ask for workers."""

from __future__ import annotations

import ast
import re

from ...syntax.callees import Callees
from ...syntax.outline import Outline

_MAX_VALUES = 8
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
            if node is trainer and callees.made_class(outline, call) is None:
                todo += [*call.args, *(keyword.value for keyword in call.keywords)]
    return False


def _calls_of(outline: Outline, node: ast.expr) -> list[ast.Call]:
    """The calls that give the values of `node`, a call or a name, wherever its scope binds that."""
    values = [node]
    if isinstance(node, ast.Name):
        bindings = outline.bindings(outline.lookup(node, node.id)[0], node.id)
        values = [binding.value for binding in bindings if binding.value is not None]
    return [value for value in values if isinstance(value, ast.Call)]
