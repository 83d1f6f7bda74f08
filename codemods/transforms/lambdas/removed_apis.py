"""Attributes that newer versions of widespread modules lack: reading one on import breaks the file there."""

from __future__ import annotations

import ast

from ...syntax.scope_data import Use
from ...syntax.scopes import Scopes
from .libraries import libraries


def removed_api(scopes: Scopes, use: Use) -> str | None:
    """`np.float` where `use` reads such an attribute of a module; None for all else."""
    parent = scopes.parents[use.node]
    owner = scopes.owner(use.scope, use.name)
    if not isinstance(parent, ast.Attribute) or owner is None:
        return None
    for binding in owner.bindings[use.name]:
        if isinstance(binding.statement, ast.Import):
            for alias in binding.statement.names:
                if (alias.asname or alias.name) == use.name and parent.attr in libraries().removed.get(alias.name, ()):
                    return f"{use.name}.{parent.attr}"
    return None
