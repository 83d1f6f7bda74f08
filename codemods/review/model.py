"""A run to be reviewed: changes that are taken or left one by one, and what can't be changed. Every view renders this.

All of it is frozen and can be pickled; places are those of the untouched files.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..engine.apply import preview
from ..engine.units import Unit, Units
from ..finding import Confidence, Finding, Fix, Skipped, Trace
from ..tree.files import Files
from ..tree.source import Source, UnreadableSource
from ..version import __version__
from .hunks import Headings, Hunk, hunks_of


@dataclass(frozen=True, slots=True)
class Change:
    """One fix, of one finding or of several that go together, whole or not at all.

    `id` depends on the rule, the files and the changed code with the function around it, and on nothing else: it stays
    when other lines come and go, and is another one when the code or its fix is. `requires` are the ids of changes
    that this one builds on.
    """

    id: str
    number: int  # of the unit in `engine/units.py`
    rule: str
    title: str
    why: str
    path: str
    line: int
    scope: str
    confidence: Confidence
    unsafe: str | None
    trace: Trace
    findings: tuple[Finding, ...]
    hunks: tuple[Hunk, ...]
    requires: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that it writes to, sorted."""
        return tuple(sorted({hunk.path for hunk in self.hunks}))


@dataclass(frozen=True, slots=True)
class Open:
    """A finding that stays: refused (`unsafe` is None), or with a fix that is only made with --unsafe-fixes."""

    rule: str
    path: str
    line: int
    why: str
    confidence: Confidence
    reason: str
    trace: Trace
    unsafe: str | None = None
    title: str | None = None
    hunks: tuple[Hunk, ...] = ()


@dataclass(frozen=True)
class Review:
    """All there is to see of a run. `sources` are the untouched files that changes and traces speak of."""

    root: str
    version: str
    changes: tuple[Change, ...]
    open: tuple[Open, ...]
    skipped: tuple[Skipped, ...]
    files_seen: int
    sources: Mapping[str, Source] = field(default_factory=dict, repr=False)

    def by_id(self) -> dict[str, Change]:
        """The changes by their id."""
        return {change.id: change for change in self.changes}


class _Texts:
    """The untouched files, read as they are needed."""

    def __init__(self, files: Files, known: Mapping[str, Source]) -> None:
        self.files = files
        self.sources: dict[str, Source] = dict(known)
        self._missing: set[str] = set()
        self._scopes: dict[str, Headings] = {}

    def source(self, path: str) -> Source | None:
        if path not in self.sources and path not in self._missing:
            try:
                self.sources[path] = Source.from_bytes(path, self.files.read(path))
            except (OSError, UnreadableSource):
                self._missing.add(path)
        return self.sources.get(path)

    def scopes(self, path: str) -> Headings:
        if path not in self._scopes:
            source = self.source(path)
            self._scopes[path] = Headings(path, source.text if source is not None else "")
        return self._scopes[path]


def review_of(units: Units, files: Files) -> Review:
    """The review of a plan whose parts are `units`, of `files`."""
    texts = _Texts(files, units.originals)
    ids: list[str] = []
    seen: Counter[str] = Counter()
    hunks: list[tuple[Hunk, ...]] = []
    for unit in units.units:
        own = _hunks(unit, units, texts, imports=False)
        digest = _digest(unit.rule, own)
        hunks.append(_hunks(unit, units, texts) if unit.fix.imports else own)
        seen[digest] += 1
        ids.append(digest if seen[digest] == 1 else f"{digest}-{seen[digest]}")
    changes = [_change(unit, texts, ids, hunks[unit.number]) for unit in units.units]
    left = [_open(finding, units, texts) for finding in units.remaining]
    for finding in (*(f for unit in units.units for f in unit.findings), *units.remaining):
        for path in (finding.path, *(hop.path for hop in finding.trace)):
            texts.source(path)
    changes.sort(key=lambda change: (change.rule, change.path, change.line, change.number))
    plan = units.plan
    return Review(
        plan.root,
        __version__,
        tuple(changes),
        tuple(left),
        plan.skipped,
        plan.files_seen,
        dict(sorted(texts.sources.items())),
    )


def _hunks(unit: Unit, units: Units, texts: _Texts, imports: bool = True) -> tuple[Hunk, ...]:
    base = units.closed(unit.requires)
    before = units.texts(base, imports) if base else {}
    after = units.texts(units.closed([unit.number]), imports)
    hunks: list[Hunk] = []
    for path, new in after.items():
        if path in unit.fix.paths:
            old = before[path].text if path in before else new.before.text
            scopes = texts.scopes(path) if path not in before else Headings(path, old)
            hunks += hunks_of(path, old, new.text, scopes)
    return tuple(hunks)


def _digest(rule: str, hunks: Iterable[Hunk]) -> str:
    """Hash of the rule, the files and the changed lines with their scope; imports and lines around don't count."""
    parts = [rule]
    for hunk in hunks:
        parts += [hunk.path, hunk.scope, *(line for line in hunk.lines if line[0] in "-+")]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _change(unit: Unit, texts: _Texts, ids: list[str], hunks: tuple[Hunk, ...]) -> Change:
    findings = unit.findings
    first = min(findings, key=lambda finding: finding.sort_key)
    surest = max(findings, key=lambda finding: finding.confidence.rank)
    return Change(
        ids[unit.number],
        unit.number,
        unit.rule,
        unit.fix.title,
        first.message,
        first.path,
        first.span.line,
        texts.scopes(first.path).at(first.span.line),
        surest.confidence,
        unit.fix.unsafe,
        (surest if surest.trace else first).trace,
        findings,
        hunks,
        tuple(sorted(ids[number] for number in unit.requires)),
    )


def _open(finding: Finding, units: Units, texts: _Texts) -> Open:
    fix = finding.fix
    return Open(
        finding.rule,
        finding.path,
        finding.span.line,
        finding.message,
        finding.confidence,
        finding.reason or (fix.unsafe if fix is not None else None) or "",
        finding.trace,
        fix.unsafe if fix is not None else None,
        fix.title if fix is not None else None,
        _preview(fix, units) if fix is not None else (),
    )


def _preview(fix: Fix, units: Units) -> tuple[Hunk, ...]:
    """What a fix that was not made would do, to the files as they are after the changes."""
    sources = units.plan.sources
    try:
        before, after = preview(fix, sources)
    except (ValueError, SyntaxError, KeyError, UnicodeEncodeError):
        return ()
    hunks: list[Hunk] = []
    for path in sorted(after):
        old, new = (data.decode(sources[path].encoding, "replace") for data in (before[path], after[path]))
        hunks += hunks_of(path, old, new, Headings(path, old))
    return tuple(hunks)
