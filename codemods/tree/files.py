"""What every place that source comes from offers: names of files, and their bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Entry:
    """A file: its path relative to the root with forward slashes, git's blob id where known, executable or not."""

    path: str
    oid: str | None = None
    executable: bool = False


class Files(Protocol):
    """A read-only set of files under one root."""

    @property
    def root(self) -> str:
        """The root folder, for people."""

    def entries(self) -> Sequence[Entry]:
        """All regular files, sorted by path; no symlinks, no submodules."""

    def read(self, path: str) -> bytes:
        """The bytes of one file. Raises OSError when it can't be read."""


@dataclass(frozen=True)
class MemoryFiles:
    """Files in memory: `contents` maps a path to its bytes. For tests, examples and single snippets."""

    contents: dict[str, bytes]
    root: str = "."

    def entries(self) -> Sequence[Entry]:
        """The paths of `contents`, sorted."""
        return [Entry(path) for path in sorted(self.contents)]

    def read(self, path: str) -> bytes:
        """The bytes of `path`. Raises FileNotFoundError."""
        try:
            return self.contents[path]
        except KeyError:
            raise FileNotFoundError(path) from None
