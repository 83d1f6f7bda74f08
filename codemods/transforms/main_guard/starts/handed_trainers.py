"""Objects that get a trainer of a library and the data: `manager = Manager(trainer, data)`, and `manager()` trains."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ....finding import Confidence
from ....syntax.outline import Outline
from .loader_values import bound_value
from .loaders import likely, surest

_TRAINERS = frozenset({"lightning.pytorch.Trainer()"})
_Name = Callable[[Outline, ast.expr], str]
_Sure = Callable[[Outline, ast.expr], "Confidence | None"]


def trained_by(outline: Outline, func: ast.expr, name: _Name, sure: _Sure) -> Confidence | None:
    """How sure it is that `func` is an object that was made with a trainer and with a DataLoader that has workers.

    The loader may come with what holds it: `Manager(trainer, Data(train=loader))`. `name` says what an expression is
    called, and `sure` whether it is such a loader, or makes them.
    """
    made = bound_value(outline, func) if isinstance(func, ast.Name) else func
    passed = _arguments(made)
    if not any(name(outline, each) in _TRAINERS for each in passed):
        return None
    held = [inner for each in passed for inner in _arguments(bound_value(outline, each))]
    found = surest(sure(outline, each) for each in (*passed, *held))
    return found and likely(found)


def _arguments(made: ast.expr) -> list[ast.expr]:
    return [*made.args, *(keyword.value for keyword in made.keywords)] if isinstance(made, ast.Call) else []
