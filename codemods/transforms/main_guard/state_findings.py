"""Findings for state that only the main process changes and that workers read: settings, globals, of libraries."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Confidence, Finding, Refused
from .changed_settings import Changed, Search
from .fork_hooks import fork_hooks
from .import_values import import_values
from .parent_state import parent_state
from .process_state import ChangedState, process_state
from .replaced import replaced
from .screen import ID


def state_findings(search: Search) -> Iterator[Finding]:
    """One per state and script, at the place where a worker reads it."""
    for changed in (*search.found(), *parent_state(search)):
        name, place = ast.unparse(changed.read), f"line {changed.change.line} of {changed.change.path}"
        message = (
            f"`{changed.worker.function.name}` runs in a worker and reads `{name}`, which {place} changes in the "
            f"main process only: a spawned worker has what {changed.home.path} says"
        )
        answer = Refused(
            f"pass the worker what it needs of `{name}` (as an argument, or stored on the object that is sent), or "
            "make the same change there: in the `initializer` of a pool, in the `worker_init_fn` of a loader"
        )
        yield _finding(search, changed, message, answer)
    for inherited in (*process_state(search), *replaced(search), *import_values(search)):
        yield _of_process(search, inherited)
    for outline, call, confidence, hop in fork_hooks(search):
        source = search.starts.project.source(outline.path)
        assert source is not None
        message = f"`{ast.unparse(call.func)}` registers what runs in forked children: a spawned worker never calls it"
        answer = Refused("call the function where the worker begins too: in what it runs, or in its initializer")
        confidence = min(confidence, Confidence.LIKELY, key=lambda each: each.rank)
        yield Finding.answered(ID, outline.path, source.span_of(call), message, confidence, (hop,), answer)


def _of_process(search: Search, inherited: ChangedState) -> Finding:
    changed = inherited.changed
    message = (
        f"`{changed.worker.function.name}` runs in a worker, and `{ast.unparse(changed.read)[:60]}` there depends on "
        f"{inherited.depends}"
    )
    return _finding(search, changed, message, Refused(inherited.advice))


def _finding(search: Search, changed: Changed, message: str, answer: Refused) -> Finding:
    path = changed.worker.outline.path
    source = search.starts.project.source(path)
    assert source is not None
    confidence = min(changed.confidence, Confidence.LIKELY, key=lambda each: each.rank)
    trace = (changed.change, changed.sent)
    return Finding.answered(ID, path, source.span_of(changed.read), message, confidence, trace, answer)
