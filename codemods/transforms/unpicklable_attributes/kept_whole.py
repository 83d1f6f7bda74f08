"""Whether what `copy.deepcopy` gets still holds all that was put in where it was written."""

from __future__ import annotations

import ast

from ...nodes import walk
from ...syntax.names import last_name
from ...syntax.outline import Outline

_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict)
_LOOKS = frozenset({"print", "len", "str", "repr", "isinstance", "type", "id"})
_READS = frozenset({"get", "items", "keys", "values", "index", "count", "copy"})
_ASKS = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.FormattedValue, ast.If, ast.For)
_MAX_DEPTH = 6  # variables and displays in each other


def is_kept_whole(outline: Outline, call: ast.Call, made: ast.AST) -> bool:
    """`call` gets what is written out around `made`, or variables for it that are bound once, and only read above."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return all(_is_as_written(outline, value, call, made) for value in given)


def _is_as_written(outline: Outline, value: ast.expr | None, call: ast.Call, made: ast.AST, depth: int = 0) -> bool:
    if value is made or isinstance(value, ast.Constant):
        return True
    if value is None or depth > _MAX_DEPTH:
        return False
    if isinstance(value, _DISPLAYS):
        parts = [*value.values, *filter(None, value.keys)] if isinstance(value, ast.Dict) else value.elts
        return all(_is_as_written(outline, part, call, made, depth + 1) for part in parts)
    if isinstance(value, ast.Name):
        bound = outline.only_value(value)
        changed = isinstance(bound, (*_DISPLAYS, ast.Name)) and any(
            not _is_read(outline, use) and outline.scope(use) is outline.scope(call) and use.lineno <= call.lineno
            for use in outline.named.get(value.id, ())
            if isinstance(use, ast.Name) and isinstance(use.ctx, ast.Load) and not _is_in(use, call)
        )
        return not changed and _is_as_written(outline, bound, call, made, depth + 1)
    if isinstance(value, ast.Call):  # an object beside it
        read = [node for node in walk(value) if isinstance(node, ast.Name)]
        bound_to = [outline.only_value(node) for node in read]
        return not _is_in(made, value) and not any(each is made or isinstance(each, _DISPLAYS) for each in bound_to)
    return False


def _is_in(node: ast.AST, whole: ast.AST) -> bool:
    return any(inner is node for inner in walk(whole))


def _is_read(outline: Outline, use: ast.Name) -> bool:
    """Where it is used, the object stays what it is, and nothing else gets it."""
    above = outline.parents[use]
    if isinstance(above, ast.Subscript):
        return isinstance(above.ctx, ast.Load)
    if isinstance(above, ast.Attribute):
        return above.attr in _READS and isinstance(outline.parents[above], ast.Call)
    if isinstance(above, ast.Call):
        return isinstance(above.func, ast.Name) and last_name(above.func) in _LOOKS
    return isinstance(above, _ASKS)
