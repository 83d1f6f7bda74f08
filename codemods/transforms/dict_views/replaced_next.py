"""A view that the next statement replaces: `names = d.keys()`, then `names = sorted(names)`, in each branch if any."""

from __future__ import annotations

import ast

from ...syntax.assigned import block_with
from ...syntax.outline import Outline

_COPIES = frozenset({"dict", "frozenset", "len", "list", "max", "min", "set", "sorted", "sum", "tuple"})
_DISPLAYS = (ast.ListComp, ast.SetComp, ast.DictComp)


def is_replaced(outline: Outline, view: ast.expr) -> bool:
    """Nothing but the next statement gets the view, which takes what is in it."""
    statement = outline.parents[view]
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    block = block_with(outline.parents[statement], statement) or []
    below = block[block.index(statement) + 1 :][:1] if statement in block else []
    return bool(below) and _replaces(outline, below[0], ast.unparse(statement.targets[0]))


def _replaces(outline: Outline, statement: ast.stmt, target: str) -> bool:
    if isinstance(statement, ast.If):
        blocks = (statement.body, statement.orelse)
        return not _names(statement.test, target) and all(
            bool(block) and _replaces(outline, block[0], target) for block in blocks
        )
    if not isinstance(statement, ast.Assign) or [ast.unparse(each) for each in statement.targets] != [target]:
        return False
    value = statement.value
    if isinstance(value, _DISPLAYS):
        return ast.unparse(value.generators[0].iter) == target and not any(
            _names(part, target) for part in (*_elements(value), *value.generators[1:], *value.generators[0].ifs)
        )
    called = value.func if isinstance(value, ast.Call) else None
    return (
        isinstance(value, ast.Call)
        and isinstance(called, ast.Name)
        and called.id in _COPIES
        and outline.lookup(called, called.id)[1] == []
        and not any(_names(keyword, target) for keyword in value.keywords)
        and all(ast.unparse(argument) == target or not _names(argument, target) for argument in value.args)
    )


def _elements(value: ast.ListComp | ast.SetComp | ast.DictComp) -> list[ast.expr]:
    return [value.key, value.value] if isinstance(value, ast.DictComp) else [value.elt]


def _names(node: ast.AST, target: str) -> bool:
    """The target is named somewhere in it."""
    return any(isinstance(part, (ast.Name, ast.Attribute)) and ast.unparse(part) == target for part in ast.walk(node))
