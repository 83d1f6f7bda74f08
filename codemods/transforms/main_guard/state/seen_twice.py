"""What a program would show once more, or not do any more, once a value that stops it today crosses."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator

from ....flow.facts.records import facts_lookup
from ....flow.facts.test_code import is_test
from ....rule import Loss, Place
from ....syntax.tried import WOULD_NOT_FAIL, Tries
from ..guard.defined_again import shown_again
from ..guard.printed_again import printed_by_imports
from ..starts.process_starts import PROCESS
from .calls_of_scripts import has_guard
from .changed_settings import Search
from .process_state import inherits

_SPAWNS = re.compile(r"['\"](?:spawn|forkserver)['\"]")
_NAMES_MAIN = ("__main__", "MainProcess")  # what a main guard asks for
_AGAIN = "the worker would run, and print what a forked one does not"
_START = "start"


def printed_again(search: Search, at: frozenset[Place] | None) -> Iterator[Loss]:
    """Boundaries of scripts with a main guard, where what they define or import prints as it is imported.

    Those among `at`, None for all.
    """
    loud = functools.cache(functools.partial(_loud, search))
    seen: set[Place] = set()
    for worker in search.workers.values():
        if at is not None and not any((hop.path, hop.line) in at for _, hop in worker.sent.values()):
            continue
        sent = inherits(search, worker)
        for _, hop in sent.sent.values() if sent is not None else ():
            if (hop.path, hop.line) in seen or (at is not None and (hop.path, hop.line) not in at):
                continue
            seen.add((hop.path, hop.line))
            printed = next(filter(None, map(loud, sorted(search.importers.reaching(hop.path)))), None)
            if printed is not None:
                yield Loss(hop.path, hop.line, printed, _AGAIN, shown=True)


def _loud(search: Search, script: str) -> str:
    """What of the script prints once more in each worker, in words. Workers of a test import no test as their main."""
    project = search.starts.project
    outline = search.repo.outline(script) if any(project.holds(script, name) for name in _NAMES_MAIN) else None
    if outline is None or not has_guard(outline) or is_test(script, facts_lookup(project)):
        return ""
    if (made := shown_again(search.starts, outline, ())) is not None:
        return f"what line {made.lineno} of {script} defines prints or logs as it is defined, in every worker again"
    printed = printed_by_imports(search.starts, search.importers, outline)
    if printed is None:
        return ""
    return f"line {printed[1]} of {printed[0]} prints when it is imported, in every worker again"


def fails_on_purpose(search: Search, paths: Iterable[str]) -> Iterator[Loss]:
    """A process that is started by spawn in a `try`, after which the program goes on in another way."""
    tries = Tries(search.repo)
    for path in paths:
        outline = search.repo.outline(path) if search.starts.project.holds(path, _SPAWNS) else None
        if outline is None:
            continue
        handlers = (tries.caught(outline, call) for call in outline.calls_of(_START))
        handler = next((each for each in handlers if each is not None), None)
        for calls in outline.calls.values() if handler is not None else ():
            for call in calls:
                if search.starts.name(outline, call.func) == PROCESS:
                    message = f"the program goes on at {handler} where it can't be started by spawn: {WOULD_NOT_FAIL}"
                    yield Loss(path, call.lineno, message, "the worker would run where the program goes another way")
