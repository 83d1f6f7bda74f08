"""What is kept between runs: SQLite databases in a folder that is the user's own.

A store that can't be used (no home folder, no space, read-only, broken, busy) is as good as none: no run fails because
of it. What is read back is data: who writes there can't make us run anything.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import sqlite3
import stat
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from .operating_system import HERE, is_link_status

MAX_BYTES = 512 * 2**20  # of one database; beyond, its oldest rows go
MAX_ROW_BYTES = 64 * 2**20  # of one value, unpacked


class Unusable(Exception):
    """There is no store to use."""


def folder() -> Path | None:
    """Where it is: `SPAWNFIX_CACHE_DIR`, else the user's own cache folder; None for a user without a home."""
    named = os.environ.get("SPAWNFIX_CACHE_DIR")
    if named:
        return Path(named)
    base = os.environ.get("LOCALAPPDATA") if HERE.windows else os.environ.get("XDG_CACHE_HOME")
    if base and os.path.isabs(base):  # noqa: PTH117  (a relative one is to be ignored, says the XDG standard)
        return Path(base) / "spawnfix"
    home = os.path.expanduser("~")  # noqa: PTH111  (Path.home() raises where there is none)
    return Path(home, ".cache", "spawnfix") if os.path.isabs(home) else None  # noqa: PTH117


def usable_folder() -> Path:
    """The folder, made for us alone where it is not there. Raises Unusable, OSError."""
    place = folder()
    if place is None:
        raise Unusable
    place.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        place.mkdir(mode=0o700)
    if hasattr(os, "geteuid") and not os.environ.get("SPAWNFIX_CACHE_DIR"):
        status = place.stat()
        if status.st_uid != os.geteuid():
            raise Unusable  # what others write there is none of ours
        if stat.S_IMODE(status.st_mode) & 0o077:
            place.chmod(0o700)
    return place


@dataclass(frozen=True)
class Store:
    """One database: the file `name`, with the tables that the statements `schema` make."""

    name: str
    tables: tuple[str, ...]
    schema: tuple[str, ...]

    @contextlib.contextmanager
    def opened(self, most: int = MAX_BYTES) -> Iterator[sqlite3.Connection]:
        """A connection, to an emptied file where that was larger than `most`; what is done is kept at the end.

        Raises Unusable, OSError, sqlite3.Error.
        """
        path = usable_folder() / self.name
        for name in _files(path.name):
            _check_own(path.with_name(name))
        try:
            connection = self._connect(path)
        except sqlite3.OperationalError:
            raise  # busy, full, may not be written
        except sqlite3.DatabaseError:  # not a database (any more)
            for name in _files(path.name):
                path.with_name(name).unlink(missing_ok=True)
            connection = self._connect(path)
        try:
            if path.stat().st_size > most:  # emptied, not removed: others may be at work in it
                self._empty(connection)
            with connection:
                yield connection
        finally:
            connection.close()

    def _connect(self, path: Path) -> sqlite3.Connection:
        connection = sqlite3.connect(path, timeout=2)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=OFF")
            for statement in self.schema:
                connection.execute(statement)
        except BaseException:
            connection.close()
            raise
        return connection

    def _empty(self, connection: sqlite3.Connection) -> None:
        for table in self.tables:
            connection.execute(f"DELETE FROM {table}")
        connection.commit()
        connection.execute("VACUUM")

    def clear(self) -> None:
        """Forget everything. Raises Unusable, OSError, sqlite3.Error."""
        with self.opened() as connection:
            self._empty(connection)

    def counts(self) -> dict[str, int]:
        """The number of rows of each table. Raises as `opened`."""
        with self.opened() as connection:
            return {t: connection.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in self.tables}


def _files(name: str) -> tuple[str, ...]:
    """The database `name`, and what SQLite puts beside it."""
    return name, f"{name}-wal", f"{name}-shm", f"{name}-journal"


def _check_own(path: Path) -> None:
    """Raises Unusable for what is no file (a link to a database of the browser, a pipe), or one of another user."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if (
        not stat.S_ISREG(status.st_mode)
        or is_link_status(status)
        or (hasattr(os, "geteuid") and status.st_uid != os.geteuid())
    ):
        raise Unusable


class _Unpickler(pickle.Unpickler):
    """Reads objects of some classes only."""

    def __init__(self, data: bytes, classes: Iterable[type]) -> None:
        super().__init__(io.BytesIO(data))
        self._classes = {(kind.__module__, kind.__qualname__): kind for kind in (*classes, frozenset)}

    def find_class(self, module: str, name: str) -> object:
        if (module, name) in self._classes:
            return self._classes[module, name]
        raise pickle.UnpicklingError(f"{module}.{name} does not belong here")


class _Pickler(pickle.Pickler):
    """Writes members of an enum by their value: Pythons before 3.11.4 write a call of `getattr`, which is not read."""

    def reducer_override(self, value: object) -> Any:
        return (type(value), (value.value,)) if isinstance(value, Enum) else NotImplemented


def packed(value: object) -> bytes:
    """`value` as a row keeps it."""
    data = io.BytesIO()
    _Pickler(data, 5).dump(value)
    return zlib.compress(data.getvalue(), 1)


def unpacked(data: bytes, classes: Iterable[type]) -> object:
    """What `packed` got; made of `classes` and plain values alone. Raises any exception for the rest."""
    unpacker = zlib.decompressobj()
    whole = unpacker.decompress(data, MAX_ROW_BYTES)
    if not unpacker.eof:
        raise ValueError("cut, or larger than any row of ours")
    return _Unpickler(whole, classes).load()
