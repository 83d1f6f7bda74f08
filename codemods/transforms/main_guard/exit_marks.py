"""Functions that `@atexit.register` above the main guard has called at the end of every spawned child as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Confidence, Finding, Hop, Refused
from ...flow.facts.records import facts_lookup
from ...flow.facts.test_code import is_test
from ...syntax.outline import Outline
from ...tree.source import Source
from .screen import ID
from .side_effects import at_exit, matters_at_exit
from .starts.process_starts import Starts
from .statements import is_plain_guard


def marked_for_exit(starts: Starts, outline: Outline, source: Source) -> Iterator[Finding]:
    """One such function of a script whose only main guard starts processes."""
    hook = at_exit(outline, ())
    guards = [item for item in outline.module.body if isinstance(item, ast.If) and is_plain_guard(item)]
    start = starts.in_block(outline, guards[0].body) if hook is not None and len(guards) == 1 else None
    if hook is None or start is None or not matters_at_exit(starts, outline, hook.body):
        return
    what = f"`{hook.name}` is called at the end of every spawned worker too, which imports this file"
    confidence = min(start.confidence, Confidence.LIKELY, key=lambda each: each.rank)
    if is_test(outline.path, facts_lookup(starts.project)):
        confidence = Confidence.POSSIBLE
    answer = Refused(f"leave out the decorator, and call `atexit.register({hook.name})` under the main guard")
    trace = (Hop(outline.path, hook.lineno, "registered for the end of each process that runs this"), *start.hops)
    yield Finding.answered(ID, outline.path, source.span_of(hook), what, confidence, trace, answer)
