"""The files of one run, each read once."""

from __future__ import annotations

import errno
import threading
from collections.abc import Sequence
from functools import cached_property

from ..finding import Skipped
from ..globs import glob_pattern
from .files import Entry, Files

MAX_BYTES = 4 * 1024 * 1024  # larger files are data or generated
MAX_TEXT = 512 * 1024 * 1024  # bytes of all files that are read

_OURS = (errno.EFBIG, errno.ELOOP, errno.EINVAL)  # too large, a link, a pipe: files that we don't want, of any rights


def unread(path: str, error: OSError) -> Skipped:
    """The file `path`, which could not be read."""
    return Skipped(path, error.strerror or str(error), unread=error.errno not in _OURS)


class ReadFiles:
    """The files of a run without the excluded ones; what is read for the screening is kept for the analysis."""

    def __init__(self, files: Files, exclude: Sequence[str]) -> None:
        self._files, self._exclude = files, exclude
        self.kept: dict[str, bytes] = {}  # what `peek` has read
        self._room = MAX_TEXT
        self._lock = threading.Lock()  # other processes are answered beside the work
        self.unreadable: dict[str, Skipped] = {}

    @property
    def root(self) -> str:
        return self._files.root

    @cached_property
    def _entries(self) -> list[Entry]:
        entries = self._files.entries()
        return [e for e in entries if not any(glob_pattern(glob).match(e.path) for glob in self._exclude)]

    def entries(self) -> Sequence[Entry]:
        return self._entries

    def read(self, path: str) -> bytes:
        if path in self.kept:
            return self.kept[path]
        with self._lock:
            return self._files.read(path)

    def peek(self, path: str) -> bytes:
        """The bytes of `path`, kept; b"" (and an entry in `unreadable`) when it can't be read."""
        try:
            data = self._files.read(path)
        except OSError as error:
            self.unreadable[path] = unread(path, error)
            return b""
        if len(data) <= min(MAX_BYTES, self._room):
            self.kept[path] = data
            self._room -= len(data)
        return data
