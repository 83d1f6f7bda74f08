"""What a run comes to: the report of `check`, the plan of `migrate`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..finding import Finding, Fix, Hop, Skipped
from ..tree.source import Source

_NUMBER = re.compile(r"\d+")

Refusal = tuple[str, ...]


def refusal_of(finding: Finding, source: Source | None) -> Refusal:
    """What a refusal says of which line, without the numbers in it, which other changes of the file move."""
    line = source.line_text(finding.span.line).strip() if source is not None else ""
    said = (_NUMBER.sub("N", text) for text in (finding.message, finding.reason or ""))
    return (finding.rule, finding.path, line, *said)


def appeared(
    remaining: Iterable[Finding], sources: Mapping[str, Source], before: Counter[Refusal]
) -> tuple[Finding, ...]:
    """Those of `remaining` that are refused, and were not among the refusals `before`."""
    left = Counter(before)
    new: list[Finding] = []
    for finding in remaining:
        if finding.fix is None:
            refusal = refusal_of(finding, sources.get(finding.path))
            left[refusal] -= 1
            new += [finding] if left[refusal] < 0 else []
    return tuple(new)


@dataclass(frozen=True)
class Report:
    """What `check` found: findings in order, files not looked at, and the text of every file that these name."""

    root: str
    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
    files_seen: int  # without those that nothing looked at
    sources: Mapping[str, Source] = field(default_factory=dict, repr=False)
    unsafe_fixes: bool = False  # as in the settings of the run
    suppressed: tuple[str, ...] = ()  # the paths of findings that comments silence
    idle: tuple[Hop, ...] = ()  # comments that silence nothing, and why
    set_aside: tuple[str, ...] = ()  # what else is left out of the findings, in words

    def why_not(self, finding: Finding) -> str | None:
        """None when `migrate` with the same settings would fix `finding`, else the reason, in words."""
        reason = finding.why_not(self.unsafe_fixes)
        return reason if finding.fix is None or reason is None else f"only with --unsafe-fixes: {reason}"


@dataclass(frozen=True)
class AppliedStep:
    """Fixes that were applied together, in order, the findings that they fix, and the texts that their edits are of."""

    fixes: tuple[Fix, ...]
    findings: tuple[Finding, ...]
    before: Mapping[str, Source]


@dataclass(frozen=True)
class RuleChange:
    """What one rule fixed, and the bytes of the files it changed, after it."""

    rule: str
    findings: tuple[Finding, ...]
    contents: dict[str, bytes]
    steps: tuple[AppliedStep, ...] = ()  # how it came about, for those who want only a part of it
    verified: str = ""  # what the user's command said after it


@dataclass(frozen=True)
class Plan:
    """What `migrate` will do, change after change, and what is left: refused, unsafe, or not fixable."""

    changes: tuple[RuleChange, ...]
    remaining: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
    files_seen: int  # as in a report
    root: str = "."
    sources: Mapping[str, Source] = field(default_factory=dict, repr=False)  # after the changes; for `remaining`
    found_first: Mapping[tuple[str, str], int] = field(default_factory=dict)  # by rule and path, at its first look
    declined: tuple[Finding, ...] = ()  # could be fixed, and the user does not want it
    appeared: tuple[Finding, ...] = ()  # those of `remaining` that are refused once the changes are made, not before

    @property
    def contents(self) -> dict[str, bytes]:
        """The final bytes of every changed file."""
        return {path: data for change in self.changes for path, data in change.contents.items()}
