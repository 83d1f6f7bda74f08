"""Tries fixes before they are offered or applied: all that touch the same files at once, by halves where that fails."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..finding import Finding, Fix
from ..project import Project
from .steps import apart, disjoint, identity, nested, texts_of

MAX_TRIED = 8_000_000  # characters that are verified again and again to find what fails in one group: some 30 s
LEAST = 8  # such tests of one group, how large it may be
MAX_RETRIED = 64_000_000  # characters, as MAX_TRIED, for a whole run
TOO_MANY = "too many fixes of this file fail together to test each of them"


class Trials:
    """Which fixes our own checks turned down. One object for each run."""

    def __init__(self) -> None:
        self._reasons: dict[object, str] = {}  # by what the fix writes where
        self.room = MAX_RETRIED

    def reject(self, fix: Fix, project: Project, why: str) -> None:
        """Note that `fix` must not be applied, as a check of ours fails."""
        self.refuse(fix, project, f"internal check failed: {why}")

    def refuse(self, fix: Fix, project: Project, reason: str) -> None:
        """Note that `fix` must not be applied."""
        self._reasons[identity(fix, project)] = reason

    def judged(self, finding: Finding, project: Project) -> Finding:
        """`finding`, refused when its fix was rejected."""
        if finding.fix is None or not self._reasons:
            return finding
        why = self._reasons.get(identity(finding.fix, project))
        return finding if why is None else finding.refused(why)

    def test(self, project: Project, fixes: Sequence[Fix]) -> None:
        """Reject those of `fixes` that fail a first test. Fixes that overlap are tested apart, but for those that hold
        each other."""
        for group in grouped(fixes):
            trial = _Trial(self, project, thorough=False)
            rest, choose = group, disjoint
            while rest:
                chosen = choose(rest)
                trial.passing(chosen, together=False)
                taken = set(map(id, chosen))
                rest, choose = [fix for fix in rest if id(fix) not in taken], nested

    def passing(self, project: Project, fixes: Sequence[Fix]) -> list[Fix]:
        """Those of `fixes` that pass all checks together. What fails alone is rejected; the others have to wait."""
        good: set[Fix] = set()
        for group in grouped(fixes):
            good.update(_Trial(self, project, thorough=True).passing(group, together=True))
        return [fix for fix in fixes if fix in good]

    def take(self, size: int) -> bool:
        """False when this run has no room left to test `size` characters once more."""
        self.room -= size
        return self.room >= 0


class _Trial:
    """The tests of one group of fixes: the first is free, for the others there is so much room."""

    def __init__(self, trials: Trials, project: Project, thorough: bool) -> None:
        self._trials, self._project, self._thorough = trials, project, thorough
        self._room = MAX_TRIED
        self._begun = False

    def passing(self, fixes: Sequence[Fix], together: bool) -> list[Fix]:
        """Those of `fixes` that pass, in halves where they don't all; what fails alone is rejected.

        `together`: what is returned passes as a whole too.
        """
        why = self._why(fixes)
        if why is None:
            return list(fixes)
        if len(fixes) == 1 or why == TOO_MANY:
            for fix in fixes:
                self._trials.reject(fix, self._project, why)
            return []
        half = len(fixes) // 2
        good, more = self.passing(fixes[:half], together), self.passing(fixes[half:], together)
        return self._joined(good, more) if together else [*good, *more]

    def _joined(self, good: list[Fix], more: list[Fix]) -> list[Fix]:
        """`good`, which pass together, with those of `more` that pass beside them."""
        if not good or not more:
            return good or more
        why = self._why([*good, *more])
        if why is None:
            return [*good, *more]
        if len(more) == 1 or why == TOO_MANY:
            return good
        half = len(more) // 2
        return self._joined(self._joined(good, more[:half]), more[half:])

    def _why(self, fixes: Sequence[Fix]) -> str | None:
        """What is wrong with the files after `fixes`; TOO_MANY when there is no room for another test."""
        if self._room <= 0:
            return TOO_MANY
        texts, why = texts_of(self._project, apart(fixes), self._thorough)
        size = sum(map(len, texts.values()))
        if self._begun:
            self._room = self._room - size if self._trials.take(size) else 0
        elif why is not None:
            self._room = max(self._room, LEAST * size)
        self._begun = True
        return why


def grouped(fixes: Iterable[Fix]) -> list[list[Fix]]:
    """`fixes` in groups that have no file in common; the order in each is kept."""
    fixes = list(fixes)
    above: dict[str, str] = {}  # a tree of paths for each group

    def top(path: str) -> str:
        while above.setdefault(path, path) != path:
            above[path] = path = above[above[path]]
        return path

    for fix in fixes:
        first, *others = sorted(fix.paths) or [""]
        for other in others:
            above[top(other)] = top(first)
    groups: dict[str, list[Fix]] = {}
    for fix in fixes:
        groups.setdefault(top(min(fix.paths, default="")), []).append(fix)
    return list(groups.values())
