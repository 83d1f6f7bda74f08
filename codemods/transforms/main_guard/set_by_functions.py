"""Calls of functions that set a state of the whole process, in whatever file: `name = common.prepare("run")`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

from ...syntax.callees import Callees
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from .data import names
from .own_nodes import own_nodes
from .state.process_state_table import states

_DEPTH = 3  # functions that are looked into


def set_by_functions(callees: Callees, outline: Outline, statement: ast.stmt, depth: int = 0) -> Iterator[ast.expr]:
    """What `statement` calls of the repository that sets such a state, which a worker may depend on.

    A log and what ranks share are not looked at here: others ask for them.
    """
    for call in (node for node in own_nodes([statement]) if isinstance(node, ast.Call)):
        called = callees.called(outline, call) if depth < _DEPTH else None
        if called is not None and any(
            _sets(called[0], inner) or any(True for _ in set_by_functions(callees, called[0], inner, depth + 1))
            for inner in called[1].body
        ):
            yield call.func


def _sets(outline: Outline, statement: ast.stmt) -> bool:
    """`torch.set_default_dtype(torch.float64)`, `decimal.DefaultContext.prec = 4`"""
    for node in own_nodes([statement]):
        place: ast.expr | None = None
        if isinstance(node, ast.Call):
            place = node.func
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            place = node if isinstance(node, ast.Attribute) else node.value
        name = qualified_name(outline, place) if place is not None else ""
        while name and name not in _setters():  # `decimal.DefaultContext.prec` is a part of what the table names
            name = name.rpartition(".")[0] if place is node else ""
        if name:
            return True
    return False


@cache
def _setters() -> frozenset[str]:
    """What workers have from the import of the script alone."""
    found = {name for state in states() if not state.seeded for name in state.sets} | names("settings")
    apart = tuple(f"{name}." for name in (*names("main_only"), "logging", "horovod", "byteps", "deepspeed"))
    return frozenset(name for name in found if not f"{name}.".startswith(apart))
