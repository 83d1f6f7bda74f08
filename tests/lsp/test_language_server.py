"""The language server, driven by a client of the protocol as an editor does."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

from harness.case import ROOT

TRAIN = """\
from torch.utils.data import DataLoader


def loader(dataset):
    note = "\N{PILE OF POO}"; return DataLoader(dataset, num_workers=2, collate_fn=lambda batch: batch)
"""
DATA = """\
class Data:
    def __init__(self, table):
        self.names = table.keys()
"""
USE = """\
from torch.utils.data import DataLoader

from data import Data


def build(table):
    return DataLoader(Data(table), num_workers=2)
"""


class Editor:
    """A client with a workspace of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = LanguageClient("test", "1")
        self.shown: dict[str, list[types.Diagnostic]] = {}
        self.messages: list[str] = []
        self.progress: list[object] = []
        self._news = asyncio.Event()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.shown[Path(params.uri).name] = list(params.diagnostics)
            self._news.set()

        @self.client.feature(types.WINDOW_LOG_MESSAGE)
        def logged(params: types.LogMessageParams) -> None:
            self.messages.append(params.message)
            self._news.set()

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    async def start(self, encodings: list[str] | None = None) -> None:
        env = {**os.environ, "PYTHONPATH": str(ROOT), "SPAWNFIX_CACHE_DIR": str(self.folder.parent / "cache")}
        command = ("-m", "spawnfix", "lsp")
        await self.client.start_io(sys.executable, *command, env=env, cwd=str(self.folder))
        general = types.GeneralClientCapabilities(position_encodings=encodings) if encodings else None
        await self.client.initialize_async(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(general=general),
                workspace_folders=[types.WorkspaceFolder(self.folder.as_uri(), "work")],
            )
        )
        self.client.initialized(types.InitializedParams())

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for news from the server until `holds`."""
        while not holds():
            await self._news.wait()
            self._news.clear()

    def open(self, name: str, text: str | None = None) -> None:
        text = (self.folder / name).read_text(encoding="utf-8") if text is None else text
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(self.uri(name), "python", 1, text))
        )

    def save(self, name: str, text: str) -> None:
        whole = types.TextDocumentContentChangeWholeDocument(text)
        document = types.VersionedTextDocumentIdentifier(2, self.uri(name))
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))
        (self.folder / name).write_text(text, encoding="utf-8")
        self.client.text_document_did_save(
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(self.uri(name)))
        )

    async def actions(self, name: str, where: types.Range) -> list[types.CodeAction]:
        asked = types.CodeActionParams(
            types.TextDocumentIdentifier(self.uri(name)), where, types.CodeActionContext(diagnostics=[])
        )
        answer = await self.client.text_document_code_action_async(asked)
        return [action for action in answer or [] if isinstance(action, types.CodeAction)]

    async def stop(self) -> int | None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        process = self.client._server
        assert process is not None
        return await process.wait()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "work"
    (home / "codemods").mkdir(parents=True)  # not ours
    (home / "codemods" / "__init__.py").write_text("")
    (home / "train.py").write_text(TRAIN, encoding="utf-8")
    (home / "data.py").write_text(DATA)
    (home / "use.py").write_text(USE)
    subprocess.run(["git", "init", "-q", str(home)], check=True)
    subprocess.run(["git", "-C", str(home), "add", "-A"], check=True)
    return home


def session(folder: Path, story: Callable[[Editor], Awaitable[None]], encodings: list[str] | None = None) -> None:
    async def run() -> None:
        editor = Editor(folder)
        await editor.start(encodings)
        await story(editor)
        assert await editor.stop() == 0

    asyncio.run(run())


def applied(text: str, edits: list[types.TextEdit], encoding: str = "utf-16-le") -> str:
    """`text` after `edits`, as an editor applies them."""
    size = len("a".encode(encoding))
    lines = [*text.splitlines(True), ""]

    def offset(position: types.Position) -> int:
        line = lines[position.line].encode(encoding)[: position.character * size].decode(encoding)
        return sum(map(len, lines[: position.line])) + len(line)

    for edit in sorted(edits, key=lambda each: offset(each.range.start), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


@pytest.mark.slow
@pytest.mark.parametrize(("encodings", "column"), [(None, 70), (["utf-32"], 69), (["utf-8"], 72)])
def test_a_lambda_is_shown_explained_and_repaired(encodings: list[str] | None, column: int, folder: Path) -> None:
    async def story(editor: Editor) -> None:
        editor.open("train.py")
        await editor.until(lambda: {"train.py", "data.py"} <= editor.shown.keys())
        (found,) = editor.shown["train.py"]
        assert (found.code, found.source, found.severity) == ("lambdas", "spawnfix", types.DiagnosticSeverity.Error)
        assert (found.range.start.line, found.range.start.character) == (4, column)
        assert found.related_information is not None
        assert [Path(each.location.uri).name for each in found.related_information] == ["train.py", "train.py"]

        fix, ignore = await editor.actions("train.py", found.range)
        assert fix.is_preferred and fix.kind == types.CodeActionKind.QuickFix
        assert fix.edit is not None and fix.edit.changes is not None
        assert fix.edit.changes.keys() == {editor.uri("train.py")}
        encoding = {None: "utf-16-le", "utf-32": "utf-32-le", "utf-8": "utf-8"}[encodings[0] if encodings else None]
        mended = applied(TRAIN, list(fix.edit.changes[editor.uri("train.py")]), encoding)
        assert "lambda" not in mended
        compile(mended, "train.py", "exec")

        assert ignore.edit is not None and ignore.edit.changes is not None
        silent = applied(TRAIN, list(ignore.edit.changes[editor.uri("train.py")]), encoding)
        assert silent.splitlines()[4].endswith("  # spawnfix: ignore[lambdas]")

        where = types.HoverParams(types.TextDocumentIdentifier(editor.uri("train.py")), found.range.start)
        hover = await editor.client.text_document_hover_async(where)
        assert hover is not None and isinstance(hover.contents, types.MarkupContent)
        assert "**spawnfix lambdas** (proven)" in hover.contents.value
        assert "`train.py:5`" in hover.contents.value
        nothing = types.HoverParams(types.TextDocumentIdentifier(editor.uri("train.py")), types.Position(0, 0))
        assert await editor.client.text_document_hover_async(nothing) is None

        editor.save("train.py", mended)
        await editor.until(lambda: editor.shown["train.py"] == [])
        assert editor.shown["data.py"]  # the finding of the other file stays

    session(folder, story, encodings)


@pytest.mark.slow
def test_no_fix_for_a_text_that_is_not_saved(folder: Path) -> None:
    async def story(editor: Editor) -> None:
        editor.open("use.py")
        editor.open("data.py", DATA + "# not saved\n")
        await editor.until(lambda: "data.py" in editor.shown)
        (found,) = editor.shown["data.py"]
        assert await editor.actions("data.py", found.range) == []
        editor.save("data.py", DATA)
        titles = [action.title for action in await editor.actions("data.py", found.range)]
        assert len(titles) == 2
        assert titles[1] == "spawnfix: ignore dict-views on this line"

    session(folder, story)


@pytest.mark.slow
def test_wrong_settings_are_a_message_and_the_server_lives(folder: Path) -> None:
    async def story(editor: Editor) -> None:
        (folder / "pyproject.toml").write_text("[tool.spawnfix]\nselekt = []\n")
        subprocess.run(["git", "-C", str(folder), "add", "-A"], check=True)
        editor.open("train.py")
        await editor.until(lambda: bool(editor.messages))
        assert "unknown key 'selekt' in [tool.spawnfix] (did you mean 'select'?)" in editor.messages[0]
        (folder / "pyproject.toml").write_text("[tool.spawnfix]\n")
        editor.save("train.py", TRAIN)
        await editor.until(lambda: "train.py" in editor.shown)

    session(folder, story)


@pytest.mark.slow
def test_a_file_in_no_repository_and_one_that_is_no_file(tmp_path: Path) -> None:
    home = tmp_path / "alone"
    home.mkdir()
    (home / "train.py").write_text(TRAIN, encoding="utf-8")

    async def story(editor: Editor) -> None:
        untitled = types.TextDocumentItem("untitled:Untitled-1", "python", 1, TRAIN)
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(untitled))
        editor.open("train.py")
        await editor.until(lambda: "train.py" in editor.shown)
        assert [found.code for found in editor.shown["train.py"]] == ["lambdas"]

    session(home, story)


@pytest.mark.slow
def test_a_file_that_cannot_be_looked_at_says_so(folder: Path) -> None:
    async def story(editor: Editor) -> None:
        (folder / "broken.py").write_text("f = lambda: (\n")
        subprocess.run(["git", "-C", str(folder), "add", "-A"], check=True)
        editor.open("train.py")
        await editor.until(lambda: "train.py" in editor.shown)
        assert "broken.py" not in editor.shown  # nobody has it open
        editor.open("broken.py")
        await editor.until(lambda: "broken.py" in editor.shown)
        (row,) = editor.shown["broken.py"]
        assert (row.message, row.severity) == (
            "not looked at: line 1: '(' was never closed",
            types.DiagnosticSeverity.Information,
        )

    session(folder, story)


def test_without_pygls_the_command_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.tool import spawnfix

    monkeypatch.setitem(sys.modules, "pygls", None)
    for name in [name for name in sys.modules if name.startswith(("pygls.", "codemods.lsp"))]:
        monkeypatch.delitem(sys.modules, name)
    done = spawnfix("lsp", cache=tmp_path / "cache")
    assert done.returncode == 2
    assert "this needs pygls: install spawnfix with the extra lsp" in done.stderr
