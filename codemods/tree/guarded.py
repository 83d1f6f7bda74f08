"""Files in a folder of somebody else: no part of a path is followed when it is a link, whenever it became one.

Where the system can, folders are opened one by one from the root down, and names are looked up in what was opened: who
puts a link in the place of a folder while we work leads nobody away. Elsewhere (Windows) each part is looked at before.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ..operating_system import cannot_be, is_link

MAX_BYTES = 16 * 1024 * 1024  # nobody writes a source file as large as this
OPENS_FOLDERS = {os.open, os.stat, os.unlink, os.rename} <= os.supports_dir_fd
_FOLDER = os.O_RDONLY | getattr(os, "O_PATH", 0) | getattr(os, "O_DIRECTORY", 0)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FOLLOWED = "reached through a symbolic link, not followed"


@contextlib.contextmanager
def folder_of(root: Path, path: str) -> Iterator[tuple[int | None, Path]]:
    """The folder that `path` (relative to `root`) lies in: its descriptor, where the system has such, and its path.

    Raises OSError, also where a part of it below `root` is a link.
    """
    parts = path.split("/")[:-1]
    if not OPENS_FOLDERS:
        folder = root
        for part in parts:
            folder = folder / part
            if is_link(folder):
                raise OSError(errno.ELOOP, _FOLLOWED, path)
        yield None, folder
        return
    opened = os.open(root, _FOLDER)
    try:
        for part in parts:
            try:
                below = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=opened)
            except OSError as error:
                if error.errno in (errno.ENOTDIR, errno.ELOOP) and _is_link_in(opened, part):
                    raise OSError(errno.ELOOP, _FOLLOWED, path) from None
                error.filename = str(root / path)
                raise
            os.close(opened)
            opened = below
        yield opened, root.joinpath(*parts)
    finally:
        os.close(opened)


def _is_link_in(folder: int, name: str) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def open_in(folder: tuple[int | None, Path], name: str, flags: int, mode: int = 0o600) -> int:
    """A descriptor of the file `name` in a folder that `folder_of` gave. Raises OSError."""
    descriptor, path = folder
    if descriptor is None:
        return os.open(path / name, flags, mode)
    try:
        return os.open(name, flags, mode, dir_fd=descriptor)
    except OSError as error:
        error.filename = str(path / name)
        raise


def read_regular(root: Path, path: str, most: int = MAX_BYTES) -> bytes:
    """The bytes of `root`/`path`, no part of `path` being a link.

    Raises OSError, for anything but a regular file and for more than `most` bytes too.
    """
    if why := cannot_be(path):
        raise OSError(errno.EINVAL, why, path)
    if "/" not in path:
        handle = os.open(root / path, _READ)
    else:
        with folder_of(root, path) as folder:
            handle = open_in(folder, path.rpartition("/")[2], _READ)
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        if status.st_size > most:
            size = f"{most // 2**20} MiB" if most >= 2**20 else f"{most} bytes"
            raise OSError(errno.EFBIG, f"larger than {size}", path)
        return stream.read(most + 1)


def read_named(file: Path, most: int) -> bytes:
    """The bytes of a file that the user named: a regular one, or what the shell put in its place (`<(command)`).

    A pipe of the repository in its place would never answer. Raises OSError, also for more than `most` bytes.
    """
    theirs = file.as_posix().startswith(("/dev/fd/", "/dev/stdin"))
    flags = os.O_RDONLY | (0 if theirs else getattr(os, "O_NONBLOCK", 0)) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(file, flags), "rb") as stream:
        if not theirs and not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(file))
        data = stream.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"larger than {most // 2**20} MiB", str(file))
    return data
