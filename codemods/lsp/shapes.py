"""A report in the words of the Language Server Protocol. Positions count from 0, in the units that the client chose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from lsprotocol import types

from ..engine.apply import edits_of, parsed, written
from ..engine.migrate import Report
from ..finding import Confidence, Edit, Finding, Span
from ..syntax.suppress import ignored
from ..tree.source import Source

Units = Callable[[str], int]  # how many units of the client a text has
_SEVERITY = {
    Confidence.PROVEN: types.DiagnosticSeverity.Error,
    Confidence.LIKELY: types.DiagnosticSeverity.Warning,
    Confidence.POSSIBLE: types.DiagnosticSeverity.Information,
}
NAME = "spawnfix"


class Shapes:
    """What one report is for a client that has opened the folder `base`.

    `units` measures text; `same` says whether the text of a file (URI) is still the one that was looked at.
    """

    def __init__(self, report: Report, base: Path, units: Units, same: Callable[[str, Source], bool]) -> None:
        self.report, self.base, self._units, self._same = report, base, units, same

    def uri(self, path: str) -> str:
        """The URI of a file of the report."""
        return (self.base / path).as_uri()

    def diagnostics(self) -> dict[str, list[types.Diagnostic]]:
        """The findings by URI; each has its trace as related information."""
        rows: dict[str, list[types.Diagnostic]] = {}
        for finding in self.report.findings:
            rows.setdefault(self.uri(finding.path), []).append(self._diagnostic(finding))
        return rows

    def not_looked_at(self) -> Iterator[tuple[str, types.Diagnostic]]:
        """For each file that was not, or not wholly, looked at: its URI, and why."""
        start = types.Range(types.Position(0, 0), types.Position(0, 0))
        for row in self.report.skipped:
            if row.path != ".":
                text = f"{'only in part' if row.partly else 'not'} looked at: {row.reason}"
                yield (
                    self.uri(row.path),
                    types.Diagnostic(start, text, types.DiagnosticSeverity.Information, source=NAME),
                )

    def actions(self, path: str, wanted: types.Range) -> list[types.CodeAction]:
        """The fixes of the findings in `wanted` of `path`, and the comments that silence them."""
        return [action for finding in self.at(path, wanted) for action in self._actions(finding)]

    def hover(self, path: str, position: types.Position) -> types.Hover | None:
        """What was found at `position`, why, and what fixes it; None where nothing was."""
        found = list(self.at(path, types.Range(position, position)))
        if not found:
            return None
        text = "\n\n---\n\n".join(self._explained(finding) for finding in found)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), self._range(path, found[0].span))

    def at(self, path: str, wanted: types.Range) -> Iterator[Finding]:
        """The findings of `path` that share a character, or an edge, with `wanted`."""
        low, high = (wanted.start.line, wanted.start.character), (wanted.end.line, wanted.end.character)
        for finding in self.report.findings:
            if finding.path == path:
                there = self._range(path, finding.span)
                if (there.start.line, there.start.character) <= high and low <= (there.end.line, there.end.character):
                    yield finding

    def _diagnostic(self, finding: Finding) -> types.Diagnostic:
        why_not = self.report.why_not(finding)
        return types.Diagnostic(
            range=self._range(finding.path, finding.span),
            message=finding.message if why_not is None else f"{finding.message}\nnot fixed: {why_not}",
            severity=_SEVERITY[finding.confidence],
            code=finding.rule,
            source=NAME,
            related_information=[
                types.DiagnosticRelatedInformation(
                    types.Location(self.uri(hop.path), self._range(hop.path, Span(hop.line, 1, hop.line, 1))), hop.what
                )
                for hop in finding.trace
            ],
        )

    def _actions(self, finding: Finding) -> Iterator[types.CodeAction]:
        diagnostics = [self._diagnostic(finding)]
        sources = self.report.sources
        fix = finding.fix
        if fix is not None and all(path in sources and self._same(self.uri(path), sources[path]) for path in fix.paths):
            safe = self.report.why_not(finding) is None
            title = f"spawnfix: {fix.title}" if safe else f"spawnfix, unsafe: {fix.title} ({fix.unsafe})"
            yield self._action(title, edits_of([fix], sources.get, parsed(sources)), diagnostics, preferred=safe)
        source = sources.get(finding.path)
        if source is not None and self._same(self.uri(finding.path), source):
            edit = ignored(source, finding)
            if edit is not None:
                yield self._action(f"spawnfix: ignore {finding.rule} on this line", {finding.path: [edit]}, diagnostics)

    def _action(
        self,
        title: str,
        edits: dict[str, list[Edit]],
        diagnostics: list[types.Diagnostic],
        preferred: bool = False,
    ) -> types.CodeAction:
        changes = {
            self.uri(path): list(self._text_edits(self.report.sources[path], todo)) for path, todo in edits.items()
        }
        return types.CodeAction(
            title=title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=diagnostics,
            is_preferred=preferred,
            edit=types.WorkspaceEdit(changes=changes),
        )

    def _text_edits(self, source: Source, edits: Iterable[Edit]) -> Iterator[types.TextEdit]:
        for edit in edits:
            span = source.span(edit.start, edit.end)
            yield types.TextEdit(self._range(source.path, span), written(source, edit))

    def _explained(self, finding: Finding) -> str:
        why_not = self.report.why_not(finding)
        last = "There is a quick fix." if why_not is None else f"Not fixed: {_plain(why_not)}."
        steps = [f"{n}. `{hop.path}:{hop.line}` {_plain(hop.what)}" for n, hop in enumerate(finding.trace, 1)]
        head = f"**spawnfix {finding.rule}** ({finding.confidence.value}): {_plain(finding.message)}"
        return "\n\n".join([head, *(["\n".join(steps)] if steps else []), last])

    def _range(self, path: str, span: Span) -> types.Range:
        return types.Range(
            self._position(path, span.line, span.column), self._position(path, span.end_line, span.end_column)
        )

    def _position(self, path: str, line: int, column: int) -> types.Position:
        source = self.report.sources.get(path)
        if source is None or line > len(source.line_starts):
            return types.Position(line - 1, column - 1)
        return types.Position(line - 1, self._units(source.line_text(line)[: column - 1]))


def _plain(text: str) -> str:
    """`text` that Markdown shows as it is, but for code in backticks; it may come from an untrusted repository."""
    return "".join(f"\\{letter}" if letter in "\\*_[]()<>#!|~&" else letter for letter in text)
