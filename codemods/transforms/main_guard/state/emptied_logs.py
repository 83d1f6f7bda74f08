"""Logs that an import opens by mode "w": each spawned worker empties the file to which the others write."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....finding import Hop
from ....syntax.main_guard import is_main_process_block
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ..statements import LOG_METHODS
from .calls_of_scripts import has_guard
from .changed_settings import Changed, Search
from .process_state import ChangedState, inherits, is_logger
from .worker_functions import Worker

_OPENS = {"basicConfig": "filemode", "FileHandler": "mode"}
_EMPTIES = "w"


def emptied_logs(search: Search) -> Iterator[ChangedState]:
    """One per log and worker function that writes to a log."""
    seen: set[ast.Call] = set()
    for worker in search.workers.values():
        sent = inherits(search, worker)
        place = next(filter(None, (_logs(worker.outline, node) for node in worker.nodes)), None) if sent else None
        for home, call in _opened(search, sent) if sent is not None and place is not None else ():
            if call not in seen and sent is not None and place is not None:
                seen.add(call)
                confidence, hop = next(iter(sent.sent.values()))
                change = Hop(home.path, call.lineno, "the log is opened here by each process that imports this")
                depends = (
                    f"a log that line {call.lineno} of {home.path} empties as it opens it: a spawned worker imports "
                    "that again, and what the others have written is gone"
                )
                advice = 'open it by mode "a", or in the main process alone, and set up the log of workers by itself'
                yield ChangedState(depends, advice, Changed(home, place, sent, confidence, hop, change))


def _logs(outline: Outline, node: ast.AST) -> ast.expr | None:
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LOG_METHODS
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_call:
        return node.func if is_logger(outline, node.func.value) else None
    return None


def _opened(search: Search, worker: Worker) -> Iterator[tuple[Outline, ast.Call]]:
    """The calls at the top of a script that starts the worker, or of what it imports there."""
    opening = {*search.starts.project.with_words(_OPENS)}
    scripts = {script for path in worker.sent for script in search.importers.reaching(path)} if opening else ()
    for script in sorted(scripts):
        near = [path for path in (script, *sorted(search.importers.imported(script))) if path in opening]
        outline = search.repo.outline(script) if near else None
        for home in filter(None, map(search.repo.outline, near if outline and has_guard(outline) else ())):
            for name, keyword in _OPENS.items():
                for call in home.calls_of(name):
                    modes = [word.value for word in call.keywords if word.arg == keyword]
                    modes += call.args[1:2] if keyword == "mode" else []
                    empties = any(isinstance(mode, ast.Constant) and mode.value == _EMPTIES for mode in modes)
                    guarded = any(map(is_main_process_block, home.ancestors(call)))
                    at_top = isinstance(home.scope(call), ast.Module) and not guarded
                    if empties and at_top and last_name(call.func) == name:
                        yield home, call
