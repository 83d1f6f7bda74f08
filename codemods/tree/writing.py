"""Writes files in the place of others, each at once; a kill or a full disk leaves the old one whole."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..operating_system import is_alive, replace
from ..problem import Problem
from .guarded import folder_of, open_in, read_regular
from .uninterrupted import uninterrupted

_SUFFIX = ".spawnfix"
_LEFT_OVER = re.compile(rf"(\..*\.(\d{{1,10}})-[0-9a-f]{{8}})-([0-9a-f]{{16}}){re.escape(_SUFFIX)}", re.DOTALL)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def replace_files(folder: Path, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> None:
    """Put `after` in place of the files of `folder`, each at once, mode and owner kept.

    Nothing is replaced unless all new files could be written beside the old ones and these still hold what `before`
    says.
    Raises Problem.
    """
    staged: list[tuple[str, str]] = []
    target = folder
    clear({(folder / path).parent for path in after})
    try:
        for path, data in sorted(after.items()):
            target = folder / path
            staged.append((stage(folder, path, data, stat.S_IMODE(target.lstat().st_mode)), path))
            if read_regular(folder, path) != before[path]:
                raise Problem(f"{path} changed while spawnfix was at work; nothing was written, run it again")
        with uninterrupted():
            while staged:
                temporary, path = staged[0]
                target = folder / path
                put_staged(folder, temporary, path)
                del staged[0]
    except OSError as error:
        raise Problem(f"can't write {target}: {error.strerror or error}") from None
    finally:
        for temporary, _ in staged:
            drop_staged(folder, temporary)


def written(file: Path, data: bytes) -> None:
    """Put `data` into the new or old `file` at once, so that a kill or a full disk leaves it as it was.

    What is no file of its own (pipes, `/dev/stdout`) or lies in a folder that takes no other is written to. Other
    symbolic links are not followed: a repository may have one where the user expects a file. Raises OSError.
    """
    try:
        status = file.lstat()
    except FileNotFoundError:
        os.umask(mask := os.umask(0o077))
        own, mode = True, 0o666 & ~mask
    else:
        if stat.S_ISLNK(status.st_mode) and not file.absolute().as_posix().startswith(("/dev/", "/proc/")):
            raise OSError(errno.ELOOP, "a symbolic link, not followed; name the file itself", str(file))
        own = stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and os.access(file, os.W_OK)
        mode = stat.S_IMODE(status.st_mode)
    if own:
        clear([file.parent])
        with contextlib.suppress(PermissionError):
            replaced(file.parent, file.name, data, mode)
            return
    file.write_bytes(data)


def replaced(root: Path, path: str, data: bytes, mode: int) -> None:
    """Put `data` into the file `root`/`path` at once, with the permissions `mode`, owner kept. Raises OSError."""
    temporary = stage(root, path, data, mode)
    try:
        put_staged(root, temporary, path)
    except BaseException:
        drop_staged(root, temporary)
        raise


def stage(root: Path, path: str, data: bytes, mode: int) -> str:
    """A new file with `data` beside `root`/`path`, safely on disk: its path relative to `root`. No link is followed.

    It has the permissions `mode`, and the owner of the file as far as we may give it away; its name shows that it is
    one of ours. Raises OSError.
    """
    above, _, last = path.rpartition("/")
    name = f".{last[:40]}.{os.getpid()}-{secrets.token_hex(4)}"
    name = f"{name}-{_mark((root / path).parent, name)}{_SUFFIX}"
    temporary = f"{above}/{name}" if above else name
    with folder_of(root, path) as folder:
        handle = open_in(folder, name, _NEW)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
                if hasattr(os, "fchown"):
                    with contextlib.suppress(OSError):
                        status = os.stat(last, dir_fd=folder[0], follow_symlinks=False)
                        if (status.st_uid, status.st_gid) != (os.getuid(), os.getgid()):
                            os.fchown(stream.fileno(), status.st_uid, status.st_gid)
                    os.fchmod(stream.fileno(), mode)
            if not hasattr(os, "fchmod"):
                (folder[1] / name).chmod(mode)
        except BaseException:
            drop_staged(root, temporary)
            raise
    return temporary


def put_staged(root: Path, temporary: str, path: str) -> None:
    """Put what `stage` made in the place of `root`/`path`, at once. Raises OSError."""
    name = temporary.rpartition("/")[2]
    with folder_of(root, path) as (descriptor, folder):
        if descriptor is None:
            replace(folder / name, root / path)
        else:
            try:
                os.replace(name, path.rpartition("/")[2], src_dir_fd=descriptor, dst_dir_fd=descriptor)
            except OSError as error:
                error.filename, error.filename2 = str(root / path), None
                raise


def drop_staged(root: Path, temporary: str) -> None:
    """Remove what `stage` made, where it still is."""
    with contextlib.suppress(OSError), folder_of(root, temporary) as (descriptor, folder):
        name = temporary.rpartition("/")[2]
        if descriptor is None:
            (folder / name).unlink()
        else:
            os.unlink(name, dir_fd=descriptor)


def _mark(folder: Path, name: str) -> str:
    """What nobody else's file in `folder` ends with."""
    text = f"spawnfix {os.path.realpath(folder)}/{name}".encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()[:16]


def clear(folders: Iterable[Path]) -> None:
    """Remove what a run that was killed left in `folders`."""
    for folder in folders:
        with contextlib.suppress(OSError):
            for path in folder.glob(f".*{_SUFFIX}"):
                found = _LEFT_OVER.fullmatch(path.name)
                ours = found is not None and found[3] == _mark(folder, found[1])
                if found is not None and ours and not is_alive(int(found[2])):
                    path.unlink()
