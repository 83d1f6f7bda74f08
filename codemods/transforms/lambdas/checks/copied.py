"""Copies of what holds a function share it, and have a partial or an object of their own in its place.

`copy.deepcopy` and `copy.copy` give back a function itself. An object with `__deepcopy__` and `__copy__` does so too.
"""

from __future__ import annotations

import ast

from ....flow.answers.introspection import COPY
from ....syntax.binding_rules import FUNCTIONS, BindingKind, default_values
from ....syntax.scope_data import Scope, start_of
from ..candidate import Unit
from ..file_state import Move
from ..known import Known
from .identity import where_in_words

_MAKE_PLAIN = frozenset({"int", "float", "str", "bool", "len", "repr"})


def copied_by(known: Known, path: str, unit: Unit) -> list[str]:
    """The special methods by which the program copies the function."""
    at = start_of(unit.node)
    deep = ["__deepcopy__"] if known.deep_copied(path, *at) is not None else []
    plain = any(question.what == COPY for question in known.passed(path, *at))
    return [*(["__copy__"] if plain else []), *deep]


def differs_when_copied(known: Known, path: str, move: Move) -> str | None:
    """What would differ where a copy is made of the function, or of what holds it; in words."""
    unit = move.unit
    if isinstance(unit.node, ast.ClassDef) or move.shared_by:
        return None
    at = start_of(unit.node)
    where = known.deep_copied(path, *at)
    changeable = [name for name in move.arguments if not _is_immutable(unit, name)]
    if where is not None and (move.method or changeable):
        what = "self" if move.method else f"`{changeable[0]}`"
        return f"`copy.deepcopy` ({where}) gives the copy its own {what} here, where it shared that of the original"
    copies = [question for question in known.passed(path, *at) if question.what == COPY]
    told = known.identities(path, *at) if where is not None or copies else ()
    if not told or not (move.method or move.is_partial or move.is_object):
        return None
    call = f"`copy.deepcopy` ({where})" if where is not None else f"`{COPY}` ({where_in_words(copies[0], path)})"
    what = f"is {told[0].what} ({where_in_words(told[0], path)})"
    return f"{call} gives the copy a function of its own, where it shared that of the original, and it {what}"


def shared_copies(methods: list[str], step: str) -> str:
    """Methods of a class whose objects are shared by copies, as functions are."""
    takes = {"__copy__": "self", "__deepcopy__": "self, memo"}
    return "".join(
        f"\n\n{step}def {name}({takes[name]}):\n{step * 2}return self  # copies share it, as they share a function"
        for name in methods
    )


def _is_immutable(unit: Unit, name: str) -> bool:
    """A captured name that stands for a number or a string only, so that a copy of it is itself."""
    variable = next((word for word in unit.captures if word.name == name), None)
    function = variable.scope.node if variable is not None else None
    if variable is None or not isinstance(function, FUNCTIONS) or len(variable.bindings) != 1:
        return False
    (binding,) = variable.bindings
    value = default_values(function).get(name) if binding.kind is BindingKind.PARAMETER else None
    if isinstance(value, ast.Constant) and value.value is None:
        return False  # which says nothing of what callers give
    if isinstance(binding.statement, ast.Assign) and binding.statement.targets == [binding.node]:
        value = binding.statement.value
    return value is not None and _gives_plain(variable.scope, value)


def _gives_plain(scope: Scope, value: ast.expr) -> bool:
    """The expression gives a number, a string or None, whatever it is made of."""
    if isinstance(value, ast.IfExp):
        return _gives_plain(scope, value.body) and _gives_plain(scope, value.orelse)
    if isinstance(value, (ast.BinOp, ast.UnaryOp)):
        operands = [value.left, value.right] if isinstance(value, ast.BinOp) else [value.operand]
        return all(_gives_plain(scope, operand) for operand in operands)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _MAKE_PLAIN:
        at: Scope | None = scope
        while at is not None and value.func.id not in at.bindings:
            at = at.parent
        return at is None
    plain = (int, float, complex, str, bytes, type(None))
    return isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, plain))
