"""`--since` and `--baseline`: only the findings that are new."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .output import say

if TYPE_CHECKING:
    from ..delivery.target import Target
    from ..engine.results import Report
    from ..finding import Finding
    from ..review.model import Review


def narrowed(report: Report, where: Target, since: str | None, baseline: Path | None) -> Report:
    """`report` with the findings that have to do with changed files and are not in the baseline. Raises Problem."""
    if since is not None:
        from ..delivery.since import changed_since, concerns

        changed = changed_since(where, since)
        kept = tuple(finding for finding in report.findings if concerns(finding, changed))
        report = _less(report, kept, f"that have nothing to do with what changed since {since}")
    if baseline is not None:
        from ..review.baseline import read_baseline, unlisted

        listed = read_baseline(baseline)
        kept = tuple(unlisted(report.findings, report.sources, listed))
        gone = listed.total() - (len(report.findings) - len(kept))
        report = _less(report, kept, f"in the baseline {baseline}")
        if gone > 0 and since is None:
            say(f"{baseline}: {gone} of its findings are not there any more; --write-baseline writes it anew")
    return report


def _less(report: Report, kept: tuple[Finding, ...], why: str) -> Report:
    number = len(report.findings) - len(kept)
    aside = (*report.set_aside, f"{number} {why}") if number else report.set_aside
    return replace(report, findings=kept, set_aside=aside)


def wanted_changes(review: Review, where: Target, since: str | None, baseline: Path | None) -> Callable[[str], bool]:
    """Whether the change with an id has to do with changed files, and is not in the baseline. Raises Problem."""
    ids = {change.id for change in review.changes}
    if since is not None:
        from ..delivery.since import changed_since, concerns

        changed = changed_since(where, since)
        ids &= {c.id for c in review.changes if any(concerns(f, changed) for f in c.findings)}
    if baseline is not None:
        from ..review.baseline import read_baseline, unlisted

        findings = [finding for change in review.changes for finding in change.findings]
        new = set(map(id, unlisted(findings, review.sources, read_baseline(baseline))))
        ids &= {c.id for c in review.changes if any(id(f) in new for f in c.findings)}
    by_id = review.by_id()
    todo = list(ids)
    while todo:  # what they build on comes along
        more = set(by_id[todo.pop()].requires) - ids
        ids |= more
        todo += more
    return ids.__contains__
