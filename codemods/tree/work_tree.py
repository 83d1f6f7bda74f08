"""The files that git tracks, as they lie on disk. Needs no git program."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from .directory import read_regular
from .files import Entry
from .git_index import REGULAR
from .repository import Repository


@dataclass(frozen=True)
class WorkTreeFiles:
    """The files that git tracks in `repository`, as they lie on disk, and `also` (paths that the user named)."""

    repository: Repository
    also: tuple[str, ...] = ()

    @property
    def root(self) -> str:
        """The work tree."""
        return str(self.repository.folder)

    @cached_property
    def tracked(self) -> frozenset[str]:
        """The paths in the index. Raises Problem."""
        index = self.repository.index()
        return frozenset(entry.path for entry in index.entries if entry.mode in REGULAR) if index else frozenset()

    @cached_property
    def _entries(self) -> list[Entry]:
        found = []
        for path in sorted({*self.also, *self.tracked}):
            try:
                mode = os.lstat(f"{self.root}/{path}").st_mode
            except PermissionError:
                mode = stat.S_IFREG  # reading it fails, which is said then
            except OSError:
                continue  # deleted, not yet committed
            if stat.S_ISREG(mode):
                found.append(Entry(path, executable=bool(mode & stat.S_IXUSR)))
        return found

    def entries(self) -> Sequence[Entry]:
        """Regular files that exist, sorted by path."""
        return self._entries

    def read(self, path: str) -> bytes:
        """The bytes of one file. Raises OSError."""
        return read_regular(self.repository.folder, path)
