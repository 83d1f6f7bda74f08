"""Arrays that are a mapped file, and that workers write to: a forked worker writes to the file, a sent copy is memory.

pickle sends the values of a `numpy.memmap`, and what is loaded has no file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....finding import Confidence, Hop
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ....syntax.resolver import Class
from .changed_settings import Changed, Place, Search
from .object_parts import fills
from .process_state import ChangedState, inherits, place_of
from .worker_functions import Worker

_MAPS, _READ_ONLY = "numpy.memmap", ("r", "c")
_MODE_AT = 2  # of the arguments
_WRITES = ("fill", "sort", "put", "itemset", "partition")


def mapped_files(search: Search) -> Iterator[ChangedState]:
    """One per attribute, at the first place where a worker writes to it."""
    seen: set[ast.Call] = set()
    for worker in search.workers.values():
        sent = inherits(search, worker)
        for node in worker.nodes if sent is not None else ():
            if isinstance(node, ast.Attribute) and _is_written(worker.outline, node):
                for where, made in _mapped(search, worker.outline, node):
                    if made not in seen and sent is not None:
                        seen.add(made)
                        yield _found(sent, node, where, made)


def _found(worker: Worker, node: ast.Attribute, where: Outline, made: ast.Call) -> ChangedState:
    depends = (
        f"the file that {place_of(Place(where, made, ''))} maps: a spawned worker gets a copy, and writes to no file"
    )
    hop = Hop(where.path, made.lineno, f"`{ast.unparse(made)[:60]}` maps a file")
    confidence, sent = next(iter(worker.sent.values()))
    changed = Changed(where, node, worker, min(confidence, Confidence.LIKELY, key=lambda each: each.rank), sent, hop)
    return ChangedState(depends, "send its path, and map the file in the worker", changed)


def _is_written(outline: Outline, node: ast.Attribute) -> bool:
    """`self.rows[:] = value`, `self.rows += 1`, `self.rows.fill(0)`."""
    above = outline.parents[node]
    if isinstance(above, ast.AugAssign):
        return above.target is node
    return fills(outline, node) or (isinstance(above, ast.Attribute) and above.attr in _WRITES)


def _mapped(search: Search, outline: Outline, node: ast.Attribute) -> Iterator[tuple[Outline, ast.Call]]:
    """Where the class of the object opens it to be written."""
    owner = outline.owner(node) if outline.is_self(node.value) else None
    for at in search.callees.resolver.lineage(Class(outline, owner)) if owner is not None else ():
        for use in at.outline.attributes.get(node.attr, ()):
            above = at.outline.parents[use]
            made = above.value if isinstance(above, ast.Assign) and use in above.targets else None
            is_own = at.outline.is_self(use.value) and at.outline.owner(use) is at.node
            if isinstance(made, ast.Call) and is_own and qualified_name(at.outline, made.func) == _MAPS:
                modes = [word.value for word in made.keywords if word.arg == "mode"] + made.args[
                    _MODE_AT : _MODE_AT + 1
                ]
                if not any(isinstance(mode, ast.Constant) and mode.value in _READ_ONLY for mode in modes):
                    yield at.outline, made
