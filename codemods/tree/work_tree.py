"""The files that git tracks, as they lie on disk. Needs no git program."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..problem import Problem
from .directory import DirectoryFiles
from .files import Entry
from .git_config import of_users
from .git_index import REGULAR
from .guarded import read_regular
from .repository import Repository
from .stamps import DiskStamps

MOST_ENTRIES = 100_000  # of a work tree that are looked at for untracked files: data may lie there
MOST_IGNORED = 2**20  # bytes of a `.gitignore`


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
        """The paths in the index, of regular files. Raises Problem."""
        return frozenset(path for path, mode in _tracked(self.repository).items() if mode in REGULAR)

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

    @cached_property
    def stamp(self) -> DiskStamps:
        """What shows whether a file is as it was."""
        return DiskStamps(self.root)


def untracked(repository: Repository) -> list[str]:
    """Python files in the work tree that git neither tracks nor ignores, sorted. Raises Problem."""
    if repository.work_tree is None:
        return []
    tracked = _tracked(repository)
    found = DirectoryFiles(repository.work_tree, most=MOST_ENTRIES).entries()
    strangers = [entry.path for entry in found if entry.path.endswith(".py") and entry.path not in tracked]
    try:
        return sorted(set(strangers) - _ignored(repository, strangers)) if strangers else []
    except Problem:  # no git program: then what it ignores is not known
        return strangers


def _tracked(repository: Repository) -> dict[str, int]:
    """The mode of each path in the index. Where the index is empty and HEAD is not, the files of HEAD are tracked.

    A clone without checkout leaves such an index; files may have been put into its work tree by other means.
    Raises Problem.
    """
    index = repository.index()
    if index is not None and index.entries:
        return {entry.path: entry.mode for entry in index.entries}
    commit = repository.refs.head()[1]
    if commit is None:
        return {}
    from .git_tree import CommitFiles

    return {path: int(mode, 8) for path, (mode, _) in CommitFiles(repository, commit).tree.items()}


def _ignored(repository: Repository, paths: Sequence[str]) -> set[str]:
    """Those of `paths` that git ignores. Git is asked in a folder of ours, with copies of the `.gitignore` files."""
    from .git_folder import GitFailed

    assert repository.work_tree is not None
    tree = repository.ours.path / "ignore"
    folders = {""} | {path[: at + 1] for path in paths for at, letter in enumerate(path) if letter == "/"}
    try:
        for folder in folders:
            (tree / folder).mkdir(parents=True, exist_ok=True)
            _copied(repository.work_tree, f"{folder}.gitignore", tree / folder / ".gitignore")
        (repository.ours.path / "info").mkdir(exist_ok=True)
        _copied(repository.common_dir, "info/exclude", repository.ours.path / "info/exclude")
        listed = b"".join(os.fsencode(path) + b"\0" for path in paths)
        env = {"GIT_WORK_TREE": str(tree)}
        answer = repository.ours.git(
            "-C", str(tree), "check-ignore", "-v", "-n", "-z", "--stdin", "--no-index", stdin=listed, env=env,
            config=_users_excludes(repository),
        )  # fmt: skip
    except OSError as error:
        raise Problem(f"{error.filename or tree}: {error.strerror or error}") from None
    except GitFailed:
        return set()  # status 1: none
    fields = answer.split(b"\0")  # file, line, pattern and path; old versions also list what a "!" takes out again
    rows = zip(fields[2::4], fields[3::4], strict=False)
    return {os.fsdecode(path) for pattern, path in rows if pattern and not pattern.startswith(b"!")}


def _copied(folder: Path, name: str, target: Path) -> None:
    try:
        data = read_regular(folder, name, MOST_IGNORED)
    except OSError:
        return
    target.write_bytes(data)


def _users_excludes(repository: Repository) -> dict[str, str]:
    file = of_users("core.excludesfile", "ignore", repository.of_user)
    return {"core.excludesFile": file} if file is not None else {}
