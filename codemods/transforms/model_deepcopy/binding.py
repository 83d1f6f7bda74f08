"""The statement that builds the model which a variable holds at one place of the same function."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ...finding import Refused
from .file_view import FileView, spelled, targets
from .is_model import peel
from .model_copy import Site
from .models import dotted


@dataclass(frozen=True)
class ModelBinding:
    """`statement` assigns `value`, which builds the model; `refused`: why it may not be built by it again."""

    statement: ast.stmt
    value: ast.expr
    refused: Refused | None = None

    @property
    def call(self) -> ast.Call | None:
        """The call that builds the model, without method calls on the result."""
        call, _ = peel(self.value)
        return call if isinstance(call, ast.Call) else None


def binding_of(view: FileView, site: Site, key: str) -> ModelBinding | Refused | None:
    """What builds the model in `key` at `site`: refused where the function binds it in another way, None where not."""
    for statement in reversed(view.bindings(site.scope, key, site.statement)):
        value = getattr(statement, "value", None)
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or value is None:
            return Refused(f"`{key}` is bound at line {statement.lineno} in a way that shows no construction")
        if any(spelled(node, key) for node in ast.walk(value)):
            continue  # model = model.to(device), model = DDP(model): looked at later
        single = len(targets(statement)) == 1 and dotted(targets(statement)[0]) == key
        call, _ = peel(value)
        if not single or not isinstance(call, ast.Call):
            refused = Refused(f"line {statement.lineno} shows no plain constructor call for `{key}`")
            plain = single and isinstance(value, (ast.Constant, ast.Dict, ast.List))
            return ModelBinding(statement, value, refused) if plain else refused
        if not view.dominates(statement, site.statement):
            reason = (
                f"`{key}` is built at line {statement.lineno} under a condition, or in a block that the copy is "
                "not in: move its construction into one function and call that twice"
            )
            return ModelBinding(statement, value, Refused(reason))
        return ModelBinding(statement, value)
    return None


def plain_binding(view: FileView, site: Site, key: str) -> ModelBinding | None:
    """What builds the model in `key` at `site`, where the function shows it."""
    found = binding_of(view, site, key)
    return found if isinstance(found, ModelBinding) else None
