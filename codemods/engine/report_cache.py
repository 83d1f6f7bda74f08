"""Whole reports, kept between runs: a repository where nothing changed costs a look at the stamps of its files.

A report is what a deterministic program makes of: the program itself, Python and what is installed, what was asked for,
the list of files, and the content of every file that it reads. The first three and the list make the *question*; with
the contents of the files that any run of the question has read they make the *key* of a report. Contents are known by
the stamps that we noted ourselves: a foreign `.git/index` has no say.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..finding import Confidence, Edit, Finding, Fix, Hop, Import, Skipped, Span
from ..store import Store, packed, unpacked
from ..tree.files import Files
from ..tree.source import Source, UnreadableSource
from ..version import __version__
from .recorded import RecordedFiles
from .results import Report

if TYPE_CHECKING:
    from ..settings import Settings
    from .look_cache import LookCache

MAX_BYTES = 256 * 2**20
MAX_REPORT = 16 * 2**20  # bytes of one report, packed
_PACKAGE = Path(__file__).resolve().parents[1]
_CLASSES = (Confidence, Edit, Finding, Fix, Hop, Import, Skipped, Span)
STORE = Store(
    "reports.sqlite",
    ("reports", "questions", "stamps"),
    (
        "CREATE TABLE IF NOT EXISTS reports (key TEXT PRIMARY KEY, data BLOB)",
        "CREATE TABLE IF NOT EXISTS questions (question TEXT PRIMARY KEY, paths BLOB)",
        "CREATE TABLE IF NOT EXISTS stamps (root TEXT PRIMARY KEY, data BLOB)",
    ),
)


class ReportCache:
    """The reports of one set of files. `asked` is what the command line says; settings come from a file that is read.

    `files` are those to run on: they note what is read.
    """

    def __init__(self, files: Files, asked: tuple[object, ...]) -> None:
        self.files = RecordedFiles(files)
        self._asked = asked
        self._known: dict[str, Any] = {}
        self._paths: set[str] = set()

    def recall(self) -> Report | None:
        """The report, when an earlier run made it of the same question and contents. Never raises but for the files."""
        with contextlib.suppress(Exception):
            return self._recall()
        return None

    def keep(self, report: Report) -> None:
        """Remember what `check` answered, with all rules that are known. Never raises."""
        if not self.files.sound or any(row.failed is not None for row in report.skipped):
            return
        if not _ours_alone():
            return  # a rule of somebody else may depend on anything
        with contextlib.suppress(Exception):
            self._keep(report)

    def looks(self, settings: Settings) -> LookCache | None:
        """What each rule found before in files of these names; None where that is not kept. Raises as `entries`."""
        if not _ours_alone():
            return None
        from .look_cache import LookCache

        with contextlib.suppress(OSError):  # our own files, which are being installed or removed
            asked = f"{self._question()}{settings!r}".encode()
            return LookCache(hashlib.blake2b(asked, digest_size=20).hexdigest())
        return None

    # in detail

    def _recall(self) -> Report | None:
        with STORE.opened(MAX_BYTES) as database:
            question = self._question()
            row = database.execute("SELECT paths FROM questions WHERE question = ?", (question,)).fetchone()
            if row is None:
                return None
            self._paths = set(_strings(unpacked(row[0], ())))
            self._known = self._stamps(database)
            key = self._key(question)
            found = database.execute("SELECT data FROM reports WHERE key = ?", (key,)).fetchone() if key else None
        if found is None:
            return None
        findings, skipped, seen, named, unsafe, suppressed, idle = _checked(unpacked(found[0], _CLASSES))
        sources = {path: self._source(path) for path in named}
        report = Report(self.files.root, findings, skipped, seen, sources, unsafe, suppressed, idle)
        if self.files.settled.keys() - self._known.keys():
            with contextlib.suppress(Exception), STORE.opened(MAX_BYTES) as database:
                self._save_stamps(database)
        return report

    def _keep(self, report: Report) -> None:
        question = self._question()
        named = tuple(report.sources)
        row = (
            report.findings,
            report.skipped,
            report.files_seen,
            named,
            report.unsafe_fixes,
            report.suppressed,
            report.idle,
        )
        data = packed(row)
        if len(data) > MAX_REPORT:
            return
        with STORE.opened(MAX_BYTES) as database:
            before = database.execute("SELECT paths FROM questions WHERE question = ?", (question,)).fetchone()
            with contextlib.suppress(Exception):  # damaged: written anew
                self._paths |= set(_strings(unpacked(before[0], ()))) if before is not None else set()
            self._known = self._stamps(database)
            self._paths |= self.files.digests.keys()
            key = self._key(question)
            if key is None:
                return
            paths = packed(sorted(self._paths))
            database.execute("INSERT OR REPLACE INTO questions VALUES (?, ?)", (question, paths))
            database.execute("INSERT OR REPLACE INTO reports VALUES (?, ?)", (key, data))
            self._save_stamps(database)

    def _question(self) -> str:
        digest = hashlib.blake2b(digest_size=20)
        where = (self.files.root, self._asked, getattr(os, "geteuid", int)())
        entries = [(entry.path, entry.oid, entry.executable) for entry in self.files.entries()]
        for part in (__name__, __version__, sys.version, os.name, _running(), where, entries):
            digest.update(repr(part).encode("utf-8", "surrogatepass") + b"\0")
        return digest.hexdigest()

    def _key(self, question: str) -> str | None:
        """The key of the report for the contents of all files that count; None where one can't be read."""
        digest = hashlib.blake2b(question.encode(), digest_size=20)
        for path in sorted(self._paths):
            content = self.files.digests.get(path) or self.files.digest(path, self._known)
            if content is None or not self.files.sound:
                return None
            digest.update(f"{path}\0{content}\0".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def _stamps(self, database: Any) -> dict[str, Any]:
        row = database.execute("SELECT data FROM stamps WHERE root = ?", (self.files.root,)).fetchone()
        with contextlib.suppress(Exception):  # damaged: read the files
            known = unpacked(row[0], ()) if row is not None else {}
            return known if isinstance(known, dict) else {}
        return {}

    def _save_stamps(self, database: Any) -> None:
        known = {path: value for path, value in self._known.items() if path in self._paths}
        data = packed(known | self.files.settled)
        database.execute("INSERT OR REPLACE INTO stamps VALUES (?, ?)", (self.files.root, data))

    def _source(self, path: str) -> Source:
        """The text of a file that findings name. Raises an exception when it is not the one that was digested."""
        digest = self.files.digests.get(path)
        data = self.files.read(path)
        if not self.files.sound or digest != self.files.digests[path]:
            raise UnreadableSource("changed meanwhile")
        return Source.from_bytes(path, data)


def _ours_alone() -> bool:
    from ..transforms import rules

    ours = f"{__name__.partition('.')[0]}."
    return all(getattr(rule.find, "__module__", "").startswith(ours) for rule in rules().values())


def within(report: Report, scope: str) -> Report:
    """The part of `report` that is about the path `scope` and what lies below it."""
    if not scope:
        return report
    findings = tuple(f for f in report.findings if f.path == scope or f.path.startswith(f"{scope}/"))
    idle = tuple(hop for hop in report.idle if hop.path == scope or hop.path.startswith(f"{scope}/"))
    suppressed = tuple(path for path in report.suppressed if path == scope or path.startswith(f"{scope}/"))
    return replace(report, findings=findings, idle=idle, suppressed=suppressed)


_Row = tuple[tuple[Finding, ...], tuple[Skipped, ...], int, tuple[str, ...], bool, tuple[str, ...], tuple[Hop, ...]]


def _checked(row: object) -> _Row:
    if not isinstance(row, tuple) or len(row) != 7:
        raise ValueError("not a report")
    findings, skipped, seen, named, unsafe, suppressed, idle = row
    for values, kind in ((findings, Finding), (skipped, Skipped), (idle, Hop)):
        if not all(isinstance(value, kind) for value in values):
            raise ValueError("not a report")
    names = tuple(_strings(named))
    return tuple(findings), tuple(skipped), int(seen), names, bool(unsafe), tuple(_strings(suppressed)), tuple(idle)


def _strings(values: object) -> list[str]:
    if not isinstance(values, (list, tuple)) or not all(isinstance(value, str) for value in values):
        raise ValueError("not a list of names")
    return list(values)


@functools.cache
def _running() -> str:
    """What this process is made of. Asked once: it goes on with the code that it has read, whatever is installed."""
    return repr((_program(), _installed()))


def _program() -> list[tuple[object, ...]]:
    """Our own files as they are installed, by their stamps."""
    return [
        (str(_PACKAGE), *stamp)
        for stamp in sorted(_stamped(str(_PACKAGE), ("__pycache__", "demo_repo"), (".py", ".toml", ".scm")))
    ]


def _stamped(folder: str, less: tuple[str, ...], suffixes: tuple[str, ...]) -> Iterable[tuple[object, ...]]:
    with os.scandir(folder) as scan:
        for item in scan:
            if item.name in less:
                continue
            if item.is_dir(follow_symlinks=False):
                yield from _stamped(item.path, less, suffixes)
            elif item.name.endswith(suffixes):
                status = item.stat()
                yield item.path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _installed() -> list[tuple[object, ...]]:
    """The distributions that are installed, with their versions, as their folders are called."""
    found: list[tuple[object, ...]] = []
    for place in sys.path:
        with contextlib.suppress(OSError), os.scandir(place or ".") as scan:
            found += [
                (place, item.name, item.stat().st_mtime_ns)
                for item in scan
                if item.name.endswith((".dist-info", ".egg-info", ".egg-link", ".pth"))
            ]
    return sorted(found, key=repr)
