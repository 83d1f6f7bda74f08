"""What workers need of what stands under the main guard: definitions that go above it, globals that they lack."""

from __future__ import annotations

from collections.abc import Iterator

from ....finding import Answer, Confidence, Finding, Fix, Hop, Refused
from ....flow.facts.records import facts_lookup
from ....flow.facts.test_code import is_test
from ....syntax.outline import Outline
from ....tree.source import Source
from ..screen import ID
from ..starts.process_starts import Starts
from ..state.changed_settings import Search
from .guarded_values import GuardedValues
from .handed_over import HandedOver
from .hoist import Guarded, guarded_definitions, hoist_edits
from .missing_answers import answers_for
from .missing_globals import missing_globals
from .set_late import is_set_late

STOPS = "stops with NameError"


def guarded_findings(search: Search, outline: Outline, source: Source) -> Iterator[Finding]:
    """Definitions under the guard that a worker looks for in its module."""
    starts = search.starts
    found = list(guarded_definitions(starts, outline))
    imported = bool(found) and search.importers.of(outline.path) is not None
    answers: dict[int, Answer] = {}
    for item in found:
        if id(item.node) not in answers:
            answers |= _above_guard(
                starts, outline, source, [each for each in found if each.guard is item.guard], imported
            )
        answer = answers[id(item.node)]
        here = Hop(outline.path, item.node.lineno, f"`{item.node.name}` is defined under the guard")
        message = f"`{item.node.name}` is defined under the main guard, where a spawned worker doesn't find it"
        span, trace = source.span_of(item.node), (here, item.hop)
        yield Finding.answered(ID, outline.path, span, message, item.confidence, trace, answer)


def missing_findings(search: Search, outline: Outline) -> Iterator[Finding]:
    """Globals that only the main process sets, and a worker reads."""
    starts = search.starts
    found = [each for each in missing_globals(starts, outline) if not is_set_late(search, outline, each)]
    source = starts.project.source(outline.path) if found else None
    if source is None:
        return
    answers = answers_for(starts, outline, source, search.importers.of(outline.path) is not None, found)
    for missing in found:
        confidence = Confidence.POSSIBLE if is_test(outline.path, facts_lookup(starts.project)) else missing.confidence
        name = missing.read.id
        if missing.instead is not None:
            lacks = f"a spawned worker gets what line {missing.instead} binds"
        else:
            stops = STOPS if missing.guarded else "never gets it"
            lacks = f"a spawned worker {stops}"
        message = f"`{missing.reader}` runs in a worker and reads `{name}`, which is set {missing.where}: {lacks}"
        trace = (Hop(outline.path, missing.line, f"`{name}` is set {missing.where}"), missing.hop)
        span = source.span_of(missing.read)
        yield Finding.answered(ID, outline.path, span, message, confidence, trace, answers[name])


def _above_guard(
    starts: Starts, outline: Outline, source: Source, found: list[Guarded], imported: bool
) -> dict[int, Answer]:
    """How each definition of a guard gets above it, those in its branches aside."""
    direct = [item for item in found if item.node in item.guard.body]
    answers: dict[int, Answer] = {id(item.node): _in_a_branch(item) for item in found if item not in direct}
    return answers | _hoisted_each(starts, outline, source, direct, imported) if direct else answers


def _in_a_branch(item: Guarded) -> Answer:
    return Refused(
        f"it is defined in a branch or a loop under the guard: define `{item.node.name}` above the guard, under a name "
        "of its own, and hand it what it reads there as arguments"
    )


def _hoisted_each(
    starts: Starts, outline: Outline, source: Source, found: list[Guarded], imported: bool
) -> dict[int, Answer]:
    """All together where that can be, else each by itself."""
    guard = found[0].guard
    values = GuardedValues(starts, outline, guard, imported)
    together = _hoisted(outline, source, found, values)
    if isinstance(together, Fix):
        return {id(item.node): together for item in found}
    answers = {id(item.node): _hoisted(outline, source, [item], values) for item in found}
    left = [item.node for item in found if isinstance(answers[id(item.node)], Refused)]
    handed = HandedOver(starts, outline, source, guard, imported).fix(left)
    if handed is not None:
        answers |= {id(node): handed[1] for node in handed[0]}
    return answers


def _hoisted(outline: Outline, source: Source, found: list[Guarded], values: GuardedValues) -> Answer:
    try:
        edits = hoist_edits(outline, source, found[0].guard, [item.node for item in found], values)
    except Refused as refusal:
        return refusal.alone()
    return Fix("Define above the main guard what workers need", edits)
