"""The methods by which a module of torch keeps a function, and the attribute that stands for where it does."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
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
    puts there above the start of a process that gets the module, and removes hooks only below it: they are in
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
    leads = _leads(builder) if below else {}
    todo = [result for _, name, result in builder.loads if name == _PROCESS]
    todo += [node for node, _, _, name in facts.imports if name == _PROCESS]
    processes = _reached(leads, todo) if below else ()
    sent = [call for call in below if call.function in processes]
    owners = {result: base for base, _, result in builder.loads} if sent else {}
    for row in hooked if sent else ():
        line, function = row[3:]
        put = [(function, line, [row[0]])]
        if function >= 0:
            name = facts.functions[function].name
            for call in facts.calls:
                if call.text.rpartition(".")[2] == name:
                    given = [*call.arguments, *(value for _, value in call.keywords), owners.get(call.function, -1)]
                    put.append((*_place(call), given))
        if any(
            scope == start.scope and above < start.position[0] and start.function in _reached(leads, given)
            for scope, above, given in put
            for start in sent
        ):
            builder.stores.append(row)


def _plain_calls(facts: FileFacts, name: str) -> list[Call]:
    """Each call `x.name()`."""
    named = (call for call in facts.calls if call.text.rpartition(".")[2] == name)
    return [call for call in named if not (call.arguments or call.keywords or call.stars or call.double_stars)]


def _place(call: Call) -> tuple[int, int]:
    """Its function and line."""
    return call.scope, call.position[0]


def _leads(builder: FactsBuilder) -> dict[int, list[int]]:
    """Per node those that hold it, or what is made of it or with it: an element of a list, an object of a class."""
    facts, leads = builder.facts, dict[int, list[int]]()
    parts = [
        (part, whole)
        for whole, contents, fields in facts.containers
        for part in (contents, *(node for _, node in fields))
    ]
    puts = [(value, container) for container, value, *_ in builder.puts]
    lists = {result: base for base, name, result in builder.loads if name == "append"}
    puts += [
        (value, lists[call.function]) for call in facts.calls if call.function in lists for value in call.arguments
    ]
    elements = [(container, result) for container, result, _ in builder.elements]
    loads = [(base, result) for base, _, result in builder.loads]
    calls = [
        (given, call.result)
        for call in facts.calls
        for given in (call.function, *call.arguments, *(value for _, value in call.keywords))
    ]
    classes = zip(facts.class_nodes, facts.classes, strict=True)
    bases = [(base, node) for node, made in classes for base in made.bases]
    edges = [(source, target) for source, target, _ in builder.edges]
    for source, target in chain(parts, puts, elements, loads, calls, bases, edges):
        if source >= 0:
            leads.setdefault(source, []).append(target)
    return leads


def _reached(leads: Mapping[int, Sequence[int]], nodes: Sequence[int]) -> set[int]:
    todo = list(nodes)
    seen = set(todo)
    while todo:
        new = set(leads.get(todo.pop(), ())) - seen
        seen |= new
        todo += new
    return seen
