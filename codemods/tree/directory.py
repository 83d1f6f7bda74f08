"""A plain folder (or one file) in and out, and which files of any tree are looked at."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..operating_system import cannot_be, is_alive, is_link, is_plain_folder, replace
from ..problem import Problem
from .files import Entry, Files
from .stamps import DiskStamps, Stamp, stamps
from .uninterrupted import uninterrupted

MAX_BYTES = 16 * 1024 * 1024  # nobody writes a source file as large as this
# Folders with other people's or a tool's files. Looked at only when the user names them.
# fmt: off
VENDORED = frozenset({
    "third_party", "thirdparty", "third-party", "3rdparty", "vendor", "vendored", "_vendor", "node_modules",
    "bower_components", "site-packages", "dist-packages", ".venv", "venv", ".eggs", ".tox", ".nox", ".git", ".hg",
    ".svn", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".ipynb_checkpoints", ".direnv", ".pixi",
    "conda-meta",
})
# fmt: on
_SUFFIX = ".spawnfix"
_LEFT_OVER = re.compile(rf"(\..*\.(\d{{1,10}})-[0-9a-f]{{8}})-([0-9a-f]{{16}}){re.escape(_SUFFIX)}", re.DOTALL)
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
        """What tells whether a file is as it was; None where nothing does."""
        return stamps(self.files)


@dataclass(frozen=True)
class DirectoryFiles:
    """What lies in `folder`; with `only`, just this file of it. Symlinks and repositories in it are not followed."""

    folder: Path
    only: str | None = None
    most: int | None = None  # entries that are looked at; those beyond are left out

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
        """What tells whether a file is as it was."""
        return DiskStamps(self.root)


def _executable(item: os.DirEntry[str]) -> bool:
    try:
        return bool(item.stat(follow_symlinks=False).st_mode & stat.S_IXUSR)
    except PermissionError:
        return False  # the folder lets nobody at its files: reading it will say so


def read_regular(folder: Path, path: str, most: int = MAX_BYTES) -> bytes:
    """The bytes of `folder`/`path`, no part of `path` being a symlink.

    Raises OSError, for anything but a regular file and for more than `most` bytes too.
    """
    if why := cannot_be(path):
        raise OSError(errno.EINVAL, why, path)
    target = folder
    for part in path.split("/"):
        if target != folder and is_link(target):
            raise OSError(errno.ELOOP, "reached through a symbolic link, not followed", path)
        target = target / part
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(target, flags), "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        if status.st_size > most:
            size = f"{most // 2**20} MiB" if most >= 2**20 else f"{most} bytes"
            raise OSError(errno.EFBIG, f"larger than {size}", path)
        return stream.read(most + 1)


def replace_files(folder: Path, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> None:
    """Put `after` in place of the files of `folder`, each at once, mode and owner kept.

    Nothing is replaced unless all new files could be written beside the old ones and these still hold what `before`
    says.
    Raises Problem.
    """
    staged: list[tuple[Path, Path]] = []
    target = folder
    clear({(folder / path).parent for path in after})
    try:
        for path, data in sorted(after.items()):
            target = folder / path
            staged.append((stage(target, data, stat.S_IMODE(target.lstat().st_mode)), target))
            if read_regular(folder, path) != before[path]:
                raise Problem(f"{path} changed while spawnfix was at work; nothing was written, run it again")
        with uninterrupted():
            while staged:
                temporary, target = staged[0]
                replace(temporary, target)
                del staged[0]
    except OSError as error:
        raise Problem(f"can't write {target}: {error.strerror or error}") from None
    finally:
        for temporary, _ in staged:
            temporary.unlink(missing_ok=True)


def written(file: Path, data: bytes) -> None:
    """Put `data` into the new or old `file` at once, so that a kill or a full disk leaves it as it was.

    What is no file of its own (links, pipes, `/dev/stdout`) or lies in a folder that takes no other is written to.
    Raises OSError.
    """
    try:
        status = file.lstat()
    except FileNotFoundError:
        os.umask(mask := os.umask(0o077))
        own, mode = True, 0o666 & ~mask
    else:
        own = stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and os.access(file, os.W_OK)
        mode = stat.S_IMODE(status.st_mode)
    if own:
        clear([file.parent])
        with contextlib.suppress(PermissionError):
            replaced(file, data, mode)
            return
    file.write_bytes(data)


def replaced(target: Path, data: bytes, mode: int) -> None:
    """Put `data` into the file `target` at once, with the permissions `mode`, owner kept. Raises OSError."""
    temporary = stage(target, data, mode)
    try:
        replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _beside(target: Path, data: bytes) -> Path:
    """A new file with `data` in the folder of `target`, safely on disk. Its name shows that it is one of ours."""
    name = f".{target.name[:40]}.{os.getpid()}-{secrets.token_hex(4)}"
    temporary = target.with_name(f"{name}-{_mark(target.parent, name)}{_SUFFIX}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(temporary, flags, 0o600)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _mark(folder: Path, name: str) -> str:
    """What nobody else's file in `folder` ends with."""
    text = f"spawnfix {os.path.realpath(folder)}/{name}".encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()[:16]


def stage(target: Path, data: bytes, mode: int) -> Path:
    """A new file with `data` beside `target`, with the permissions `mode` and its owner as far as we may give it away.

    Raises OSError.
    """
    temporary = _beside(target, data)
    try:
        with contextlib.suppress(OSError):
            status = target.lstat()
            if hasattr(os, "chown") and (status.st_uid, status.st_gid) != (os.getuid(), os.getgid()):
                os.chown(temporary, status.st_uid, status.st_gid)
        temporary.chmod(mode)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def clear(folders: Iterable[Path]) -> None:
    """Remove what a run that was killed left in `folders`."""
    for folder in folders:
        with contextlib.suppress(OSError):
            for path in folder.glob(f".*{_SUFFIX}"):
                found = _LEFT_OVER.fullmatch(path.name)
                ours = found is not None and found[3] == _mark(folder, found[1])
                if found is not None and ours and not is_alive(int(found[2])):
                    path.unlink()
