"""Objects that a module makes when it is imported for all processes to share: a spawned worker makes its own.

A `Queue`, a `Lock`, a `Value`, a pipe, a file whose position goes on: forked workers have those of their parent.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....nodes import walk
from ....syntax.callees import FUNCTIONS
from ....syntax.main_guard import is_main_process_block
from ....syntax.receivers import qualified_name
from ..data import names
from .changed_settings import Place, Search, nearest
from .import_values import ImportValue, at_first, values_read
from .process_state import ChangedState, inherits
from .worker_functions import Worker, begins_workers

_OPENS = ("open", "io.open", "os.open", "gzip.open", "bz2.open", "lzma.open", "tarfile.open", "zipfile.ZipFile")
_ADVICE = "pass it to the worker: as an argument of the process, or by the `initializer` of a pool"
_NEW_MEMORY = "multiprocessing.shared_memory.SharedMemory"
_MAPS, _NO_FILE = "mmap.mmap", "-1"


def shared_at_import(search: Search) -> Iterator[ChangedState]:
    """One per object, at the first place where a worker uses it."""
    readers: dict[ImportValue, list[tuple[Place, Worker]]] = {}
    for worker in search.workers.values():
        sent = inherits(search, worker)
        for value, node in values_read(search, worker) if sent is not None else ():
            assert sent is not None
            readers.setdefault(value, []).append((Place(worker.outline, node, ""), sent))
    for value, places in readers.items():
        call = _shared(search, value)
        if call is not None and not _is_set_in_workers(search, value):
            places.sort(key=nearest)
            changed = at_first(value, Place(value.outline, call, ""), places)
            depends = (
                f"what line {call.lineno} of {value.outline.path} makes at import for all processes: a spawned worker "
                "imports that again, and makes one of its own"
            )
            yield ChangedState(depends, _ADVICE, changed)


def _shared(search: Search, value: ImportValue) -> ast.Call | None:
    """The call that makes such an object."""
    for node in walk(value.value):
        if isinstance(node, (ast.Lambda, ast.IfExp)):
            return None
        if not isinstance(node, ast.Call):
            continue
        name = qualified_name(value.outline, node.func)
        if search.starts.name(value.outline, node.func) in names("shared_objects") or name in names("channels"):
            return node
        if name == _NEW_MEMORY and not node.args and not any(word.arg == "name" for word in node.keywords):
            return node
        if name == _MAPS and node.args and ast.unparse(node.args[0]) == _NO_FILE:
            return node
        if name in _OPENS and node is value.value and _goes_on(search, value):
            return node
    return None


def _goes_on(search: Search, value: ImportValue) -> bool:
    """The main process uses the file, under the main guard or in a function that no worker runs."""
    for use in value.outline.named.get(value.name, ()):
        above = value.outline.parents[use]
        scope = value.outline.scope(use)
        by_main = isinstance(scope, FUNCTIONS) and scope not in search.workers
        by_main = by_main or any(map(is_main_process_block, value.outline.ancestors(use)))
        used = isinstance(above, ast.Attribute) or not isinstance(above, (ast.Assign, ast.Delete))
        if by_main and used and isinstance(use.ctx, ast.Load) and search.by_main(value.outline, use):
            return True
    return False


def _is_set_in_workers(search: Search, value: ImportValue) -> bool:
    """`global QUEUE` in what a worker runs, such as the initializer of a pool: it has what that gets."""
    for node in value.outline.made_global.get(value.name, ()):
        scope = value.outline.scope(node)
        if scope in search.workers or begins_workers(value.outline, scope):
            return True
    return False
