"""A plain folder (or one file) in and out, and which files of any tree are looked at."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..operating_system import is_plain_folder
from .files import Entry, Files
from .guarded import read_regular
from .stamps import DiskStamps, Stamp, stamps

# Folders with other people's or a tool's files. Looked at only when the user names them.
# fmt: off
VENDORED = frozenset({
    "third_party", "thirdparty", "third-party", "3rdparty", "vendor", "vendored", "_vendor", "node_modules",
    "bower_components", "site-packages", "dist-packages", ".venv", "venv", ".eggs", ".tox", ".nox", ".git", ".hg",
    ".svn", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".ipynb_checkpoints", ".direnv", ".pixi",
    "conda-meta",
})
# fmt: on
# those in which people put sources; a tool puts into the others what it installs
SOURCES = frozenset({"third_party", "thirdparty", "third-party", "3rdparty", "vendor", "vendored", "_vendor"})
GENERATED = frozenset({"build", "dist"})  # unless they are packages: torch.distributed helpers live in `dist/` too


@dataclass(frozen=True)
class Selected:
    """The part of `files` that a run looks at: nothing in a vendored or generated folder.

    Folders that `asked` (the path the user gave, relative to the root) lies in are the user's choice and stay.
    """

    files: Files
    asked: str = ""
    also_asked: tuple[str, ...] = ()  # when several paths were named

    @property
    def root(self) -> str:
        """The root of `files`."""
        return self.files.root

    @cached_property
    def _entries(self) -> list[Entry]:
        entries = self.files.entries()
        packages = {entry.path.rpartition("/")[0] for entry in entries if entry.path.endswith("/__init__.py")}
        verdicts: dict[str, bool] = {"": False}

        def foreign(folder: str) -> bool:
            if folder not in verdicts:
                parts = folder.split("/")
                verdicts[folder] = False
                for depth, name in enumerate(parts, start=1):
                    above = "/".join(parts[:depth])
                    named = name in VENDORED or name.endswith(".egg-info")
                    if named or (name in GENERATED and above not in packages):
                        wanted = (self.asked, *self.also_asked)
                        verdicts[folder] |= not any(f"{path}/".startswith(f"{above}/") for path in wanted)
            return verdicts[folder]

        return [entry for entry in entries if not foreign(entry.path.rpartition("/")[0])]

    def entries(self) -> Sequence[Entry]:
        """The files that are looked at, sorted."""
        return self._entries

    def read(self, path: str) -> bytes:
        """The bytes of one file. Raises OSError."""
        return self.files.read(path)

    @property
    def stamp(self) -> Callable[[str], Stamp | None] | None:
        """What shows whether a file is as it was; None where nothing does."""
        return stamps(self.files)


@dataclass(frozen=True)
class DirectoryFiles:
    """What lies in `folder`; with `only`, just this file of it. Symlinks and repositories in it are not followed."""

    folder: Path
    only: str | None = None
    most: int | None = None  # entries that are looked at; those beyond are left out
    # folders of `SOURCES`, when the entries have been listed
    left_out: list[str] = field(default_factory=list, compare=False)

    @property
    def root(self) -> str:
        """The folder."""
        return str(self.folder)

    @cached_property
    def _entries(self) -> list[Entry]:
        found: list[Entry] = []
        folders, seen = [""], 0
        while folders and (self.most is None or seen < self.most):
            prefix = folders.pop()
            try:
                with os.scandir(self.folder / prefix) as scan:
                    items = list(scan)
            except OSError as error:
                if prefix and not isinstance(error, FileNotFoundError):
                    found.append(Entry(prefix.rstrip("/")))  # reading it fails, which is said then
                continue
            if prefix and any(item.name in (".git", "pyvenv.cfg") for item in items):
                continue  # another repository, or an environment
            seen += len(items)
            for item in items:
                path = prefix + item.name
                with contextlib.suppress(FileNotFoundError):
                    if is_plain_folder(item):
                        if item.name not in VENDORED:
                            folders.append(path + "/")
                        elif item.name in SOURCES:
                            self.left_out.append(path)
                    elif item.is_file(follow_symlinks=False):
                        found.append(Entry(path, executable=_executable(item)))
        return sorted(found, key=lambda entry: entry.path)

    def entries(self) -> Sequence[Entry]:
        """Regular files, sorted by path."""
        if self.only is not None:
            mode = (self.folder / self.only).lstat().st_mode
            return [Entry(self.only, executable=bool(mode & stat.S_IXUSR))]
        return self._entries

    def read(self, path: str) -> bytes:
        """The bytes of one file. Raises OSError."""
        return read_regular(self.folder, path)

    @cached_property
    def stamp(self) -> DiskStamps:
        """What shows whether a file is as it was."""
        return DiskStamps(self.root)


def _executable(item: os.DirEntry[str]) -> bool:
    try:
        return bool(item.stat(follow_symlinks=False).st_mode & stat.S_IXUSR)
    except PermissionError:
        return False  # the folder lets nobody at its files: reading it will say so
