"""Findings for state that only the main process changes and that workers read: settings, globals, of libraries."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ....finding import Confidence, Finding, Hop, Refused, Span
from ....project import Project
from ..screen import ID
from .aliases import aliases
from .changed_settings import Changed, Search
from .class_registries import class_registries
from .descriptors import descriptors
from .emptied_logs import emptied_logs
from .file_numbers import file_numbers
from .fork_hooks import fork_hooks, handlers_of_stops
from .import_values import import_values
from .mapped_files import mapped_files
from .parent_state import parent_state
from .process_state import process_state
from .replaced import replaced
from .script_names import identities, script_names
from .sentinels import sentinels
from .shared_at_import import shared_at_import
from .shared_results import shared_results
from .stateful_functions import stateful_functions
from .text_hashes import text_hashes


class LostState(NamedTuple):
    """Plain values: a finding, and where the worker is started."""

    path: str
    span: tuple[int, int, int, int]
    message: str
    reason: str
    confidence: str
    trace: tuple[tuple[str, int, str], ...]  # up to the boundary
    calls: tuple[tuple[str, int, str], ...] = ()  # that lead from what it sends to where that is read
    shown: bool = False  # the worker does the same but for where it is written
    stops: bool = False  # the worker stops without it

    @property
    def sent(self) -> tuple[str, int, str]:
        """The boundary."""
        return self.trace[-1]


def state_findings(project: Project) -> Iterator[Finding]:
    """One per state and script, at the place where a worker reads it."""
    for row in project.derive(lost_state).state:
        trace, confidence = tuple(Hop(*hop) for hop in (*row.trace, *row.calls)), Confidence(row.confidence)
        yield Finding.answered(ID, row.path, Span(*row.span), row.message, confidence, trace, Refused(row.reason))


class Lost(NamedTuple):
    """What the fixes of all rules ask for."""

    state: tuple[LostState, ...]
    some: bool = False  # see `Loss.some`


def lost_state(project: Project) -> Lost:
    """The same as plain values."""
    with project.working_with(Search) as search:
        state = (*_rows(search), *_hooks(search))
        return Lost(state, search.is_full)


def _rows(search: Search) -> Iterator[LostState]:
    for changed in (*search.found(), *parent_state(search)):
        name, place = ast.unparse(changed.read), f"line {changed.change.line} of {changed.change.path}"
        message = (
            f"`{changed.worker.function.name}` runs in a worker and reads `{name}`, which {place} changes in the "
            f"main process only: a spawned worker has {_has(changed)}"
        )
        reason = (
            f"pass the worker what it needs of `{name}` (as an argument, or stored on the object that is sent), or "
            "make the same change there: in the `initializer` of a pool, in the `worker_init_fn` of a loader"
        )
        yield _row(search, changed, message, reason)
    states = (*process_state(search), *replaced(search), *import_values(search), *shared_results(search))
    states = (*states, *shared_at_import(search))
    states = (*states, *stateful_functions(search), *class_registries(search), *mapped_files(search))
    states = (*states, *descriptors(search), *aliases(search), *text_hashes(search))
    states = (*states, *script_names(search), *identities(search), *file_numbers(search), *emptied_logs(search))
    told: set[tuple[Hop, Hop, str]] = set()  # a log has states of its own for each kind of message
    for inherited in (*states, *sentinels(search)):
        changed = inherited.changed
        message = (
            f"`{changed.worker.function.name}` runs in a worker, and `{ast.unparse(changed.read)[:60]}` there depends "
            f"on {inherited.depends}"
        )
        same = changed.change, changed.sent, inherited.depends
        if inherited.shown and same in told:
            continue
        told.add(same)
        row = _row(search, changed, message, inherited.advice)
        yield row._replace(shown=inherited.shown, stops=inherited.stops)


def _has(changed: Changed) -> str:
    return changed.has or f"what {changed.home.path} says"


def _row(search: Search, changed: Changed, message: str, reason: str) -> LostState:
    trace = _plain(changed.change), _plain(changed.sent)
    calls = tuple(map(_plain, changed.worker.way_from(changed.sent)))
    path = changed.worker.outline.path
    return LostState(
        path, _span(search, path, changed.read), message, reason, _at_most(changed.confidence), trace, calls
    )


def _hooks(search: Search) -> Iterator[LostState]:
    for outline, call, confidence, hop in fork_hooks(search):
        message = f"`{ast.unparse(call.func)}` registers what runs in forked children: a spawned worker never calls it"
        reason = "call the function where the worker begins too: in what it runs, or in its initializer"
        span = _span(search, outline.path, call)
        yield LostState(outline.path, span, message, reason, _at_most(confidence), (_plain(hop),))
    for outline, call, confidence, hop in handlers_of_stops(search):
        message = (
            f"`{ast.unparse(call.args[1])}` handles `SIGTERM`, which `terminate()` sends to workers: a forked one "
            "has the handler, a spawned one has the default"
        )
        reason = "set the handler in the worker too: in what it runs, or in its initializer"
        span = _span(search, outline.path, call)
        yield LostState(outline.path, span, message, reason, _at_most(confidence), (_plain(hop),))


def _span(search: Search, path: str, node: ast.expr) -> tuple[int, int, int, int]:
    source = search.starts.project.source(path)
    assert source is not None
    span = source.span_of(node)
    return span.line, span.column, span.end_line, span.end_column


def _plain(hop: Hop) -> tuple[str, int, str]:
    return hop.path, hop.line, hop.what


def _at_most(confidence: Confidence) -> str:
    return min(confidence, Confidence.LIKELY, key=lambda each: each.rank).value
