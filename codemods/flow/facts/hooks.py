"""The methods by which a module of torch keeps a function, and the attribute that stands for where it does."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...syntax.names import dotted
from .rows import Rows

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

    For good where nobody gets the handle; else see `sort_hooks`. `value` gives the node of an expression.
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


def sort_hooks(builder: FactsBuilder) -> None:
    """Enter the hooks whose handle is kept.

    Where the file removes none, another may: they are `hooked`. Else each is removed, but for those that a function
    puts there above the start of a process, and removes hooks only below it: they are in `stores`.
    """
    facts, hooked = builder.facts, builder.hooked
    removed = _plain_calls(facts, "remove")
    facts.removes = bool(removed)
    if not removed:
        facts.hooked = Rows.of(hooked)
        return
    started = _plain_calls(facts, "start") if hooked else ()
    sent = [at for at in started if all(scope == at[0] and line > at[1] for scope, line in removed)]
    for row in hooked if sent else ():
        line, function = row[3:]
        put = [(function, line)]
        if function >= 0:
            name = facts.functions[function].name
            put += [(call.scope, call.position[0]) for call in facts.calls if call.text.rpartition(".")[2] == name]
        if any(scope == at and above < below for scope, above in put for at, below in sent):
            builder.stores.append(row)


def _plain_calls(facts: FileFacts, name: str) -> list[tuple[int, int]]:
    """The function and the line of each call `x.name()`."""
    named = (call for call in facts.calls if call.text.rpartition(".")[2] == name)
    plain = (call for call in named if not (call.arguments or call.keywords or call.stars or call.double_stars))
    return [(call.scope, call.position[0]) for call in plain]
