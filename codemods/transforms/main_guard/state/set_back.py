"""Settings that a block of code changes, and sets back to what they were before it ends."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .leads_to import leads_to

if TYPE_CHECKING:
    from .changed_settings import Place, Search


def is_set_back(search: Search, change: Place) -> bool:
    """`old = cfg.SIZE; cfg.SIZE = size; ...; cfg.SIZE = old` in one block, which starts no worker in between."""
    outline, statement = change.outline, change.outline.statement(change.node)
    if not isinstance(statement, ast.Assign):
        return False
    above = outline.parents[statement]
    blocks: list[list[ast.stmt]] = [getattr(above, "body", []), getattr(above, "orelse", [])]
    block = next((each for each in blocks if statement in each), [])
    set_here = [(at, *_set(each)) for at, each in enumerate(block)]
    target, _ = _set(statement)
    kept = {name: at for at, name, value in set_here if target and value == target}
    back = [at for at, name, value in set_here if kept and name == target and kept.get(value, at) < at]
    if not back or not min(kept.values()) < block.index(statement) <= back[-1]:
        return False
    between = block[min(kept.values()) : back[-1]]
    return not (search.starts.in_block(outline, between) or leads_to(search.repo, outline, between, search.boundaries))


def _set(statement: ast.stmt) -> tuple[str, str]:
    """What a statement sets, and to what, in words; "" for none."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return "", ""
    return ast.unparse(statement.targets[0]), ast.unparse(statement.value)
