"""Fixes to text: their edits with the imports they need, file by file."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping

from ..finding import Edit, Fix, Import, Span
from ..syntax.imports import import_edits
from ..tree.source import Source


def edits_of(
    fixes: Iterable[Fix], source: Callable[[str], Source | None], module: Callable[[str], ast.Module | None]
) -> dict[str, list[Edit]]:
    """All edits of `fixes` by path, those for missing imports first.

    Raises ValueError for a file that can't be read.
    """
    edits: dict[str, list[Edit]] = {}
    needs: dict[str, list[Import]] = {}
    for fix in fixes:
        for need in fix.imports:
            needs.setdefault(need.path, []).append(need)
    for path, imports in needs.items():
        text, tree = source(path), module(path)
        if text is None or tree is None:
            raise ValueError(f"{path} can't be read or parsed")
        edits[path] = import_edits(text, tree, imports)
    for fix in fixes:
        for edit in fix.edits:
            edits.setdefault(edit.path, []).append(edit)
    return edits


def overlap(one: Fix, other: Fix) -> bool:
    """True when the two write to the same characters, or insert the same text at one place (a helper both want)."""
    return any(
        a.path == b.path and ((a.start < b.end and b.start < a.end) or a == b) for a in one.edits for b in other.edits
    )


def parsed(sources: Mapping[str, Source]) -> Callable[[str], ast.Module | None]:
    """The syntax trees of `sources` on demand."""
    return lambda path: ast.parse(sources[path].text) if path in sources else None


def preview(fix: Fix, sources: Mapping[str, Source]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files of `fix` (before, after) as bytes, when nothing but this fix is applied to `sources`."""
    edits = edits_of([fix], sources.get, parsed(sources))
    before = {path: sources[path].encode(sources[path].text) for path in edits}
    return before, {path: sources[path].encode(sources[path].apply(todo)) for path, todo in edits.items()}


def written(source: Source, edit: Edit) -> str:
    """The new text of `edit` as it stands in the file: with the file's newlines."""
    return re.sub(r"\r\n|\r|\n", lambda _: source.newline, edit.text)


def touched(source: Source, edits: Iterable[Edit], span: Span) -> tuple[Span, Span]:
    """`span` of `source` with all that edits reaching into it replace, and where that stands after `edits`."""
    edits = sorted(edits, key=lambda edit: (edit.start, edit.end))
    start = source.line_starts[span.line - 1] + span.column - 1
    end = source.line_starts[span.end_line - 1] + span.end_column - 1
    for edit in edits:
        if edit.start < end and start < edit.end:
            start, end = min(start, edit.start), max(end, edit.end)
    shift = [len(written(source, edit)) - (edit.end - edit.start) for edit in edits]
    low = start + sum(size for size, edit in zip(shift, edits, strict=True) if edit.end <= start and edit.start < start)
    # what is only inserted right behind the span is no part of it
    inside = [size for size, edit in zip(shift, edits, strict=True) if edit.end <= end and edit.start < end]
    high = end + sum(inside)
    return source.span(start, end), Source(source.path, source.apply(edits)).span(low, high)
