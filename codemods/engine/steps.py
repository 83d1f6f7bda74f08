"""A set of fixes tried on a project: which go together, what they make of it, and whether that is what they promise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..finding import Finding, Fix, Span
from ..project import Project
from .apply import edits_of, overlap, touched
from .verify import verify


def disjoint(fixes: Iterable[Fix]) -> list[Fix]:
    """The first fixes that do not get in each other's way; the others have their turn in the next pass."""
    chosen: list[Fix] = []
    beside: dict[str, list[Fix]] = {}  # those chosen, by the files that they write to
    for fix in fixes:
        if not any(overlap(fix, other) for path in fix.paths for other in beside.get(path, ())):
            chosen.append(fix)
            for path in fix.paths:
                beside.setdefault(path, []).append(fix)
    return chosen


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
    """What is wrong when the rule still finds what `fixes` should have repaired, or more than before; else None."""
    if len(after) > len(before):
        return "the result has hazards that were not there before"
    if not after:
        return None
    edits = edits_of(fixes, project.source, project.module)
    for finding in before:
        source = project.source(finding.path)
        if finding.fix not in fixes or source is None:
            continue
        area, area_after = touched(source, edits.get(finding.path, ()), finding.span)
        others = sum(_is_in(area, finding, other) and other.fix not in fixes for other in before)
        if sum(_is_in(area_after, finding, other) for other in after) > others:
            return "the hazard is still there after its fix"
    return None


def _is_in(area: Span, like: Finding, finding: Finding) -> bool:
    """True when `finding` starts in `area` of the file of `like` and says the same."""
    start = (finding.span.line, finding.span.column)
    inside = (area.line, area.column) <= start < (area.end_line, area.end_column)
    return inside and finding.path == like.path and finding.message == like.message


def identity(fix: Fix, project: Project) -> object:
    """What `fix` writes over what, wherever that stands: recognises it after other edits moved it."""
    removed = []
    for edit in fix.edits:
        source = project.source(edit.path)
        removed.append((edit.path, edit.text, source.text[edit.start : edit.end] if source else ""))
    return fix.title, fix.imports, tuple(removed)
