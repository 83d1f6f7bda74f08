"""A checkout that fails half way (disk full, HEAD locked) is undone: git itself leaves the work tree in between."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .directory import read_regular, replaced
from .repository import GitFailed, Repository


@dataclass(frozen=True)
class Before:
    """What a checkout is about to change: (bytes, mode) of files by path, the index, and where HEAD is."""

    files: dict[str, tuple[bytes, int]]
    index: bytes | None
    locks: frozenset[str]  # that somebody held already
    head: str | None  # the branch, None when it is the commit
    commit: str

    @classmethod
    def of(cls, repository: Repository, paths: Iterable[str]) -> Before:
        """The state now; files that are not there or can't be read are left out, as git will not touch them."""
        files = {}
        for path in paths:
            with contextlib.suppress(OSError):
                target = repository.folder / path
                files[path] = (read_regular(repository.folder, path), stat.S_IMODE(target.lstat().st_mode))
        index = repository.git_dir / "index"
        return cls(
            files,
            index.read_bytes() if index.exists() else None,
            frozenset(_locks(repository)),
            repository.head_ref(),
            repository.head(),
        )

    def put_back(self, repository: Repository, killed: bool = False, moved: bool = False) -> list[str]:
        """Restore what differs from then; the paths where that failed.

        To be called when git failed while it was writing, and at no other time: what differs is taken for git's work.
        A git that was `killed` leaves its locks; one that could not write some files has `moved` HEAD all the same.
        """
        if killed:
            for name in _locks(repository) - self.locks:
                (repository.git_dir / name).unlink(missing_ok=True)
        changed, lost = False, []
        for path, (data, mode) in self.files.items():
            try:
                now = read_regular(repository.folder, path)
            except OSError:
                now = None
            if now != data:
                changed = True
                try:
                    replaced(repository.folder / path, data, mode)
                except OSError:
                    lost.append(path)
        whole = changed or moved
        if whole and self.index is not None and not self._put_back_index(repository.git_dir / "index", self.index):
            lost.append("git's index")
        if moved and not self._put_back_head(repository):
            lost.append("HEAD")
        return lost

    def _put_back_head(self, repository: Repository) -> bool:
        command = (
            ("symbolic-ref", "HEAD", self.head) if self.head else ("update-ref", "--no-deref", "HEAD", self.commit)
        )
        try:
            repository.git(*command, alone=True)
        except GitFailed:
            return False
        return True

    def _put_back_index(self, index: Path, data: bytes) -> bool:
        lock = index.with_name("index.lock")
        mine = False
        try:
            if index.exists() and index.read_bytes() == data:
                return True
            handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            mine = True
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            lock.replace(index)
        except OSError:
            if mine:
                lock.unlink(missing_ok=True)
            return False
        return True


def _locks(repository: Repository) -> set[str]:
    return {name for name in ("index.lock", "HEAD.lock") if (repository.git_dir / name).exists()}
