"""The rules, one per file. A module here registers by existing: it defines `RULE`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ..rule import Rule


@cache
def rules() -> dict[str, Rule]:
    """Every rule by id, in the order of the ids."""
    found: list[Rule] = [
        importlib.import_module(f"{__name__}.{module.name}").RULE for module in pkgutil.iter_modules(__path__)
    ]
    return {rule.id: rule for rule in sorted(found, key=lambda rule: rule.id)}
