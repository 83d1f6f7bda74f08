"""A set of fixes tried on a project: which go together, what they make of it, and whether that is what they promise."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..finding import Edit, Finding, Fix, Span
from ..project import Project
from .apply import Touched, edits_of
from .verify import verify


class _Taken:
    """The places of one file that chosen fixes write to."""

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []  # what they replace: disjoint, sorted
        self._points: list[int] = []  # where they insert, sorted
        self._insertions: set[Edit] = set()

    def meets(self, edit: Edit) -> bool:
        """True when `edit` writes to the same characters, or inserts the same text at one place (a helper)."""
        at = bisect_left(self._ranges, (edit.end,))
        if at and self._ranges[at - 1][1] > edit.start:
            return True
        if edit.start == edit.end:
            return edit in self._insertions
        return bisect_right(self._points, edit.start) < bisect_left(self._points, edit.end)

    def add(self, edit: Edit) -> None:
        """Note that `edit` is chosen."""
        if edit.start < edit.end:
            insort(self._ranges, (edit.start, edit.end))
        else:
            insort(self._points, edit.start)
            self._insertions.add(edit)


def disjoint(fixes: Iterable[Fix]) -> list[Fix]:
    """The first fixes that do not get in each other's way; the others have their turn in the next pass."""
    chosen: list[Fix] = []
    taken: defaultdict[str, _Taken] = defaultdict(_Taken)
    for fix in fixes:
        if not any(taken[edit.path].meets(edit) for edit in fix.edits):
            chosen.append(fix)
            for edit in fix.edits:
                taken[edit.path].add(edit)
    return chosen


def nested(fixes: Iterable[Fix]) -> list[Fix]:
    """Those of `fixes` that can be tested together: all that they have in common is a whole fix of those before it.

    The fix of a class holds that of its base class, which may be applied alone. Small ones come first.
    """
    chosen: list[Fix] = []
    taken: defaultdict[str, _Taken] = defaultdict(_Taken)
    owners: dict[Edit, frozenset[Edit]] = {}  # by edit that of the first fix with it
    for fix in sorted(fixes, key=lambda fix: len(fix.edits)):
        own = frozenset(fix.edits)
        new = [edit for edit in fix.edits if edit not in owners]
        shared = {id(owner): owner for edit in own - set(new) for owner in [owners[edit]]}
        if all(owner <= own for owner in shared.values()) and not any(taken[edit.path].meets(edit) for edit in new):
            chosen.append(fix)
            owners.update(dict.fromkeys(new, own))
            for edit in new:
                taken[edit.path].add(edit)
    return chosen


def apart(fixes: Iterable[Fix]) -> list[Fix]:
    """`fixes`, each without the edits of those before it."""
    found: list[Fix] = []
    known: set[Edit] = set()
    for fix in fixes:
        edits = tuple(edit for edit in fix.edits if edit not in known)
        known.update(edits)
        found.append(fix if len(edits) == len(fix.edits) else replace(fix, edits=edits))
    return found


def texts_of(project: Project, fixes: Sequence[Fix], thorough: bool = True) -> tuple[dict[str, str], str | None]:
    """The new text of every file that `fixes` write to, and what is wrong with it (None: nothing)."""
    texts: dict[str, str] = {}
    try:
        for path, edits in edits_of(fixes, project.source, project.module).items():
            source = project.source(path)
            if source is None:
                return texts, f"{path} can't be read"
            texts[path] = source.apply(edits)
            why = verify(source, texts[path], edits, thorough)
            if why is not None:
                return texts, f"{why} ({path})"
    except (ValueError, RecursionError) as error:
        return texts, str(error)
    return texts, None


def rewritten(project: Project, fixes: Sequence[Fix]) -> tuple[Project, str | None]:
    """`project` with `fixes` applied, and None; or `project` as it is, and what is wrong with the result."""
    texts, why = texts_of(project, fixes)
    return (project.changed(texts) if why is None else project), why


def recheck(before: list[Finding], fixes: Sequence[Fix], after: list[Finding], project: Project) -> str | None:
    """What is wrong when the rule still finds what `fixes` should have fixed, or more than before; else None."""
    if len(after) > len(before):
        new = _new(before, after)
        return f"the result has hazards that were not there before: {new.path}:{new.span.line}, {new.message}"
    if not after:
        return None
    edits, applied = edits_of(fixes, project.source, project.module), set(fixes)
    places: dict[str, Touched] = {}
    others = _Starts(finding for finding in before if finding.fix not in applied)
    left = _Starts(after)
    for finding in before:
        source = project.source(finding.path)
        if finding.fix not in applied or source is None:
            continue
        if finding.path not in places:
            places[finding.path] = Touched(source, edits.get(finding.path, ()))
        area, area_after = places[finding.path].areas(finding.span)
        if left.within(area_after, finding) > others.within(area, finding):
            return "the hazard is still there after its fix"
    return None


def _new(before: Iterable[Finding], after: Iterable[Finding]) -> Finding:
    """The first of `after`, which are more, that says what none of `before` says in its file."""
    known = Counter((finding.path, finding.message) for finding in before)
    found = [*after]
    for finding in found:
        known[finding.path, finding.message] -= 1
        if known[finding.path, finding.message] < 0:
            return finding
    return found[-1]


class _Starts:
    """Where findings start, by file and message."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self._places: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        for finding in findings:
            self._places[finding.path, finding.message].append((finding.span.line, finding.span.column))
        for places in self._places.values():
            places.sort()

    def within(self, area: Span, like: Finding) -> int:
        """How many start in `area` of the file of `like` and say the same."""
        places = self._places.get((like.path, like.message), [])
        return bisect_left(places, (area.end_line, area.end_column)) - bisect_left(places, (area.line, area.column))


def identity(fix: Fix, project: Project) -> object:
    """What `fix` writes over what, wherever that stands: recognises it after other edits moved it."""
    removed = []
    for edit in fix.edits:
        source = project.source(edit.path)
        removed.append((edit.path, edit.text, source.text[edit.start : edit.end] if source else ""))
    return fix.title, fix.imports, tuple(removed)
