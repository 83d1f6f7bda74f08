"""What a script is called: a forked worker runs it as `__main__`, a spawned one has imported it as `__mp_main__`.

`if __name__ == "__main__"` in a function that a worker runs, `type(self).__module__`, the text of a class. And
`id(obj)`, which is another number for the copy of an object that a worker gets.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....finding import Hop
from ....syntax.names import last_name, whose_class
from ....syntax.outline import Outline
from .calls_of_scripts import has_guard
from .changed_settings import Changed, Search
from .process_state import ChangedState, inherits
from .worker_functions import Worker

_NAME, _MODULE, _ID = "__name__", "__module__", "id"
_TEXTS = ("str", "repr", "print", "format")
_FOR_LOGS = "getLogger"
_SPAWNED = "a forked worker runs it as `__main__`, a spawned one has imported it as `__mp_main__`"
_STORES = (ast.Assign, ast.AnnAssign)


def script_names(search: Search) -> Iterator[ChangedState]:
    """One per worker function that depends on it."""
    for worker in search.workers.values():
        sent = inherits(search, worker) if has_guard(worker.outline) else None
        place = (
            next((node for node in worker.nodes if _asks(search, worker.outline, node)), None)
            if sent is not None
            else None
        )
        if sent is not None and isinstance(place, ast.expr):
            depends = f"what {worker.outline.path} is called"
            advice = "pass the worker what it needs to know, or move the code into a module that the script imports"
            yield _state(sent, place, f"{depends}: {_SPAWNED}", advice)


def _state(worker: Worker, place: ast.expr, depends: str, advice: str) -> ChangedState:
    confidence, sent = next(iter(worker.sent.values()))
    hop = Hop(worker.outline.path, place.lineno, "a worker asks for it here")
    return ChangedState(depends, advice, Changed(worker.outline, place, worker, confidence, sent, hop))


def _asks(search: Search, outline: Outline, node: ast.AST) -> bool:
    if isinstance(node, ast.Name) and node.id == _NAME and isinstance(node.ctx, ast.Load):
        above = outline.parents[node]
        return not (isinstance(above, ast.Call) and last_name(above.func) == _FOR_LOGS)
    if isinstance(node, ast.Attribute) and node.attr == _MODULE:
        return _is_own_class(search, outline, node.value) or outline.is_self(node.value)
    if isinstance(node, ast.FormattedValue):
        return _is_own_class(search, outline, node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _TEXTS:
        return any(_is_own_class(search, outline, each) for each in node.args)
    return False


def _is_own_class(search: Search, outline: Outline, value: ast.expr) -> bool:
    """`type(self)`, or of another object whose class the script defines."""
    of = whose_class(value)
    if of is None:
        return False
    return outline.is_self(of) or any(cls.outline is outline for cls in search.callees.classes_of(outline, of))


def identities(search: Search) -> Iterator[ChangedState]:
    """One per worker that compares or looks up the `id` of an object with one that the main process has noted."""
    for worker in search.workers.values():
        outline = worker.outline
        sent = inherits(search, worker)
        for node in worker.nodes if sent is not None else ():
            if (
                sent is not None
                and _is_id(outline, node)
                and isinstance(node, ast.Call)
                and _is_looked_up(outline, node)
            ):
                noted = next(_noted(search, outline), None)
                if noted is not None:
                    depends = (
                        f"the `id` of an object, which line {noted.lineno} of {outline.path} notes in the main "
                        "process: a spawned worker gets a copy, with another one"
                    )
                    yield _state(sent, node, depends, "give the objects numbers or names of their own, and note these")
                    break


def _is_id(outline: Outline, node: ast.AST) -> bool:
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == _ID
    return is_call and not outline.lookup(node, _ID)[1]


def _is_looked_up(outline: Outline, call: ast.Call) -> bool:
    """`id(x) == self.own`, `id(x) in seen`, `table[id(x)]`, `table.get(id(x))`."""
    above = outline.parents[call]
    if isinstance(above, ast.Subscript):
        return isinstance(above.ctx, ast.Load)
    return isinstance(above, ast.Compare) or (isinstance(above, ast.Call) and last_name(above.func) in ("get", "pop"))


def _noted(search: Search, outline: Outline) -> Iterator[ast.Call]:
    """Where code that no worker runs keeps such a number: `self.own = id(self)`, `table[id(x)] = 3`."""
    for call in outline.calls_of(_ID):
        statement = outline.statement(call)
        above = outline.parents[call]
        keeps = isinstance(statement, _STORES) or (
            isinstance(above, ast.Call) and last_name(above.func) in ("add", "append", "setdefault")
        )
        if keeps and outline.scope(call) not in search.workers:
            yield call
