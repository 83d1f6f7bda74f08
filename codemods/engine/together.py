"""The first fixes of all rules at once: one look at the result tells what one for each rule would.

Only where rules write to different files, and what they find after it is what they would find one after the other:
nothing to fix. Each rule still has a change of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..finding import Finding
from ..project import Project
from ..rule import Rule
from .results import RuleChange
from .run import Run, touched
from .steps import disjoint, recheck, rewritten
from .texts import applied_step, difference


@dataclass(frozen=True)
class Together:
    """`changes` are in `project`, where the rules that made them `left` what they find now, by rule."""

    project: Project
    changes: list[RuleChange]
    left: dict[str, list[Finding]]


def together(run: Run, project: Project, rules: Sequence[Rule], found: Mapping[str, list[Finding]]) -> Together | None:
    """All fixes of all `rules`, which found `found` in `project`; None where one of our checks has doubts."""
    fixes = {rule: run.applicable(found[rule.id]) for rule in rules}
    writing = [rule for rule in rules if fixes[rule]]
    paths = [{path for fix in fixes[rule] for path in fix.paths} for rule in writing]
    if len(writing) < 2 or len(set().union(*paths)) < sum(map(len, paths)):
        return None
    if any(len(disjoint(fixes[rule])) < len(fixes[rule]) for rule in writing):
        return None
    now, changes = project, list[RuleChange]()
    for rule in writing:
        before = now
        now, why = rewritten(before, fixes[rule])
        if why is not None:
            return None
        step = applied_step(before, fixes[rule], found[rule.id])
        changes.append(RuleChange(rule.id, step.findings, difference(before.written, now), (step,)))
    left = {rule.id: run.findings_of(rule, now) for rule in writing}
    doubts = any(
        run.applicable(left[rule.id]) or recheck(found[rule.id], fixes[rule], left[rule.id], project)
        for rule in writing
    )
    ways = frozenset[str]().union(*(touched(fixes[rule], found[rule.id]) for rule in writing))
    if doubts or run.lost(writing, project, now, ways):
        now.settled()
        return None
    for rule in rules:
        run.seen_first(rule, project, found[rule.id])
    project.settled()
    return Together(now, changes, left)
