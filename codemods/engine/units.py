"""A plan taken apart: each fix is a unit that may be left out, and any selection of units has a text.

A file is a row of pieces, and no piece is ever dropped from the row: it knows which unit inserted it and which unit
deleted it. The text of a selection is read off the row, so leaving one unit out moves nothing else.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from ..finding import Edit, Finding, Fix, Hop, Import
from ..syntax.import_edits import import_edits
from ..tree.old_names import tree_of
from ..tree.source import Source
from .apply import written
from .results import AppliedStep, Plan

_ORIGINAL = -1  # the inserter of text that was there before
_IMPORT = -2  # the inserter of imports, of which a selection has those that it needs, and of text by hand
_NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Unit:
    """One fix, whole or not at all. Places of `findings` are those of the untouched files, the edits of `fix` are not.

    `requires` are the units whose text this one changes: it means nothing without them.
    """

    number: int
    rule: str
    fix: Fix
    findings: tuple[Finding, ...]
    group: int  # position of its rule's change in the plan
    requires: frozenset[int] = frozenset()
    tangled: bool = False  # it rewrites imports that others brought: only the whole plan has a place for it


@dataclass(frozen=True)
class NewText:
    """The text of one file, and the edits of the untouched file that lead to it."""

    before: Source
    text: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    start: int  # offset in the untouched file, of original text
    inserted_by: int
    deleted_by: int | None = None

    def split(self, at: int) -> tuple[_Piece, _Piece]:
        return replace(self, text=self.text[:at]), replace(self, text=self.text[at:], start=self.start + at)


_Change = tuple[int, int, str, int]  # start and end in the visible text, new text, who writes it


class Units:
    """The units of a plan. Raises ValueError when they don't add up to the plan, which would be a mistake of ours."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.originals: dict[str, Source] = {}
        self._rows: dict[str, list[_Piece]] = {}
        self._visible: dict[str, Source] = {}  # the text with all units so far, of the files in `_rows`
        self._trees: dict[str, ast.Module | None] = {}
        units: list[Unit] = []
        for group, change in enumerate(plan.changes):
            for step in change.steps:
                units += self._step(step, change.rule, group, len(units))
        self.units = tuple(units)
        self.remaining = tuple(self._placed(finding) for finding in plan.remaining)
        for path, data in plan.contents.items():
            if path not in self._visible or self.originals[path].encode(self._visible[path].text) != data:
                raise ValueError(f"the parts of the change of {path} don't add up")

    def _step(self, step: AppliedStep, rule: str, group: int, first: int) -> list[Unit]:
        for path, source in step.before.items():
            if path not in self._rows:
                self.originals[path] = self._visible[path] = source
                self._rows[path] = [_Piece(source.text, 0, _ORIGINAL)]
        findings: dict[Fix | None, list[Finding]] = {}
        for finding in step.findings:
            findings.setdefault(finding.fix, []).append(self._placed(finding))
        needs: dict[int, set[int]] = {}
        for path in sorted({path for fix in step.fixes for path in fix.paths}):
            imports = [need for fix in step.fixes for need in fix.imports if need.path == path]
            source = step.before[path]
            tree = _parsed(source.text) if imports else None
            changes: list[_Change] = []
            if tree is not None:
                changes += [(e.start, e.end, e.text, _IMPORT) for e in import_edits(source, tree, imports)]
            for number, fix in enumerate(step.fixes, first):
                changes += [(e.start, e.end, written(source, e), number) for e in fix.edits if e.path == path]
            for writer, other in self._merge(path, changes):
                needs.setdefault(writer, set()).add(other)
        return [
            Unit(
                number,
                rule,
                fix,
                tuple(findings.get(fix, ())),
                group,
                frozenset(needs.get(number, set()) - {_IMPORT, number}),
                _IMPORT in needs.get(number, set()),
            )
            for number, fix in enumerate(step.fixes, first)
        ]

    def _merge(self, path: str, changes: list[_Change]) -> set[tuple[int, int]]:
        """Put `changes` into the row of `path`; gives pairs (unit, the unit whose text it changes)."""
        newline = self.originals[path].newline
        ready = [(start, end, _NEWLINE.sub(newline, text), by) for start, end, text, by in changes]
        self._rows[path], needs = _merged(self._rows[path], ready)
        text = "".join(piece.text for piece in self._rows[path] if piece.deleted_by is None)
        self._visible[path] = replace(self.originals[path], text=text)
        return {(writer, other) for writer, other in needs if writer >= 0}

    # places of the untouched files

    def _placed(self, finding: Finding) -> Finding:
        trace = tuple(Hop(hop.path, self._line(hop.path, hop.line), hop.what) for hop in finding.trace)
        span = finding.span
        if finding.path in self._rows:
            low = self._offset(finding.path, span.line, span.column)
            high = max(low, self._offset(finding.path, span.end_line, span.end_column))
            span = self.originals[finding.path].span(low, high)
        return replace(finding, span=span, trace=trace)

    def _line(self, path: str, line: int) -> int:
        if path not in self._rows:
            return line
        return self.originals[path].position(self._offset(path, line, 1))[0]

    def _offset(self, path: str, line: int, column: int) -> int:
        """The offset in the untouched file of a place in the present text; of new text, where it was put."""
        starts = self._visible[path].line_starts
        rest = starts[min(line, len(starts)) - 1] + column - 1
        last = 0
        for piece in self._rows[path]:
            original = piece.inserted_by == _ORIGINAL
            if piece.deleted_by is None:
                if rest < len(piece.text):
                    return piece.start + rest if original else last
                rest -= len(piece.text)
            last = piece.start + len(piece.text) if original else last
        return last

    # selections

    def closed(self, chosen: Collection[int]) -> frozenset[int]:
        """`chosen` and all that they require."""
        todo, found = list(chosen), set(chosen)
        while todo:
            more = self.units[todo.pop()].requires - found
            found |= more
            todo += more
        return frozenset(found)

    def paths(self, chosen: Collection[int]) -> list[str]:
        """The files that `chosen` write to, sorted."""
        return sorted({path for number in chosen for path in self.units[number].fix.paths})

    def texts(
        self, chosen: Collection[int], imports: bool = True, edited: Mapping[str, Iterable[Edit]] | None = None
    ) -> dict[str, NewText]:
        """The files that `chosen`, which holds all that it requires, write to; without the imports if not wanted.

        `edited` are edits of untouched files in the place of units that a person changed by hand; raises ValueError
        when one of them meets the text of a unit that is chosen.
        """
        done = {}
        by_hand = {path: list(edits) for path, edits in (edited or {}).items()}
        for path in sorted({*self.paths(chosen), *by_hand}):
            original, row = self.originals[path], self._rows[path]
            pieces = [
                replace(piece, deleted_by=None)
                for piece in row
                if (piece.inserted_by == _ORIGINAL or piece.inserted_by in chosen) and piece.deleted_by not in chosen
            ]
            if path in by_hand:
                pieces = _by_hand(pieces, original, by_hand[path])
            needs = [need for number in chosen for need in self.units[number].fix.imports if need.path == path]
            if needs and imports:
                pieces = self._with_imports(path, pieces, needs, path not in by_hand)
            done[path] = NewText(original, "".join(piece.text for piece in pieces), _edits(original, pieces))
        return done

    def _with_imports(self, path: str, pieces: list[_Piece], needs: list[Import], quick: bool) -> list[_Piece]:
        original = self.originals[path]
        if quick:  # at the places in the untouched file, which is parsed already
            if path not in self._trees:
                self._trees[path] = _parsed(original.text)
            tree = self._trees[path]
            if tree is not None:
                edits = import_edits(original, tree, needs)
                places = [_place(pieces, edit.start) for edit in edits]
                if None not in places:
                    return _inserted(pieces, original, zip(places, edits, strict=True))
        source = replace(original, text="".join(piece.text for piece in pieces))
        tree = _parsed(source.text)
        if tree is None:
            return pieces  # the check of the result says why
        return _inserted(pieces, original, ((edit.start, edit) for edit in import_edits(source, tree, needs)))


def _parsed(text: str) -> ast.Module | None:
    try:
        return tree_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _merged(pieces: list[_Piece], changes: list[_Change]) -> tuple[list[_Piece], set[tuple[int, int]]]:
    """`pieces` with `changes` of their visible text, and pairs (writer, the inserter of the text that it changes)."""
    out: list[_Piece] = []
    needs: set[tuple[int, int]] = set()
    rest = pieces[::-1]
    position = 0
    for start, end, text, by in sorted(changes, key=lambda change: change[:2]):
        while position < start:
            piece = rest.pop()
            if piece.deleted_by is None:
                if len(piece.text) > start - position:
                    piece, after = piece.split(start - position)
                    rest.append(after)
                    if piece.inserted_by != _ORIGINAL:
                        needs.add((by, piece.inserted_by))
                position += len(piece.text)
            out.append(piece)
        while rest and rest[-1].deleted_by is not None:
            out.append(rest.pop())
        if text:
            out.append(_Piece(text, 0, by))
        while position < end:
            piece = rest.pop()
            if piece.deleted_by is None:
                if len(piece.text) > end - position:
                    piece, after = piece.split(end - position)
                    rest.append(after)
                if piece.inserted_by != _ORIGINAL:
                    needs.add((by, piece.inserted_by))
                position += len(piece.text)
                piece = replace(piece, deleted_by=by)
            out.append(piece)
    return [*out, *reversed(rest)], needs


def _place(pieces: Iterable[_Piece], offset: int) -> int | None:
    """Where in the text of `pieces` something goes that belongs at `offset` of the untouched file; None: nowhere."""
    if offset == 0:
        return 0
    at = 0
    for piece in pieces:
        if piece.inserted_by == _ORIGINAL and piece.start < offset <= piece.start + len(piece.text):
            return at + offset - piece.start
        at += len(piece.text)
    return None


def _inserted(pieces: list[_Piece], original: Source, placed: Iterable[tuple[int | None, Edit]]) -> list[_Piece]:
    changes = [(at, at, _NEWLINE.sub(original.newline, edit.text), _IMPORT) for at, edit in placed if at is not None]
    return _merged(pieces, changes)[0]


def _by_hand(pieces: list[_Piece], original: Source, edits: Iterable[Edit]) -> list[_Piece]:
    """`pieces` with `edits` of the untouched file. Raises ValueError where its text is not there."""
    changes = []
    for edit in edits:
        low = _place(pieces, edit.start)
        high = low if edit.end == edit.start else _place(pieces, edit.end)
        if low is None or high is None or high - low != edit.end - edit.start:
            line = original.position(edit.start)[0]
            raise ValueError(f"the edited lines of {original.path}:{line} meet another change that was accepted")
        changes.append((low, high, _NEWLINE.sub(original.newline, edit.text), _IMPORT))
    merged = _merged(pieces, changes)[0]
    return [piece for piece in merged if piece.deleted_by is None]


def _edits(original: Source, pieces: Iterable[_Piece]) -> tuple[Edit, ...]:
    """The edits of `original` that lead to `pieces`."""
    edits: list[Edit] = []
    at, pending = 0, ""
    for piece in (*pieces, _Piece("", len(original.text), _ORIGINAL)):
        if piece.inserted_by != _ORIGINAL:
            pending += piece.text
            continue
        if piece.start > at or pending:
            edits.append(Edit(original.path, at, piece.start, pending))
        at, pending = piece.start + len(piece.text), ""
    return tuple(edits)
