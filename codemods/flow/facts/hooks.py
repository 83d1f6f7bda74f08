"""The methods by which a module of torch keeps a function, and the attribute that stands for where it does."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...syntax.names import dotted

if TYPE_CHECKING:
    from .builder import FactsBuilder
    from .records import FileFacts

HOOKS_KEPT = "_forward_hooks"
PATCHED = "forward"  # the method that code replaces on a module itself
HOOKS = frozenset(
    f"register_{name}_hook" for name in ("forward", "forward_pre", "backward", "full_backward", "full_backward_pre")
)


def note_hook(builder: FactsBuilder, value: Callable[[ast.expr], int], call: ast.Call, hook: int) -> None:
    """`net.register_forward_hook(note)`: the module keeps what is in the node `hook`.

    For good where nobody gets the handle; else see `never_removed`. `value` gives the node of an expression.
    """
    if call is builder.entered:  # it is removed at the end of the block
        return
    assert isinstance(call.func, ast.Attribute)
    holder, path = call.func.value, HOOKS_KEPT
    kept_by = [(holder, path)] if dotted(holder) else []
    while isinstance(holder, (ast.Attribute, ast.Subscript)):  # what holds the module keeps it with its hooks
        path = f"{holder.attr}.{path}" if isinstance(holder, ast.Attribute) else path
        holder = holder.value
    if isinstance(holder, ast.Name) and holder is not call.func.value:
        kept_by.append((holder, path))
    rows = builder.stores if builder.dropped is call else builder.hooked
    for keeper, name in kept_by:
        if (base := value(keeper)) >= 0:
            rows.append((base, name, hook, call.lineno, builder.scope.function))


def never_removed(facts: FileFacts) -> bool:
    """No call of the file removes a hook before the last of its processes is started."""
    plain = [call for call in facts.calls if not (call.arguments or call.keywords or call.stars or call.double_stars)]
    removed = [call.position[0] for call in plain if call.text.rpartition(".")[2] == "remove"]
    started = [call.position[0] for call in plain if call.text.rpartition(".")[2] == "start"]
    return not removed or (bool(started) and min(removed) > max(started))
