"""Copies new objects from a git folder of ours into a repository."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from pathlib import Path

from ..operating_system import is_link, replace


def copy_objects(ours: Path, theirs: Path) -> None:
    """Copy the loose objects in `ours` that `theirs` lacks. An object counts only when a branch leads to it.

    Raises OSError, also where a folder of `theirs` is a symbolic link.
    """
    if is_link(theirs):
        raise OSError(errno.ELOOP, "a symbolic link, not followed", str(theirs))
    mode = stat.S_IMODE(theirs.lstat().st_mode)
    for folder in sorted(ours.iterdir()):
        if len(folder.name) != 2:
            continue  # packs, and what git notes about them
        target = theirs / folder.name
        if is_link(target):
            raise OSError(errno.ELOOP, "a symbolic link, not followed", str(target))
        if not target.is_dir():
            target.mkdir()
            with contextlib.suppress(OSError):
                target.chmod(mode)  # a repository that a group shares
        for source in sorted(folder.iterdir()):
            if not os.path.lexists(target / source.name):
                _copy(source, target)


def _copy(source: Path, folder: Path) -> None:
    handle, name = tempfile.mkstemp(prefix="tmp_obj_", dir=folder)  # git's own name: its `gc` removes what a kill left
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(source.read_bytes())
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o444)
        replace(temporary, folder / source.name)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
