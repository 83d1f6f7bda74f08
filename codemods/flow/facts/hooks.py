"""The methods by which a module of torch keeps a function, and the attribute that stands for where it does."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from ...syntax.names import dotted
from .rows import Rows

if TYPE_CHECKING:
    from .builder import FactsBuilder
    from .records import Call, FileFacts

HOOKS_KEPT = "_forward_hooks"
PATCHED = "forward"  # the method that code replaces on a module itself
_PROCESS = "Process"  # of multiprocessing, of torch.multiprocessing, of a context
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
    puts there above the start of a process, which the file sees made, and removes hooks only below it: they are in
    `stores`.
    """
    facts, hooked = builder.facts, builder.hooked
    removed = [_place(call) for call in _plain_calls(facts, "remove")]
    facts.removes = bool(removed)
    if not removed:
        facts.hooked = Rows.of(hooked)
        return
    started = _plain_calls(facts, "start") if hooked else ()
    below = [call for call in started if all(at[0] == call.scope and at[1] > _place(call)[1] for at in removed)]
    sent = [_place(call) for call in _of_processes(builder, below)]
    for row in hooked if sent else ():
        line, function = row[3:]
        put = [(function, line)]
        if function >= 0:
            name = facts.functions[function].name
            put += [(call.scope, call.position[0]) for call in facts.calls if call.text.rpartition(".")[2] == name]
        if any(scope == at and above < below for scope, above in put for at, below in sent):
            builder.stores.append(row)


def _plain_calls(facts: FileFacts, name: str) -> list[Call]:
    """Each call `x.name()`."""
    named = (call for call in facts.calls if call.text.rpartition(".")[2] == name)
    return [call for call in named if not (call.arguments or call.keywords or call.stars or call.double_stars)]


def _place(call: Call) -> tuple[int, int]:
    """Its function and line."""
    return call.scope, call.position[0]


def _of_processes(builder: FactsBuilder, starts: Sequence[Call]) -> list[Call]:
    """The calls of `x.start()` where `x`, or what it is an element of, was made by a `Process` or a class of that."""
    if not starts:
        return []
    facts, leads = builder.facts, dict[int, list[int]]()
    parts = [
        (part, whole)
        for whole, contents, fields in facts.containers
        for part in (contents, *(node for _, node in fields))
    ]
    puts = [(value, container) for container, value, *_ in builder.puts]
    elements = [(container, result) for container, result, _ in builder.elements]
    loads = [(base, result) for base, name, result in builder.loads if name == "start"]
    lists = {result: base for base, name, result in builder.loads if name == "append"}
    puts += [
        (value, lists[call.function]) for call in facts.calls if call.function in lists for value in call.arguments
    ]
    calls = [(call.function, call.result) for call in facts.calls]
    classes = zip(facts.class_nodes, facts.classes, strict=True)
    bases = [(base, node) for node, made in classes for base in made.bases]
    edges = [(source, target) for source, target, _ in builder.edges]
    for source, target in chain(parts, puts, elements, loads, calls, bases, edges):
        leads.setdefault(source, []).append(target)
    todo = [result for _, name, result in builder.loads if name == _PROCESS]
    todo += [node for node, _, _, name in facts.imports if name == _PROCESS]
    seen = set(todo)
    while todo:
        new = set(leads.get(todo.pop(), ())) - seen
        seen |= new
        todo += new
    return [call for call in starts if call.function in seen]
