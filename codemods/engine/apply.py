"""Fixes to text: their edits with the imports they need, file by file."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from ..finding import Edit, Fix, Import, Span
from ..syntax.import_edits import import_edits
from ..tree.old_names import tree_of
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


def parsed(sources: Mapping[str, Source]) -> Callable[[str], ast.Module | None]:
    """The syntax trees of `sources` on demand."""
    return lambda path: _tree(sources[path].text) if path in sources else None


@lru_cache(maxsize=8)
def _tree(text: str) -> ast.Module:
    """The tree of a file that many fixes are shown for."""
    return tree_of(text)


def preview(fix: Fix, sources: Mapping[str, Source]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files of `fix` (before, after) as bytes, when nothing but this fix is applied to `sources`."""
    edits = edits_of([fix], sources.get, parsed(sources))
    before = {path: sources[path].encode(sources[path].text) for path in edits}
    return before, {path: sources[path].encode(sources[path].apply(todo)) for path, todo in edits.items()}


def written(source: Source, edit: Edit) -> str:
    """The new text of `edit` as it stands in the file: with the file's newlines."""
    return re.sub(r"\r\n|\r|\n", lambda _: source.newline, edit.text)


class Touched:
    """Where places of `source` are after `edits`."""

    def __init__(self, source: Source, edits: Iterable[Edit]) -> None:
        self._source = source
        self._edits = sorted(edits, key=lambda edit: (edit.start, edit.end))
        self._starts = [edit.start for edit in self._edits]
        self._ends = [edit.end for edit in self._edits]  # in order too: edits do not overlap
        self._shifts = [0]  # of all text behind the first so many edits
        for edit in self._edits:
            self._shifts.append(self._shifts[-1] + len(written(source, edit)) - (edit.end - edit.start))
        self._after = Source(source.path, source.apply(self._edits))

    def areas(self, span: Span) -> tuple[Span, Span]:
        """`span` with all that edits reaching into it replace, and where that stands after the edits."""
        source = self._source
        start = source.line_starts[span.line - 1] + span.column - 1
        end = source.line_starts[span.end_line - 1] + span.end_column - 1
        # the edits that reach into it follow each other
        for edit in self._edits[bisect_right(self._ends, start) : bisect_left(self._starts, end)]:
            start, end = min(start, edit.start), max(end, edit.end)
        # what is only inserted at the start comes before it, right behind it is no part of it
        low = start + self._shifts[bisect_left(self._starts, start)]
        high = end + self._shifts[bisect_left(self._starts, end)]
        return source.span(start, end), self._after.span(low, high)


def regions(before: Source, edits: Sequence[Edit]) -> list[tuple[int, int]]:
    """Where the new texts of `edits` stand in the result: (start, end) offsets, in order."""
    found, shift = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        size = len(written(before, edit))
        found.append((edit.start + shift, edit.start + shift + size))
        shift += size - (edit.end - edit.start)
    return found
