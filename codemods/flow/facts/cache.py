"""Facts by content, kept across runs and repositories: forks and vendored copies share them.

The key is git's own id of the blob, with a digest of the program that made the facts and the version of Python: nothing
is ever stale. A cache that can't be used (no home folder, no space, read-only, broken, busy) is as good as none: no run
fails because of it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import os
import pickle
import sqlite3
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from . import records as _facts
from .records import FACTS_VERSION, FileFacts

MAX_CACHE_BYTES = 512 * 2**20  # beyond, the cache is emptied
MAX_ROW_BYTES = 64 * 2**20  # of one file's facts, unpacked
_PACKAGE = Path(__file__).resolve().parents[2]
_MAKERS = ("flow", "syntax", "tree")  # folders of the code that facts depend on
counted = [0, 0]  # blobs that were known, blobs that were asked for, in this process
_CLASSES = {name: getattr(_facts, name) for name in ("FileFacts", "Function", "Class", "Call", "Parameter")}


@functools.cache
def _format() -> str:
    """What a row must have been made by to be of use."""
    digest = hashlib.sha256()
    for maker in _MAKERS:
        for path in sorted((_PACKAGE / maker).rglob("*")):
            if path.suffix in (".py", ".toml"):
                digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{FACTS_VERSION}.{sys.version_info[0]}.{sys.version_info[1]}.{digest.hexdigest()[:16]}"


def folder() -> Path | None:
    """Where the cache is: `SPAWNFIX_CACHE_DIR`, else the user's own cache folder; None for a user without a home."""
    named = os.environ.get("SPAWNFIX_CACHE_DIR")
    if named:
        return Path(named)
    base = os.environ.get("LOCALAPPDATA") if os.name == "nt" else os.environ.get("XDG_CACHE_HOME")
    if base:
        return Path(base) / "spawnfix"
    home = os.path.expanduser("~")  # noqa: PTH111  (Path.home() raises where there is none)
    return Path(home, ".cache", "spawnfix") if os.path.isabs(home) else None  # noqa: PTH117


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


class _Unusable(Exception):
    """There is no cache to use."""


def _usable_folder() -> Path:
    """The folder, made for us alone where it is not there. Raises _Unusable, OSError."""
    place = folder()
    if place is None:
        raise _Unusable
    place.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        place.mkdir(mode=0o700)
    if hasattr(os, "geteuid") and not os.environ.get("SPAWNFIX_CACHE_DIR"):
        status = place.stat()
        if status.st_uid != os.geteuid():
            raise _Unusable  # what others write there is none of ours
        if stat.S_IMODE(status.st_mode) & 0o077:
            place.chmod(0o700)
    return place


@contextlib.contextmanager
def _database() -> Iterator[sqlite3.Connection]:
    path = _usable_folder() / "facts.sqlite"
    try:
        connection = _opened(path)
    except sqlite3.OperationalError:
        raise  # busy, full, may not be written
    except sqlite3.DatabaseError:  # not a database (any more)
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            path.with_name(name).unlink(missing_ok=True)
        connection = _opened(path)
    try:
        if path.stat().st_size > MAX_CACHE_BYTES:  # emptied, not removed: others may be at work in it
            connection.execute("DELETE FROM facts")
            connection.commit()
            connection.execute("VACUUM")
        with connection:
            yield connection
    finally:
        connection.close()


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=2)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS facts (blob TEXT, format TEXT, data BLOB, PRIMARY KEY (blob, format))"
        )
    except BaseException:
        connection.close()
        raise
    return connection


def load(blobs: Iterable[str]) -> dict[str, FileFacts]:
    """Facts of the blobs that the cache knows. Their `path` is of no meaning. Never raises."""
    found: dict[str, FileFacts] = {}
    wanted = list(blobs)
    with contextlib.suppress(Exception), _database() as database:
        for at in range(0, len(wanted), 500):
            part = wanted[at : at + 500]
            marks = ",".join("?" * len(part))
            query = f"SELECT blob, data FROM facts WHERE format = ? AND blob IN ({marks})"
            for blob, data in database.execute(query, (_format(), *part)):
                with contextlib.suppress(Exception):  # a damaged row is a row that isn't there
                    read = _Unpickler(io.BytesIO(_unpacked(data))).load()
                    if isinstance(read, FileFacts):
                        found[blob] = read
    counted[0] += len(found)
    counted[1] += len(wanted)
    return found


def _unpacked(data: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    whole = unpacker.decompress(data, MAX_ROW_BYTES)
    if not unpacker.eof:
        raise ValueError("cut, or larger than any row of ours")
    return whole


def store(made: Mapping[str, FileFacts]) -> None:
    """Remember facts by blob, in place of what was there. Never raises."""
    with contextlib.suppress(Exception):
        rows = [(blob, _format(), zlib.compress(pickle.dumps(facts, 5), 1)) for blob, facts in made.items()]
        with _database() as database:
            database.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", rows)
