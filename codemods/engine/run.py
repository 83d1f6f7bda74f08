"""One run of the rules over a project: what is asked for, what they find and fix, and what went wrong on the way."""

from __future__ import annotations

import difflib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from ..finding import Confidence, Finding, Fix, Hop, Skipped, missed
from ..project import Project
from ..reads import Reads
from ..rule import Loss, Rule
from ..settings import Settings, nearest
from ..syntax.suppress import suppressions
from ..tree.files import Files
from ..tree.reading import ReadFiles
from ..tree.source import may_hide
from ..tree.suffixes import READ, is_shell
from . import notebooks, python2_files
from .failures import culprit, left_out
from .look import Look, Part
from .losses import ends, held_back, losses_of, tied
from .results import AppliedStep, Refusal, refusal_of
from .steps import disjoint, recheck, rewritten
from .texts import applied_step
from .trials import Trials

MAX_PASSES = 10  # of one rule over its own output
MAX_CRASHES = 20  # files that one rule may fail on before it is given up
MAX_FINDINGS = 2000  # of one rule in one file; more is generated, or made to keep us busy
MAX_WORK = 100_000_000  # findings times characters of their file: a report shows each fix on all of it
MAX_RECHECKS = 64  # runs of rules on a part of their fixes, in one run


class Run:
    """One run: what is asked for, and what went wrong on the way."""

    def __init__(self, files: Files, settings: Settings, scope: str, rules: Mapping[str, Rule]) -> None:
        self.files = ReadFiles(files, settings.exclude)
        self.rules = [
            rule
            for rule in rules.values()
            if (not settings.select or rule.id in settings.select) and rule.id not in settings.ignore
        ]
        self.losing = [rule for rule in rules.values() if rule.losses is not None]
        self.hit: set[str] = set()  # rules that some file's bytes give work to
        self.settings = settings
        self.scope = scope.strip("/")
        self.files_seen = 0
        self.crashes: list[Skipped] = []
        self.found_first: dict[tuple[str, str], int] = {}
        self.refused_first: Counter[Refusal] = Counter()  # in files that no rule had changed by then
        self.known_ids = frozenset(rules)
        self.commented: list[str] = []  # files that may hold suppressions
        self.careful: frozenset[str] = frozenset()  # files in which every finding counts, however sure it is
        self.silenced: dict[Finding, None] = {}  # what suppressions are there for, at any confidence
        self.proven_texts: dict[str, str] = {}  # of the files in settings.proven, as they were
        self.trials = Trials()
        self.parts: dict[str, dict[str, Part]] | None = None  # by rule, what is known of files; None: not of interest
        self._failures: WeakKeyDictionary[Project, dict[tuple[str, tuple[Fix, ...]], _Failure]] = WeakKeyDictionary()
        self.rechecks = 0  # runs of a rule on a part of its fixes, to find the one that goes wrong

    def screened(self) -> Project:
        """The project, after a look at the bytes of its files for what the rules may find. Parses nothing."""
        hidden: list[str] = []
        for entry in self.files.entries():
            if READ.search(entry.path):
                self.files_seen += 1
                data = self.files.peek(entry.path)
                self._screen(data)
                if b"spawnfix:" in data:
                    self.commented.append(entry.path)
                if entry.path.endswith(".py") and may_hide(data):
                    hidden.append(entry.path)
        observed = (path for _, path, _, _ in self.settings.proven)  # a diagnosis raises the confidence there
        self.careful = frozenset([*self.commented, *observed])
        project = Project(self.files, self.settings, self.settings.confidence, self.careful)
        for path in hidden:
            project.source(path)  # says so where it can't be read
        for _, path, _, _ in self.settings.proven:
            source = project.source(path)
            if source is not None:
                self.proven_texts[path] = source.text
        return project

    def _screen(self, data: bytes) -> None:
        self.hit.update(rule.id for rule in self.rules if rule.id not in self.hit and rule.screen.search(data))

    def look(self, rule: Rule, project: Project, test: bool) -> Look:
        """What `rule` finds, with all that looking leaves behind, for `taken` to note. `test`: its fixes too."""
        crashes, self.crashes, silenced, self.silenced = self.crashes, [], self.silenced, {}
        spent = self.trials.room
        reads = Reads()
        with project.noting(reads):
            found = self.findings_of(rule, project)
            found = self.tested(found, project) if test else found
        look = Look(
            tuple(found),
            tuple(self.silenced),
            tuple(self.crashes),
            dict(project.skipped),
            spent - self.trials.room,
            project.limited,
            reads,
            self.parts.pop(rule.id, {}) if self.parts is not None else {},
        )
        self.crashes, self.silenced = crashes, silenced
        return look

    def _find(self, rule: Rule, project: Project) -> Iterable[Finding]:
        """What `rule` finds; file by file, as far as that is not known, where its parts are of interest."""
        if self.parts is None or rule.per_file is None:
            return rule.find(project)
        known, parts = self.parts.get(rule.id, {}), dict[str, Part]()
        for path in rule.per_file.paths(project):
            if path in known:
                parts[path] = known[path]
                continue
            reads = Reads()
            with project.noting(reads):
                parts[path] = Part(tuple(rule.per_file.find(project, path)), reads)
        self.parts[rule.id] = parts
        return [finding for part in parts.values() for finding in part.findings]

    def taken(self, look: Look, project: Project) -> list[Finding]:
        """The findings of `look`, and the rest of it noted."""
        self.crashes += look.crashes
        self.silenced |= dict.fromkeys(look.silenced)
        for path, row in look.skipped.items():
            project.skipped.setdefault(path, row)
        return list(look.findings)

    def active_rules(self, project: Project) -> list[Rule]:
        """The rules that may find something in `project`, as it is after other rules changed it."""
        for source in project.written.values():
            self._screen(source.encode(source.text))
        return [rule for rule in self.rules if rule.id in self.hit]

    def findings_of(self, rule: Rule, project: Project) -> list[Finding]:
        """What `rule` finds and we were asked for, sorted. Files that it fails on are left out and listed."""
        project.release()
        whole = project
        for _ in range(MAX_CRASHES):
            try:
                found = dict.fromkeys([*self._find(rule, project), *notebooks.find(rule, project)])
                found |= dict.fromkeys(python2_files.find(rule, project))
                break
            except Exception as error:
                if os.environ.get("SPAWNFIX_DEBUG"):
                    raise
                if self.parts is not None:
                    self.parts.pop(rule.id, None)  # of a project that had the file
                path = culprit(error, project)
                self.crashes.append(left_out(rule, error, path, project.source(path) if path else None))
                if path is None:
                    return []
                project = project.without(path)
        else:
            self.crashes.append(Skipped(".", f"rule {rule.id} failed on {MAX_CRASHES} files (our bug)", rule.id))
            return []
        wanted = [f for f in (self._mark_observed(f, project) for f in found) if self._wanted(f, project)]
        if _lets_cross(rule) and (at := ends(wanted)):
            wanted = held_back(wanted, losses_of(self.losing, project, at))
        if project is not whole:
            project.forget()
        full = {path for path, number in Counter(f.path for f in wanted).items() if _too_many(number, path, project)}
        self.crashes += [
            Skipped(path, f"left out by {rule.id}: too many findings for one file", partly=True) for path in full
        ]
        return sorted((self.trials.judged(f, project) for f in wanted if f.path not in full), key=order)

    def _mark_observed(self, finding: Finding, project: Project) -> Finding:
        """`finding`, proven when a diagnosis saw it happen."""
        for rule, path, line, words in self.settings.proven:
            if (rule, path) != (finding.rule, finding.path):
                continue
            now = self._line_now(project, path, line)
            hit = now is not None and finding.span.line <= now <= finding.span.end_line
            if hit:
                hop = Hop(path, finding.span.line, words)
                return replace(finding, confidence=Confidence.PROVEN, trace=(*finding.trace, hop))
        return finding

    def _line_now(self, project: Project, path: str, line: int) -> int | None:
        """Where line `line` of the untouched file `path` is in `project`; None when it is no more."""
        source, before = project.source(path), self.proven_texts.get(path)
        if before is None or source is None or source.text == before:
            return line
        blocks = difflib.SequenceMatcher(
            None, before.splitlines(), source.text.splitlines(), False
        ).get_matching_blocks()
        return next((b.b + line - 1 - b.a + 1 for b in blocks if b.a <= line - 1 < b.a + b.size), None)

    def covers(self, path: str) -> bool:
        """True when findings in `path` are asked for."""
        return not self.scope or path == self.scope or path.startswith(f"{self.scope}/")

    def idle_suppressions(self, path: str, project: Project) -> Iterator[Hop]:
        """The suppressions in `path` that name no rule, or silence nothing that a rule of this run finds."""
        source = project.source(path)
        ran = {rule.id for rule in self.rules}
        if source is None or not (path.endswith(".py") or is_shell(path, source.text)):
            return
        for item in suppressions(source):
            unknown = [rule for rule in item.rules if rule not in self.known_ids]
            for rule in unknown:
                yield Hop(path, item.line, f"no rule called {rule!r}{nearest(rule, self.known_ids)}")
            judged = set(item.rules or self.known_ids) <= ran
            here = (finding for finding in self.silenced if finding.path == path)
            if not unknown and judged and not any(item.silences(finding) for finding in here):
                yield Hop(path, item.line, "nothing is found here that this comment could suppress")

    def _wanted(self, finding: Finding, project: Project) -> bool:
        if not self.covers(finding.path):
            return False
        if finding.rule in self.settings.ignored_rules(finding.path):
            return False
        source = project.source(finding.path)
        if source is not None and any(item.silences(finding) for item in suppressions(source)):
            self.silenced[finding] = None
            return False
        return finding.confidence.reaches(self.settings.confidence)

    def tested(self, found: Iterable[Finding], project: Project) -> list[Finding]:
        """`found`, refused where the fix fails a first test."""
        found = list(found)
        self.trials.test(project, self.applicable(found))
        return [self.trials.judged(finding, project) for finding in found]

    def seen_first(self, rule: Rule, project: Project, found: Iterable[Finding]) -> None:
        """Note what `rule` found at its first look, which was at `project`."""
        for finding in found:
            known = (rule.id, finding.path) in self.found_first
            if finding.fix is None and not known and finding.path not in project.written:
                self.refused_first[refusal_of(finding, project.source(finding.path))] += 1
        self.found_first = {**Counter((rule.id, finding.path) for finding in found), **self.found_first}

    def fix_until_stable(
        self, rule: Rule, project: Project, found: list[Finding]
    ) -> tuple[Project, list[AppliedStep], list[Finding]]:
        """Apply what `rule` can fix until nothing is left: (the project after, what was applied, what remains).

        `found`: what it finds in `project` as it is.
        """
        applied: list[AppliedStep] = []
        self.seen_first(rule, project, found)
        for _ in range(MAX_PASSES):
            batch = disjoint(self.applicable(found))
            step = self._step(rule, project, batch, found) or self._apply_some(rule, project, batch, found)
            found = [self.trials.judged(finding, project) for finding in found]
            if step is None:
                break
            applied.append(applied_step(project, [fix for fix in batch if fix in step.fixes], found))
            project.settled()
            project, found = step.project, step.found
        stuck = f"internal check failed: still changing the file after {MAX_PASSES} passes"
        endless = set(self.applicable(found))
        return project, applied, [f.refused(stuck) if f.fix in endless else f for f in found]

    def applicable(self, found: Iterable[Finding]) -> list[Fix]:
        """The different fixes of `found` that the settings let us apply, in order."""
        fixes = dict.fromkeys(finding.fix for finding in found if finding.fix is not None)
        return [fix for fix in fixes if fix.unsafe is None or self.settings.unsafe_fixes]

    def _step(self, rule: Rule, project: Project, fixes: Sequence[Fix], found: list[Finding]) -> _Step | None:
        """`fixes` applied together; None when there are none or one of our checks fails."""
        tried = self._tried(rule, project, fixes, found) if fixes else None
        return tried if isinstance(tried, _Step) else None

    def _tried(self, rule: Rule, project: Project, fixes: Sequence[Fix], found: list[Finding]) -> _Step | _Failure:
        """`fixes` applied together, or what is wrong with that, which is asked again for some of them."""
        failures = self._failures.setdefault(project, {})
        key = rule.id, tuple(fixes)
        if key in failures:
            return failures[key]
        after, why = rewritten(project, fixes)
        found_after = self.findings_of(rule, after) if why is None else []
        why = why or recheck(found, fixes, found_after, project)
        lost = self.lost([rule], project, after, touched(fixes, found)) if why is None else None
        if why is None and lost is None:
            return _Step(after, frozenset(fixes), found_after)
        if after is not project:
            after.settled()
        failures[key] = _Failure(why, lost)
        return failures[key]

    def lost(self, rules: Iterable[Rule], before: Project, after: Project, paths: frozenset[str]) -> str | None:
        """What workers lose in `after` that they have in `before`, in words. `paths`: the files of the fixes."""
        if not any(map(_lets_cross, rules)):
            return None
        now = self._unwanted(after)
        had = self._unwanted(before) if now else []
        if any(loss.some for loss in (*now, *had)):  # another that there is room for now need not be new
            near = tied(before, paths)
            now, had = ([loss for loss in losses if loss.path in near] for losses in (now, had))
        if len(now) <= len(had):
            return None
        known = {loss.message for loss in had}
        new = next((loss for loss in now if loss.message not in known), now[-1])
        return f"after it workers would run, and go on without what they have today: {new.message}"

    def _unwanted(self, project: Project) -> list[Loss]:
        """What workers lose there that the user does not accept."""
        accepts = self.settings.unsafe_fixes
        return [loss for loss in losses_of(self.losing, project) if not (loss.shown and accepts)]

    def _apply_some(self, rule: Rule, project: Project, fixes: Sequence[Fix], found: list[Finding]) -> _Step | None:
        """As `_step`, with those of `fixes` that pass our checks; the others are rejected or wait for the next pass."""
        good = self.trials.passing(project, fixes)
        step = self._step(rule, project, good, found)
        if step is None and good:
            good = self._bisect(rule, project, good, found)
            step = self._step(rule, project, good, found)
            while step is None and len(good) > 1:  # each half was right, both are not
                good = good[: len(good) // 2]
                step = self._step(rule, project, good, found)
        return step

    def _bisect(self, rule: Rule, project: Project, fixes: list[Fix], found: list[Finding]) -> list[Fix]:
        """Those of `fixes`, which fail together, that do what they should, by halves; the others are rejected."""
        self.rechecks += 1
        if len(fixes) == 1 or self.rechecks > MAX_RECHECKS:
            tried = self._tried(rule, project, fixes, found)
            if isinstance(tried, _Step):
                return fixes
            for fix in fixes:
                if tried.why is not None:
                    self.trials.reject(fix, project, tried.why)
                elif tried.lost is not None:
                    self.trials.refuse(fix, project, tried.lost)
            return []
        half = len(fixes) // 2
        parts = (fixes[:half], fixes[half:])
        return [
            fix
            for part in parts
            for fix in (part if self._step(rule, project, part, found) else self._bisect(rule, project, part, found))
        ]

    def all_skipped(self, project: Project) -> tuple[Skipped, ...]:
        """Every file that was not (wholly) looked at, by path."""
        rows = [*project.skipped.values(), *self.files.unreadable.values(), *self.crashes]
        return tuple(sorted(set(rows), key=lambda row: (row.path, row.reason)))

    def looked_at(self, skipped: Sequence[Skipped]) -> int:
        """How many files were looked at: those of the run without the ones that no rule looked at."""
        return self.files_seen - sum(READ.search(path) is not None for path in missed(skipped))


@dataclass(frozen=True)
class _Step:
    """`fixes` are in `project`, where the rule now finds `found`."""

    project: Project
    fixes: frozenset[Fix]
    found: list[Finding]


@dataclass(frozen=True)
class _Failure:
    """What is wrong with fixes, and what workers would lose after them; one of the two."""

    why: str | None
    lost: str | None


def touched(fixes: Sequence[Fix], found: Iterable[Finding]) -> frozenset[str]:
    """The files that `fixes` write to, and those on the ways of their findings."""
    applied = frozenset(fixes)
    ways = (hop.path for finding in found if finding.fix in applied for hop in finding.trace)
    return frozenset([*(path for fix in fixes for path in fix.paths), *ways])


def _lets_cross(rule: Rule) -> bool:
    """Its fixes may let a worker start that did not."""
    return rule.follows_values or rule.losses is not None


def _too_many(findings: int, path: str, project: Project) -> bool:
    source = project.source(path)
    return findings > MAX_FINDINGS or (source is not None and findings * len(source.text) > MAX_WORK)


def order(finding: Finding) -> tuple[str, int, int, str]:
    return finding.sort_key
