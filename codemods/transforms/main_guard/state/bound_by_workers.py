"""What workers set for themselves, and for whom: names that they bind anew first, and parts of an object that they set.

That speaks for the workers of the same call: `mp.spawn(rank, args=(dict(cfg),))`, where `rank` begins with
`cfg.update(given)`, says nothing of what a `DataLoader` elsewhere runs.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from ....finding import Hop
from ....nodes import walk
from ....syntax.callees import Callees, Function
from ....syntax.outline import Outline
from .object_parts import ITEM
from .worker_functions import Worker, begins_some, begins_workers

if TYPE_CHECKING:
    from .changed_settings import Place, Settings

_MAX_DEPTH = 3
_OWN_PROCESSES = ("spawn", "start_processes", "launch", "notebook_launcher", "elastic_launch", "process_map")
_BEGINNING = ("`initializer`", "`initargs`", "`worker_init_fn`")


def begin_with(setting: Worker) -> bool:
    """What pools or loaders, of any file, are given to begin their workers with leads to it."""
    return any(word in hop.what for _, hop in setting.calls.values() for word in _BEGINNING)


def without_what_is_set(setting: Worker, change: Place, read: Place, reader: Worker) -> Worker | None:
    """The reader, as far as `setting` does not set for it what it reads: in processes that the same call starts.

    None where nothing is left.
    """
    if change.key and read.key not in ("", ITEM, change.key):
        return reader
    sets = {_runs_in(hop) for _, hop in setting.calls.values()}
    if "" in sets:
        return None  # a queue brings it to processes that other calls start
    calls = {
        at: way for at, way in reader.calls.items() if at not in setting.calls and not _may_meet(_runs_in(way[1]), sets)
    }
    return reader if calls == reader.calls else reader.by(calls) if calls else None


def _may_meet(kind: str, others: Collection[str]) -> bool:
    """A process that runs what a call of this kind sends may be one that calls of the other kinds gave something, too.

    One pool runs all tasks, of any file. A process gets things when it is made, and what it is when it is started.
    """
    return not kind or (kind == "pool" and kind in others) or {kind, *others} >= {"made", "started"}


def _runs_in(hop: Hop) -> str:
    """Which process runs what is sent there, by the boundary in words: "`multiprocessing.spawn` pickles its `fn`...".

    "own": processes that the call starts and that run nothing but what it gives them; "made", "started": one such by
    two calls; "pool": one that gets tasks; "" for others: what goes through a queue, any process may run.
    """
    name = hop.what.partition("`")[2].partition("`")[0]
    *_, of, last = ("", *name.split("."))
    if last in _OWN_PROCESSES or last.lower().endswith("loader"):
        return "own"
    if last == "Process" or (of, last) == ("Process", "start"):
        return "made" if last == "Process" else "started"
    return "pool" if any(part.endswith(("Pool", "PoolExecutor")) for part in (of, last)) else ""


def bound_in(
    callees: Callees, settings: Settings, outlines: Iterable[Outline], run: Collection[ast.AST]
) -> dict[ast.AST, ast.AST]:
    """The functions that workers run (`run`) and that bind the name of the settings, each with the statement."""
    found: dict[ast.AST, ast.AST] = {}
    for outline in outlines:
        named = outline.named.get(settings.name, ()) if outline is settings.outline else ()
        stores = [node for node in named if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
        for store in stores:
            scope = outline.scope(store)
            if scope in run and settings.name in outline.declared(scope):
                found.setdefault(scope, outline.statement(store))
        for node in outline.attributes.get(settings.name, ()):
            scope = outline.scope(node)
            bound = (
                callees.resolver.bound_by(outline, node) if isinstance(node.ctx, ast.Store) and scope in run else None
            )
            if bound is not None and bound[:2] == (settings.outline, settings.name):
                found.setdefault(scope, outline.statement(node))
    return found


def bind_first(
    callees: Callees, name: str, bound: Mapping[ast.AST, ast.AST], workers: Iterable[Worker], reader: Worker
) -> bool:
    """All functions that are sent where what leads to the reader is begin with one of the statements in `bound`.

    Or one that each worker begins with: `initializer=`, `worker_init_fn=`.
    """
    near = [each for each in workers if each.depth == 0 and reader.sent.keys() & each.sent.keys()]
    sent = [each for each in near if reader.calls.keys() & each.calls.keys()]
    binds = [each for each in near if _binds_first(callees, each.outline, each.function, name, bound, 0)]
    return (bool(sent) and all(each in binds for each in sent)) or any(
        begins_workers(each.outline, each.function) and not begins_some(each.outline, each.function) for each in binds
    )


def _binds_first(
    callees: Callees, outline: Outline, function: Function, name: str, bound: Mapping[ast.AST, ast.AST], depth: int
) -> bool:
    """The function comes to its statement in `bound` before it calls another function or uses the name."""
    for statement in function.body:
        nodes = list(walk(statement))
        reads = [
            node
            for node in nodes
            if (isinstance(node, ast.Attribute) and node.attr == name)
            or (isinstance(node, ast.Name) and node.id == name)
        ]
        if bound.get(function) is statement:
            return all(isinstance(node.ctx, ast.Store) for node in reads)
        called = [callees.called(outline, node) for node in nodes if isinstance(node, ast.Call)]
        found = [each for each in called if each is not None]
        if found or reads:
            is_step = len(called) == 1 and isinstance(statement, ast.Expr) and not reads and depth < _MAX_DEPTH
            return is_step and _binds_first(callees, *found[0][:2], name, bound, depth + 1)
    return False
