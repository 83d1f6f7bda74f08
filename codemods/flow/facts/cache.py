"""Facts by content, kept across runs and repositories: forks and vendored copies share them.

The key is git's own id of the blob, so nothing is ever stale; a change of format or of Python's grammar is another key.
A cache that can't be used (no space, read-only, broken, busy) is as good as none: no run fails because of it.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import pickle
import sqlite3
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from . import records as _facts
from .records import FACTS_VERSION, FileFacts

MAX_CACHE_BYTES = 512 * 2**20  # beyond, the cache is emptied
_FORMAT = f"{FACTS_VERSION}.{sys.version_info[0]}.{sys.version_info[1]}"
counted = [0, 0]  # blobs that were known, blobs that were asked for, in this process
_CLASSES = {name: getattr(_facts, name) for name in ("FileFacts", "Function", "Class", "Call", "Parameter")}


def folder() -> Path:
    """Where the cache is: `SPAWNFIX_CACHE_DIR`, else the user's own cache folder."""
    named = os.environ.get("SPAWNFIX_CACHE_DIR")
    if named:
        return Path(named)
    base = os.environ.get("LOCALAPPDATA") if os.name == "nt" else os.environ.get("XDG_CACHE_HOME")
    return Path(base) / "spawnfix" if base else Path.home() / ".cache" / "spawnfix"


def blob_id(data: bytes) -> str:
    """Git's id of a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


class _Unpickler(pickle.Unpickler):
    """Reads facts only: a cache that somebody else wrote can't make us run anything."""

    def find_class(self, module: str, name: str) -> object:
        if module == _facts.__name__ and name in _CLASSES:
            return _CLASSES[name]
        if (module, name) == ("builtins", "frozenset"):
            return frozenset
        raise pickle.UnpicklingError(f"{module}.{name} does not belong in a cache of facts")


@contextlib.contextmanager
def _database() -> Iterator[sqlite3.Connection]:
    path = folder() / "facts.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > MAX_CACHE_BYTES:
        path.unlink()
    connection = sqlite3.connect(path, timeout=2)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS facts (blob TEXT, format TEXT, data BLOB, PRIMARY KEY (blob, format))"
        )
        with connection:
            yield connection
    finally:
        connection.close()


def load(blobs: Iterable[str]) -> dict[str, FileFacts]:
    """Facts of the blobs that the cache knows. Their `path` is of no meaning."""
    found: dict[str, FileFacts] = {}
    wanted = list(blobs)
    with contextlib.suppress(sqlite3.Error, OSError), _database() as database:
        for at in range(0, len(wanted), 500):
            part = wanted[at : at + 500]
            marks = ",".join("?" * len(part))
            query = f"SELECT blob, data FROM facts WHERE format = ? AND blob IN ({marks})"
            for blob, data in database.execute(query, (_FORMAT, *part)):
                with contextlib.suppress(Exception):  # a damaged row is a row that isn't there
                    read = _Unpickler(io.BytesIO(zlib.decompress(data))).load()
                    if isinstance(read, FileFacts):
                        found[blob] = read
    counted[0] += len(found)
    counted[1] += len(wanted)
    return found


def store(made: Mapping[str, FileFacts]) -> None:
    """Remember facts by blob."""
    rows = [(blob, _FORMAT, zlib.compress(pickle.dumps(facts, 5), 1)) for blob, facts in made.items()]
    with contextlib.suppress(sqlite3.Error, OSError), _database() as database:
        database.executemany("INSERT OR IGNORE INTO facts VALUES (?, ?, ?)", rows)
