"""Errors that what a worker runs raises, and that what calls it handles: `try: size = get()`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from ....syntax.callees import FUNCTIONS
from ....syntax.names import last_name
from ....syntax.outline import Outline
from .worker_functions import Worker


def without_handlers(worker: Worker, error: ast.Raise) -> Worker | None:
    """The worker, as far as the error that its function raises there ends it; None where all callers handle it."""
    raised = error.exc.func if isinstance(error.exc, ast.Call) else error.exc
    return ended_by(worker, error, last_name(raised) if raised is not None else "")


def ended_by(worker: Worker, node: ast.AST, name: str) -> Worker | None:
    """The worker, as far as the error called `name` ends it that `node` in its function leads to."""
    if _is_handled(worker.outline, node, name):
        return None
    calls = {at: way for at, way in worker.calls.items() if not _by_callers(worker, at, name)}
    return worker if calls == worker.calls else worker.by(calls) if calls else None


def _by_callers(worker: Worker, at: tuple[str, int], name: str) -> bool:
    """One of the calls that lead to it, from what is sent at `at`, stands where the error is handled."""
    seen = set[ast.AST]()
    while at in worker.callers and worker.function not in seen:
        seen.add(worker.function)
        worker, line = worker.callers[at]
        values = [node for node in worker.nodes if isinstance(node, ast.expr)]
        calls = [node for node in values if isinstance(node, ast.Call) and node.lineno == line]
        # a line without calls: what Python calls by itself, somewhere in the function
        if any(_is_handled(worker.outline, node, name) for node in calls or values):
            return True
    return False


def _is_handled(outline: Outline, node: ast.AST, name: str) -> bool:
    inner = node
    for above in outline.ancestors(node):
        if isinstance(above, (*FUNCTIONS, ast.Lambda)):
            return False
        if isinstance(above, ast.Try) and inner in above.body:
            # the first handler that fits gets it; one that ends with `raise` passes it on
            fits = next((each for each in above.handlers if _may_catch(each.type, name)), None)
            last = fits.body[-1] if fits is not None else None
            if last is not None and not (isinstance(last, ast.Raise) and last.exc is None):
                return True
        if isinstance(above, (ast.With, ast.AsyncWith)) and any(_suppresses(each.context_expr) for each in above.items):
            return True
        inner = above
    return False


def _suppresses(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and last_name(value.func) == "suppress"


def _may_catch(kinds: ast.expr | None, name: str) -> bool:
    """`except kinds` may get an error of that name: a class of its own may be below any."""
    return kinds is None or any(_may_be(name, each) for each in _names(kinds))


def _names(kinds: ast.expr) -> Iterator[str]:
    for each in kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]:
        yield last_name(each)


def _may_be(name: str, kind: str) -> bool:
    raised, caught = getattr(builtins, name, None), getattr(builtins, kind, None)
    if not isinstance(caught, type):
        return True
    if isinstance(raised, type):
        return issubclass(raised, caught)
    return issubclass(caught, Exception)  # none of KeyboardInterrupt, SystemExit
