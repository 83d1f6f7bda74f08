"""The server: looks at a repository when a file of it is opened or saved, and sends the editor what it found.

One look at a time for each repository, in a thread; the editor is never kept waiting, and sees progress after a second.
What is not saved is not looked at: fixes are offered only where the editor's text is the one on disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from ..delivery.target import to_check
from ..engine.migrate import Report, check
from ..problem import Problem
from ..settings import read_settings
from ..transforms import rules
from ..tree.source import Source
from ..version import __version__
from .shapes import NAME, Shapes

PATIENCE = 1.0  # seconds after which a look shows progress
STACK = 64 * 2**20  # bytes, for the recursion of deep trees: threads of macOS have half a MiB


@dataclass
class _Place:
    """A repository (or folder, or file) that is looked at."""

    running: bool = False
    again: bool = False  # something was saved meanwhile
    shapes: Shapes | None = None
    shown: set[str] = field(default_factory=set)  # URIs that have diagnostics in the editor


class Server(LanguageServer):
    """State of one session."""

    def __init__(self) -> None:
        super().__init__(NAME, __version__)
        self.places: dict[Path, _Place] = {}
        before = threading.stack_size(STACK)
        self.workers = ThreadPoolExecutor(1)
        self.workers.submit(lambda: None).result()  # starts the thread, with that stack
        threading.stack_size(before)

    def root_of(self, file: Path) -> Path:
        """The repository around `file`, else the folder that the editor has open, else `file` alone."""
        for folder in file.parents:
            if (folder / ".git").exists():
                return folder
        for uri in self.workspace.folders:
            path = to_fs_path(uri)
            if path is not None and file.is_relative_to(path):
                return Path(path)
        return file

    async def look(self, uri: str) -> None:
        """Look at the repository of `uri`, and show what was found."""
        name = to_fs_path(uri)
        if name is None or not uri.startswith("file:"):
            return
        root = self.root_of(Path(name))
        if root == Path(name) and not _is_file(root):
            return  # nothing around it is open: not the whole disk for `file:///`
        place = self.places.setdefault(root, _Place())
        if place.running:
            place.again = True
            return
        place.running = True
        try:
            while True:
                place.again = False
                report = await self._report(root)
                if report is not None:
                    self._show(place, report, root if root.is_dir() else root.parent)
                if not place.again:
                    return
        finally:
            place.running = False

    async def _report(self, root: Path) -> Report | None:
        work = asyncio.get_running_loop().run_in_executor(self.workers, _checked, root)
        token = None
        done, _ = await asyncio.wait([work], timeout=PATIENCE)
        window = self.client_capabilities.window
        if not done and window is not None and window.work_done_progress:
            token = str(uuid.uuid4())
            await self.work_done_progress.create_async(token)
            self.work_done_progress.begin(token, types.WorkDoneProgressBegin(f"{NAME}: {root.name}"))
        try:
            return await work
        except Problem as problem:
            self._warn(str(problem))
            return None
        finally:
            if token is not None:
                self.work_done_progress.end(token, types.WorkDoneProgressEnd())

    def _show(self, place: _Place, report: Report, base: Path) -> None:
        place.shapes = Shapes(report, base, self.workspace.position_codec.client_num_units, self._is_saved)
        rows = place.shapes.diagnostics()
        for uri, row in place.shapes.not_looked_at():
            if any(_same(key, uri) for key in self.workspace.text_documents):
                rows.setdefault(uri, []).append(row)
        for skipped in report.skipped:
            if skipped.failed is not None:
                self._warn(f"{skipped.path}: {skipped.reason}")
        for uri in place.shown - rows.keys():
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
        for uri, diagnostics in rows.items():
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics))
        place.shown = set(rows)

    def _warn(self, what: str) -> None:
        self.window_log_message(types.LogMessageParams(types.MessageType.Warning, f"{NAME}: {what}"))

    def _is_saved(self, uri: str, source: Source) -> bool:
        """True when `uri` has the text that was looked at, in the editor or, where it is not open, on disk."""
        document = next((item for key, item in self.workspace.text_documents.items() if _same(key, uri)), None)
        if document is not None:
            text: str = document.source
            return text == source.text
        try:
            return Path(to_fs_path(uri) or "").read_bytes() == source.encode(source.text)
        except OSError:
            return False

    def shapes_of(self, uri: str) -> tuple[Shapes, str] | None:
        """What was found around `uri`, and the path of `uri` there."""
        name = to_fs_path(uri)
        if name is None:
            return None
        place = self.places.get(self.root_of(Path(name)))
        if place is None or place.shapes is None:
            return None
        return place.shapes, Path(name).relative_to(place.shapes.base).as_posix()


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _same(one: str, other: str) -> bool:
    """True when two URIs name one file: editors escape more or fewer characters than we do."""
    return one == other or to_fs_path(one) == to_fs_path(other)


def _checked(root: Path) -> Report:
    where = to_check(root)
    return check(where.files, replace(read_settings(where.files, rules()), cache=not where.brings_cache()), where.scope)


def create() -> Server:
    """A server that has everything registered, but is not started."""
    server = Server()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        await server.look(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        await server.look(params.text_document.uri)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        found = server.shapes_of(params.text_document.uri)
        return [] if found is None else found[0].actions(found[1], params.range)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        found = server.shapes_of(params.text_document.uri)
        return None if found is None else found[0].hover(found[1], params.position)

    return server


def serve() -> None:
    """Talk to an editor over stdin and stdout until it says good-bye."""
    # Streams of its own, which it closes at the end; and what anything prints must not get between its messages.
    stdin, stdout = os.fdopen(os.dup(sys.stdin.fileno()), "rb"), os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    with contextlib.redirect_stdout(sys.stderr):
        create().start_io(stdin, stdout)
