"""Objects of a module that workers change by their names there, and that they are sent as well: these are two then.

`Process(target=work, args=(STATE,))` and `STATE["n"] += 1` in the worker: a forked worker has one object, by two names.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from ....finding import Hop
from ....nodes import walk
from ....syntax.binding_rules import parameters
from ....syntax.callees import FUNCTIONS
from ....syntax.outline import Outline
from ..set_before import declares
from .changed_settings import Changed, Place, Search, Settings
from .process_state import ChangedState, inherits, place_of
from .worker_functions import Worker

_PASSED_ON = ("args", "initargs", "kwargs")


def aliases(search: Search) -> Iterator[ChangedState]:
    """One per object, at the first place where a worker changes it."""
    changed: dict[Settings, tuple[Place, Worker]] = {}
    for worker in search.workers.values():
        sent = inherits(search, worker)
        for node in worker.nodes if sent is not None else ():
            if sent is not None and isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
                settings = search.meant(worker.outline, node)
                if settings is not None and settings not in changed and search.parts.changed(worker.outline, node):
                    changed[settings] = Place(worker.outline, node, ""), sent
    for settings, (place, worker) in changed.items():
        if _is_shared(search, settings) or _is_set_by_worker(search, settings):
            continue
        passed = next(_passed(search, settings), None)
        if passed is not None and isinstance(place.node, ast.expr):
            confidence, hop = next(iter(worker.sent.values()))
            change = Hop(passed.outline.path, getattr(passed.node, "lineno", 1), "it is passed along here")
            found = Changed(settings.outline, place.node, worker, confidence, hop, change)
            depends = f"an object that {place_of(passed)} passes along too: a spawned worker gets a copy of it"
            advice = "use one of the two in the worker: what it is sent, or the object of the module"
            yield ChangedState(depends, advice, found)


def _is_shared(search: Search, settings: Settings) -> bool:
    """An object of multiprocessing: what is sent is the same one."""
    made = settings.outline.bindings(settings.outline.module, settings.name)[0].value
    func = made.func if isinstance(made, ast.Call) else None
    return func is not None and search.starts.name(settings.outline, func).startswith("multiprocessing.")


def _is_set_by_worker(search: Search, settings: Settings) -> bool:
    """`global STATE; STATE = given`, `STATE.update(given)`: in the worker too, the module has what it was sent."""
    return any(
        worker.outline is settings.outline
        and worker.depth == 0
        and (
            (
                declares(worker.outline, worker.function, settings.name)
                and worker.outline.bindings(worker.function, settings.name)
            )
            or _is_filled(worker, settings.name)
        )
        for worker in search.workers.values()
    )


def _is_filled(worker: Worker, name: str) -> bool:
    """`STATE.update(given)`, of a parameter that the function reads nowhere else."""
    taken, outline = parameters(worker.function), worker.outline
    read = Counter(each.id for each in worker.nodes if isinstance(each, ast.Name))
    for use in outline.named.get(name, ()) if "update" in outline.calls else ():
        above = outline.parents[use]
        call = outline.parents[above] if isinstance(above, ast.Attribute) and above.attr == "update" else None
        if use in worker.nodes and isinstance(call, ast.Call):
            given = [each.id for each in call.args if isinstance(each, ast.Name)]
            if any(each in taken and read[each] == 1 for each in given):
                return True
    return False


def _passed(search: Search, settings: Settings) -> Iterator[Place]:
    """Where the whole object becomes part of what is sent."""
    for outline in search.repo.mentioning(settings.name):
        for name in outline.named.get(settings.name, ()):
            if outline.scope(name) in search.workers or search.meant(outline, name) != settings:
                continue
            above = outline.parents[name]
            holder = outline.parents[above] if isinstance(above, (ast.Tuple, ast.List)) else above
            if isinstance(holder, ast.keyword):
                is_sent = holder.arg in _PASSED_ON and above is not holder
                holder = outline.parents[holder]
            else:
                is_sent = False
            if (
                isinstance(holder, ast.Call)
                and holder.func is not name
                and (is_sent or _keeps(search, outline, holder))
            ):
                yield Place(outline, name, "")


def _keeps(search: Search, outline: Outline, call: ast.AST) -> bool:
    """It makes an object, or a function, of which a worker runs something."""
    if not isinstance(call, ast.Call):
        return False
    made = search.callees.made_class(outline, call)
    called = search.callees.called(outline, call) if made is None else None
    holder = made[1] if made is not None else called[1] if called is not None else None
    parts = (part for part in walk(holder) if part is not holder) if holder is not None else ()
    run = search.workers.keys() | search.lambdas.keys()
    return any(part in run for part in parts if isinstance(part, (*FUNCTIONS, ast.Lambda)))
