"""Hashes of texts that workers and the main process both compute: each spawned process has a seed of its own for them.

https://docs.python.org/3/using/cmdline.html#envvar-PYTHONHASHSEED
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....finding import Hop
from ....syntax.callees import Function
from ....syntax.outline import Outline
from .changed_settings import Changed, Search
from .process_state import ChangedState, inherits

_HASH = "hash"
_NUMBERS = (int, float, bool, complex)


def text_hashes(search: Search) -> Iterator[ChangedState]:
    """One per place in a worker, where the main process computes such a hash too."""
    for worker in search.workers.values():
        sent = inherits(search, worker) if worker.function.name != "__hash__" else None
        for node in worker.nodes if sent is not None else ():
            if sent is None or not isinstance(node, ast.Call) or not _hashes_text(worker.outline, node):
                continue
            other = next(_by_main(search, set(sent.sent), worker.function), None)
            if other is None:
                continue
            confidence, hop = next(iter(sent.sent.values()))
            change = Hop(other[0].path, other[1].lineno, "the main process computes such a hash here")
            changed = Changed(worker.outline, node, sent, confidence, hop, change)
            depends = (
                "a seed for the hashes of texts: a forked worker has that of the main process, a spawned one its own"
            )
            yield ChangedState(
                depends, "use `zlib.crc32(text.encode())` or `hashlib`, which give all the same", changed
            )
            break


def _hashes_text(outline: Outline, call: ast.Call) -> bool:
    """The builtin, of what is no number for sure."""
    if not isinstance(call.func, ast.Name) or call.func.id != _HASH or len(call.args) != 1:
        return False
    value = call.args[0]
    is_number = isinstance(value, ast.Constant) and isinstance(value.value, _NUMBERS)
    return not is_number and not outline.lookup(call.func, _HASH)[1]


def _by_main(search: Search, paths: set[str], function: Function) -> Iterator[tuple[Outline, ast.Call]]:
    """The hashes near the start of the worker in code that no worker runs, and its calls of `function`."""
    for near in sorted({user for path in paths for user in (path, *search.importers.users(path))}):
        outline = search.repo.outline(near)
        for call in outline.calls_of(_HASH) + outline.calls_of(function.name) if outline is not None else ():
            assert outline is not None
            scope = outline.scope(call)
            if scope in search.workers or getattr(scope, "name", "") == "__hash__":
                continue
            called = search.callees.called(outline, call)
            hashes = _hashes_text(outline, call) or (called is not None and called[1] is function)
            if hashes and search.by_main(outline, call):
                yield outline, call
