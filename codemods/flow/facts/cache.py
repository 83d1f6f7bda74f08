"""Facts by content, kept across runs and repositories: forks and vendored copies share them.

The key is git's own id of the blob, with a digest of the program that made the facts and the version of Python: nothing
is ever stale.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import sys
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...hazard_kind import HazardKind
from ...store import MAX_BYTES, Store, packed, unpacked
from ..kinds import FunctionKind, MethodBinding, ParameterKind
from . import records as _facts
from .records import FACTS_VERSION, FileFacts
from .rows import Numbers, Rows

MAX_CACHE_BYTES = MAX_BYTES  # beyond, the cache is emptied
_NO_CONTENTS: Mapping[str, bytes] = {}  # never filled
MAX_CONTENT = 16 * 2**20  # bytes of one file, unpacked: Python files are below 1 MiB
_PACKAGE = Path(__file__).resolve().parents[2]
_MAKERS = ("flow", "syntax", "tree", "nodes.py")  # the code that facts depend on


@dataclass
class CacheStats:
    """What this process asked a cache for."""

    hits: int = 0
    lookups: int = 0


STATS = CacheStats()  # of blobs
_RECORDS = (
    "FileFacts", "Function", "Class", "Call", "Parameter", "TopLevel", "NamePattern", "PassedOn", "TakenFrom", "Late",
    "Python2Lines", "Branch", "Condition", "TypeBranch",
)  # fmt: skip
_CLASSES = [
    *(getattr(_facts, name) for name in _RECORDS),
    Numbers,
    Rows,
    FunctionKind,
    HazardKind,
    MethodBinding,
    ParameterKind,
]
STORE = Store(
    "facts.sqlite",
    ("facts", "files"),
    (
        "CREATE TABLE IF NOT EXISTS facts (blob TEXT, format TEXT, data BLOB, PRIMARY KEY (blob, format))",
        "CREATE TABLE IF NOT EXISTS files (blob TEXT PRIMARY KEY, data BLOB)",
    ),
)


@functools.cache
def _format() -> str:
    """What a row must have been made by to be of use."""
    digest = hashlib.sha256()
    for maker in _MAKERS:
        place = _PACKAGE / maker
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.suffix in (".py", ".toml") and path.is_file():
                digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    package = __name__.partition(".")[0]  # rows name the classes in it
    python = f"{sys.version_info[0]}.{sys.version_info[1]}.{sys.byteorder}"
    return f"{package}.{FACTS_VERSION}.{python}.{digest.hexdigest()[:16]}"


def blob_id(data: bytes) -> str:
    """Git's id of a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def load(blobs: Iterable[str]) -> dict[str, FileFacts]:
    """Facts of the blobs that the cache knows. Their `path` is of no meaning. Never raises."""
    found: dict[str, FileFacts] = {}
    wanted = list(blobs)
    with contextlib.suppress(Exception), STORE.opened(MAX_CACHE_BYTES) as database:
        for at in range(0, len(wanted), 500):
            part = wanted[at : at + 500]
            marks = ",".join("?" * len(part))
            query = f"SELECT blob, data FROM facts WHERE format = ? AND blob IN ({marks})"
            for blob, data in database.execute(query, (_format(), *part)):
                with contextlib.suppress(Exception):  # a damaged row is a row that isn't there
                    read = unpacked(data, _CLASSES)
                    if isinstance(read, FileFacts):
                        found[blob] = read
    STATS.hits += len(found)
    STATS.lookups += len(wanted)
    return found


def store(made: Mapping[str, FileFacts], contents: Mapping[str, bytes] = _NO_CONTENTS) -> None:
    """Remember facts by blob, in place of what was there, and the contents that they are of. Never raises."""
    with contextlib.suppress(Exception):
        rows = [(blob, _format(), packed(facts)) for blob, facts in made.items()]
        files = [(blob, zlib.compress(data, 1)) for blob, data in contents.items()]
        with STORE.opened(MAX_CACHE_BYTES) as database:
            database.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", rows)
            database.executemany("INSERT OR REPLACE INTO files VALUES (?, ?)", files)


def content(blob: str) -> bytes | None:
    """The content of a file whose facts were stored. Never raises."""
    with contextlib.suppress(Exception), STORE.opened(MAX_CACHE_BYTES) as database:
        row = database.execute("SELECT data FROM files WHERE blob = ?", (blob,)).fetchone()
        data = zlib.decompressobj().decompress(row[0], MAX_CONTENT)
        return data if blob_id(data) == blob else None
    return None
