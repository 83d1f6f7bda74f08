"""Functions that are registered to run in forked children, or where these are terminated: a spawned one never does."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....finding import Confidence, Hop
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from .changed_settings import Place, Search, is_set_before
from .process_state import inherits

_STOP, _SIGNALS = "signal.SIGTERM", "signal.signal"
_DEFAULTS = ("signal.SIG_DFL", "signal.SIG_IGN")
_HOOKS = ("os.register_at_fork", "multiprocessing.util.register_after_fork")


def fork_hooks(search: Search) -> Iterator[tuple[Outline, ast.Call, Confidence, Hop]]:
    """The calls that register one, in what a script runs that starts workers, and one of these."""
    for name in _HOOKS:
        for outline in search.repo.mentioning(name.rpartition(".")[2]):
            last = name.rpartition(".")[2]
            calls = [call for call in outline.calls_of(last) if qualified_name(outline, call.func) == name]
            sent = next(_workers(search, outline), None) if calls else None
            if sent is not None:
                yield from ((outline, call, *sent) for call in calls)


def handlers_of_stops(search: Search) -> Iterator[tuple[Outline, ast.Call, Confidence, Hop]]:
    """`signal.signal(signal.SIGTERM, handler)` before processes are started that `process.terminate()` stops."""
    for outline in search.repo.mentioning("SIGTERM"):
        stops = [call for call in outline.calls.get("terminate", ()) if not call.args and not call.keywords]
        for call in outline.calls_of("signal") if stops else ():
            if qualified_name(outline, call.func) != _SIGNALS or len(call.args) != 2:
                continue
            signal, handler = (qualified_name(outline, each) for each in call.args)
            way = next(_workers(search, outline), None) if signal == _STOP and handler not in _DEFAULTS else None
            if way is not None and is_set_before(search, Place(outline, call, ""), way[1]):
                yield outline, call, *way


def _workers(search: Search, outline: Outline) -> Iterator[tuple[Confidence, Hop]]:
    for worker in search.workers.values():
        kept = inherits(search, worker)
        for path, way in kept.sent.items() if kept is not None else ():
            if path == outline.path or path in search.importers.reaching(outline.path):
                yield way
