"""From decisions to the plan of what was accepted, and lines that say what became of the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from ..engine.results import Plan
from ..engine.selection import Edited, Selection, Selector
from .decisions import Choice, Decision, Decisions
from .hunks import Headings, Hunk, hunks_of
from .model import Change, Review
from .patch_text import BadPatch, edits_of_patch

Proved = Callable[[Selection, Mapping[int, Edited]], Selection]
SHOWN = 20  # lines about decisions that have no effect


@dataclass(frozen=True)
class Decided:
    """`plan` holds the accepted changes; `left_out` says for others that were accepted why they are not in it."""

    plan: Plan
    accepted: tuple[Change, ...]
    left_out: dict[str, str]
    stale: dict[str, Decision]
    rejected: int
    undecided: int


def decide(review: Review, selector: Selector, decisions: Decisions, proved: Proved | None = None) -> Decided:
    """The plan of exactly those changes of `review` that `decisions` accept, and `proved` leaves in."""
    accepted: dict[int, Change] = {}
    edited: dict[int, Edited] = {}
    left_out: dict[str, str] = {}
    counted: Counter[Choice] = Counter()
    for change in review.changes:
        decision = decisions.of(change)
        counted[decision.choice] += 1
        if decision.choice is not Choice.ACCEPTED:
            continue
        if decision.edit:
            try:
                edited[change.number] = edited_change(change, decision.edit, review)
            except BadPatch as wrong:
                left_out[change.id] = f"its edited patch does not apply: {wrong}"
                continue
        accepted[change.number] = change
    selection = selector.select(accepted.keys(), edited)
    if proved is not None and selection.taken:
        selection = proved(selection, {number: edit for number, edit in edited.items() if number in selection.taken})
    left_out |= {accepted[number].id: why for number, why in selection.left_out.items()}
    taken = tuple(
        replace(change, hunks=_hunks(edited[change.number], review)) if change.number in edited else change
        for change in review.changes
        if change.number in accepted and change.id not in left_out
    )
    return Decided(
        selection.plan,
        taken,
        left_out,
        decisions.stale(review),
        counted[Choice.REJECTED],
        counted[Choice.UNDECIDED],
    )


def edited_change(change: Change, patch: str, review: Review) -> Edited:
    """What `patch` puts in the place of `change`. Raises BadPatch."""
    if change.requires:
        raise BadPatch("this change builds on another one, so it can only be taken as it is")
    return Edited(edits_of_patch(patch, change, review.sources))


def _hunks(edited: Edited, review: Review) -> tuple[Hunk, ...]:
    found: list[Hunk] = []
    for path, edits in edited.edits.items():
        source = review.sources[path]
        found += hunks_of(path, source.text, source.apply(edits), Headings(path, source.text))
    return tuple(found)


def told(decided: Decided, review: Review, counts: bool = True) -> Iterator[str]:
    """Lines for people: decisions without effect first, then the counts if wanted."""
    by_id = review.by_id()
    rows = []
    for id, decision in decided.stale.items():
        if decision.choice is Choice.ACCEPTED:
            what = f"{decision.rule} at {decision.place}" if decision.rule else "unknown"
            rows.append(f"stale decision {id} ({what}): no such change any more, not applied")
    for id, why in decided.left_out.items():
        change = by_id[id]
        rows.append(f"accepted, but left out: {id} ({change.rule} at {change.path}:{change.line}): {why}")
    yield from rows[:SHOWN]
    if len(rows) > SHOWN:
        yield f"... and {len(rows) - SHOWN} more such decisions"
    if not counts or not (review.changes or decided.stale):
        return
    yield (
        f"decisions: {len(decided.accepted)} accepted, {decided.rejected} rejected, {decided.undecided} undecided"
        + (f", {len(decided.stale)} stale" if decided.stale else "")
    )
