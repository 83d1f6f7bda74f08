"""Whether a file on disk is what it was, without reading it: as git does it, by size, times and inode."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from typing import Any

from ..operating_system import is_link_status
from .files import Files

Stamp = tuple[Any, ...]
ABSENT: Stamp = ("absent",)
# A file that was touched so shortly before it was looked at may change again within the same tick of its clock.
RACY = 2 * 10**9  # nanoseconds: the coarsest clock of a file system in use


def stamps(files: Files) -> Callable[[str], Stamp | None] | None:
    """Gives the stamp of a path of `files`: equal stamps, equal content. None for files that know none."""
    created: Callable[[str], Stamp | None] | None = getattr(files, "stamp", None)
    return created


class DiskStamps:
    """The stamps of the files in one folder; no part of their paths may be a symlink."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._plain: dict[str, bool] = {"": True}

    def __call__(self, path: str) -> Stamp | None:
        """None where it can't be told."""
        if not self._is_plain(path.rpartition("/")[0]):
            return None
        try:
            status = os.lstat(f"{self._folder}/{path}")
        except FileNotFoundError:
            return ABSENT
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        times = status.st_mtime_ns, status.st_ctime_ns
        return status.st_size, *times, status.st_ino, status.st_dev, status.st_mode, status.st_uid

    def _is_plain(self, folder: str) -> bool:
        """True for a real folder, reached through real folders; also where there is none."""
        if folder not in self._plain:
            try:
                linked = is_link_status(os.lstat(f"{self._folder}/{folder}"))
            except FileNotFoundError:
                linked = False
            except OSError:
                linked = True
            self._plain[folder] = not linked and self._is_plain(folder.rpartition("/")[0])
        return self._plain[folder]


def settled(stamp: Stamp, looked: int) -> bool:
    """True when a later change must show in the stamp; `looked`: when it was taken, in nanoseconds."""
    return len(stamp) < 7 or max(stamp[1], stamp[2]) + RACY < looked


def now() -> int:
    """The time as `settled` takes it."""
    return time.time_ns()
