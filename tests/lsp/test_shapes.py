"""A report as an editor gets it, in this process: ranges, actions, hovers; and which repository a file belongs to."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest
from lsprotocol import types

from codemods.engine.migrate import Report, check
from codemods.finding import Confidence, Finding, Fix, Hop, Skipped, Span
from codemods.lsp.server import Server, _is_file, _Place, _same, create
from codemods.lsp.shapes import Shapes
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

TRAIN = """\
from torch.utils.data import DataLoader


def loader(dataset):
    return DataLoader(dataset, num_workers=2, collate_fn=lambda batch: batch)
"""
BASE = Path("/project").absolute()
FIRST, LAST = 57, 76  # columns of the lambda, from 0; the last is behind it


def shapes(text: str = TRAIN, same: bool = True, settings: Settings | None = None) -> Shapes:
    report = check(MemoryFiles({"train.py": text.encode(), "broken.py": b"f = (\n"}), settings or Settings())
    return Shapes(report, BASE, len, lambda uri, source: same)


def made(*findings: Finding, skipped: tuple[Skipped, ...] = ()) -> Shapes:
    return Shapes(Report(".", findings, skipped, 1), BASE, len, lambda uri, source: True)


def place(line: int, start: int, end: int) -> types.Range:
    return types.Range(types.Position(line, start), types.Position(line, end))


@each_row(
    ("wanted", "found"),
    [
        (place(4, FIRST, FIRST), 1),
        (place(4, LAST, LAST), 1),
        (place(4, 0, FIRST), 1),
        (place(4, LAST, LAST + 1), 1),
        (place(4, FIRST + 2, FIRST + 3), 1),
        (place(4, 0, FIRST - 1), 0),
        (place(4, LAST + 1, LAST + 9), 0),
        (place(3, FIRST, LAST), 0),
        (place(5, FIRST, LAST), 0),
        (types.Range(types.Position(0, 0), types.Position(9, 0)), 1),
        (types.Range(types.Position(0, 0), types.Position(4, FIRST - 1)), 0),
        (types.Range(types.Position(4, LAST + 1), types.Position(9, 0)), 0),
    ],
)
def test_what_stands_at_a_place(wanted: types.Range, found: int) -> None:
    there = shapes()
    assert len([*there.at("train.py", wanted)]) == found
    assert len(there.actions("train.py", wanted)) == 2 * found
    assert [*there.at("other.py", wanted)] == []


def test_a_diagnostic() -> None:
    there = shapes()
    ((uri, (row,)),) = there.diagnostics().items()
    assert uri == (BASE / "train.py").as_uri()
    assert row.range == place(4, FIRST, LAST)
    assert (row.code, row.source, row.severity) == ("lambdas", "spawnfix", types.DiagnosticSeverity.Error)
    (finding,) = there.report.findings
    assert row.message == finding.message and finding.reason is None
    assert row.related_information == [
        types.DiagnosticRelatedInformation(types.Location(uri, place(hop.line - 1, 0, 0)), hop.what)
        for hop in finding.trace
    ]
    assert len(finding.trace) == 2


@pytest.mark.parametrize(
    ("confidence", "severity"),
    [
        (Confidence.PROVEN, types.DiagnosticSeverity.Error),
        (Confidence.LIKELY, types.DiagnosticSeverity.Warning),
        (Confidence.POSSIBLE, types.DiagnosticSeverity.Information),
    ],
)
def test_how_sure_it_is_and_why_it_is_not_fixed(confidence: Confidence, severity: types.DiagnosticSeverity) -> None:
    finding = Finding("lambdas", "a.py", Span(3, 5, 3, 9), "a *bad* thing", confidence, (Hop("b.py", 7, "goes [on]"),),
                      reason="nobody knows")  # fmt: skip
    there = made(finding)
    ((row,),) = there.diagnostics().values()
    assert row.severity == severity
    assert row.message == "a *bad* thing\nnot fixed: nobody knows"
    assert row.range == place(2, 4, 8)  # of a file whose text is not there
    hover = there.hover("a.py", types.Position(2, 5))
    assert hover is not None and isinstance(hover.contents, types.MarkupContent)
    assert hover.range == place(2, 4, 8)
    assert hover.contents.kind == types.MarkupKind.Markdown
    assert hover.contents.value == (
        f"**spawnfix lambdas** ({confidence.value}): a \\*bad\\* thing\n\n1. `b.py:7` goes \\[on\\]\n\n"
        "Not fixed: nobody knows."
    )
    assert there.hover("a.py", types.Position(2, 9)) is None
    assert there.actions("a.py", row.range) == []  # its text is not there


def test_two_findings_at_one_place() -> None:
    rows = [Finding(rule, "a.py", Span(3, 5, 3, 9), rule, Confidence.LIKELY, reason="no") for rule in ("one", "two")]
    hover = made(*rows).hover("a.py", types.Position(2, 5))
    assert hover is not None and isinstance(hover.contents, types.MarkupContent)
    one, two = hover.contents.value.split("\n\n---\n\n")
    assert one == "**spawnfix one** (likely): one\n\nNot fixed: no."
    assert two.startswith("**spawnfix two**")


def test_actions() -> None:
    there = shapes()
    fix, ignore = there.actions("train.py", place(4, FIRST, FIRST))
    uri = (BASE / "train.py").as_uri()
    assert fix.title == f"spawnfix: {there.report.findings[0].fix.title}"  # type: ignore[union-attr]
    assert (fix.kind, fix.is_preferred) == (types.CodeActionKind.QuickFix, True)
    assert fix.diagnostics == there.diagnostics()[uri]
    assert fix.edit is not None and fix.edit.changes is not None and [*fix.edit.changes] == [uri]
    assert place(4, FIRST, LAST) in [edit.range for edit in fix.edit.changes[uri]]
    assert ignore.title == "spawnfix: ignore lambdas on this line"
    assert (ignore.kind, ignore.is_preferred) == (types.CodeActionKind.QuickFix, False)
    assert ignore.edit is not None and ignore.edit.changes is not None
    (edit,) = ignore.edit.changes[uri]
    assert edit.new_text.strip() == "# spawnfix: ignore[lambdas]"
    assert edit.range.start.line == 4
    hover = there.hover("train.py", types.Position(4, FIRST))
    assert hover is not None and isinstance(hover.contents, types.MarkupContent)
    assert hover.contents.value.endswith("\n\nThere is a quick fix.")


def test_no_action_for_another_text() -> None:
    assert shapes(same=False).actions("train.py", place(4, FIRST, FIRST)) == []


def test_an_unsafe_fix_is_not_preferred() -> None:
    fix = Fix("Do it", (), unsafe="who knows")
    finding = Finding("lambdas", "a.py", Span(3, 5, 3, 9), "a thing", Confidence.LIKELY, fix=fix)
    (row,) = made(finding).actions("a.py", place(2, 4, 4))
    assert row.title == "spawnfix, unsafe: Do it (who knows)"
    assert not row.is_preferred


def test_what_was_not_looked_at() -> None:
    ((uri, row),) = shapes().not_looked_at()
    assert uri == (BASE / "broken.py").as_uri()
    assert row.message == "not looked at: line 1: '(' was never closed"
    assert (row.range, row.source, row.severity) == (place(0, 0, 0), "spawnfix", types.DiagnosticSeverity.Information)
    there = made(skipped=(Skipped(".", "all"), Skipped("a.py", "too long", partly=True)))
    ((uri, row),) = there.not_looked_at()
    assert (uri, row.message) == ((BASE / "a.py").as_uri(), "only in part looked at: too long")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("file:///a%20b.py", "file:///a b.py", True),
        ("file:///a.py", "file:///a.py", True),
        ("file:///a.py", "file:///b.py", False),
    ],
)
def test_one_file(one: str, other: str, same: bool) -> None:
    assert _same(one, other) is same


def test_no_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    assert _is_file(tmp_path / "a")
    assert not _is_file(tmp_path) and not _is_file(tmp_path / "b") and not _is_file(Path("a\0b"))


def initialize(server: Server, folders: list[Path]) -> None:
    """What an editor does first."""
    asked = types.InitializeParams(
        capabilities=types.ClientCapabilities(),
        workspace_folders=[types.WorkspaceFolder(each.as_uri(), each.name) for each in folders],
    )
    for _ in server.protocol.lsp_initialize(asked):
        pass


def test_what_an_editor_asks_for_is_answered_from_the_last_look() -> None:
    server = create()
    initialize(server, [])
    asked = server.protocol.fm.features
    server.places[BASE / "train.py"] = _Place(shapes=shapes())
    document = types.TextDocumentIdentifier((BASE / "train.py").as_uri())
    other = types.TextDocumentIdentifier((BASE / "other.py").as_uri())
    at = types.Position(4, FIRST)
    hover = asked[types.TEXT_DOCUMENT_HOVER](types.HoverParams(document, at))
    assert hover == shapes().hover("train.py", at) and hover is not None
    assert asked[types.TEXT_DOCUMENT_HOVER](types.HoverParams(other, at)) is None
    context = types.CodeActionContext([])
    actions = asked[types.TEXT_DOCUMENT_CODE_ACTION]
    found = actions(types.CodeActionParams(document, types.Range(at, at), context))
    assert found == shapes().actions("train.py", types.Range(at, at)) and found
    assert actions(types.CodeActionParams(other, types.Range(at, at), context)) == []


class Watched(Server):
    """A server without an editor; it keeps what it would send."""

    def __init__(self, folders: list[Path]) -> None:
        super().__init__()
        self.sent: list[tuple[str, int]] = []
        self.said: list[str] = []
        initialize(self, folders)

    def text_document_publish_diagnostics(self, params: types.PublishDiagnosticsParams) -> None:
        self.sent.append((params.uri.rpartition("/")[2], len(params.diagnostics)))

    def window_log_message(self, params: types.LogMessageParams) -> None:
        self.said.append(params.message)


def test_a_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    home, open_folder = tmp_path / "home", tmp_path / "open"
    for folder in (home, open_folder, tmp_path / "alone"):
        (folder / "src").mkdir(parents=True)
        (folder / "src" / "train.py").write_text(TRAIN)
        (folder / "src" / "empty.py").write_text("")
    subprocess.run(["git", "init", "-q", str(home)], check=True)
    subprocess.run(["git", "-C", str(home), "add", "-A"], check=True)
    server = Watched([open_folder])
    alone = tmp_path / "alone" / "src" / "train.py"
    assert server.root_of(home / "src" / "train.py") == home
    assert server.root_of(open_folder / "src" / "train.py") == open_folder
    assert server.root_of(alone) == alone

    def look(uri: str) -> list[tuple[str, int]]:
        server.sent.clear()
        asyncio.run(server.look(uri))
        return sorted(server.sent)

    train = (home / "src" / "train.py").as_uri()
    assert look("untitled:train.py") == look("http://a/b") == look((tmp_path / "none.py").as_uri()) == []
    assert look((tmp_path / "alone").as_uri()) == []  # no file, and nothing around it is open
    assert server.places == {}
    assert look(train) == [("train.py", 1)]
    assert [*server.places] == [home]
    there = server.shapes_of(train)
    assert there is not None and there[1] == "src/train.py" and there[0].base == home
    assert server.shapes_of((open_folder / "src" / "train.py").as_uri()) is None
    assert look(alone.as_uri()) == [("train.py", 1)]
    assert server.places[alone].shapes is not None and server.places[alone].shapes.base == alone.parent
    (home / "src" / "train.py").write_text("\n")
    assert look(train) == [("train.py", 0)]  # what was shown is taken back, once
    assert look(train) == []

    server.places[home].running = True
    assert look(train) == []
    assert server.places[home].again
    server.places[home].running = False
    (home / "pyproject.toml").write_text("[tool.spawnfix]\nselekt = []\n")
    subprocess.run(["git", "-C", str(home), "add", "-A"], check=True)
    assert look(train) == []
    assert len(server.said) == 1 and server.said[0].startswith("spawnfix: ") and "'selekt'" in server.said[0]
    assert not server.places[home].running
    server.workers.shutdown()


def test_what_is_saved(tmp_path: Path) -> None:
    server = Watched([tmp_path])
    (tmp_path / "train.py").write_text(TRAIN)
    source = check(MemoryFiles({"train.py": TRAIN.encode()}), Settings()).sources["train.py"]
    uri = (tmp_path / "train.py").as_uri()
    assert server._is_saved(uri, source)
    assert not server._is_saved((tmp_path / "other.py").as_uri(), source)
    server.workspace.put_text_document(types.TextDocumentItem(uri, "python", 1, TRAIN + "# not saved\n"))
    assert not server._is_saved(uri, source)
    server.workspace.put_text_document(types.TextDocumentItem(uri, "python", 2, TRAIN))
    (tmp_path / "train.py").write_text("")
    assert server._is_saved(uri, source)  # the text that the editor shows is the one
    server.workers.shutdown()


def test_failures_and_open_files_are_told(tmp_path: Path) -> None:
    server = Watched([tmp_path])
    rows = (
        Skipped("a.py", "lambdas failed", failed="lambdas"),
        Skipped("b.py", "too long"),
        Skipped("c.py", "no text"),
    )
    server.workspace.put_text_document(types.TextDocumentItem((tmp_path / "b.py").as_uri(), "python", 1, ""))
    place_of = _Place(shown={"file:///gone.py"})
    server._show(place_of, Report(".", (), rows, 3), tmp_path)
    assert server.sent == [("gone.py", 0), ("b.py", 1)]  # nobody has c.py open
    assert server.said == ["spawnfix: a.py: lambdas failed"]
    assert place_of.shown == {(tmp_path / "b.py").as_uri()}
    server.workers.shutdown()


def test_what_a_server_answers() -> None:
    server = create()
    features = {*server.protocol.fm.features}
    assert {
        "textDocument/didOpen", "textDocument/didSave", "textDocument/codeAction", "textDocument/hover",
    } <= features  # fmt: skip
    server.workers.shutdown()
