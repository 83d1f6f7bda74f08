"""The folder that a batch writes to. It is ours only with our marker in it, and only what we made is ever removed."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..operating_system import is_link, remove_folder
from ..problem import Problem
from ..quoting import shell
from ..tree.guarded import read_regular

if TYPE_CHECKING:
    from .ledger import Ledger
    from .repos import Repo

MARKER = ".spawnfix-batch"
_MARKER_BYTES = 4096
_ABOUT = "This folder was made by `spawnfix batch`, which replaces the files of its report here.\n"
_SCRATCH_NAME = re.compile(r"scratch-[0-9a-f]{16}")
SCRATCH = "scratch"  # key in the ledger: the name of the scratch folder that the last run made


def claim(folder: Path, repos: Iterable[Repo]) -> None:
    """Make `folder` the output folder of a batch of `repos`, or find that it is one.

    Raises Problem, before any work is done.
    """
    try:
        if is_link(folder):
            raise Problem(f"{folder} is a symbolic link; give --out a folder that spawnfix may make or has made")
        place = folder.resolve()
        for repo in repos:
            _apart(place, folder, repo)
        folder.mkdir(parents=True, exist_ok=True)
        names = {entry.name: entry for entry in os.scandir(folder)}
        if MARKER in names:
            linked = sorted(name for name, entry in names.items() if is_link(Path(entry)))
            if linked:
                raise Problem(f"{folder / linked[0]} is a symbolic link; spawnfix makes none there: use another --out")
            found = read_regular(folder, MARKER, _MARKER_BYTES)
            if len(names) == 1 and _marker(folder).startswith(found):
                put(
                    folder / MARKER, _marker(folder)
                )  # it may be cut: a run ended, or the disk was full, as it was written
            elif found != _marker(folder):
                raise Problem(
                    f"{folder} was copied or moved here, or comes with somebody's repository; use another --out"
                )
            return
        if names:
            raise Problem(f"{folder} is not empty and was not made by spawnfix batch; use another --out")
        create(folder / MARKER, _marker(folder))
    except OSError as error:
        raise Problem(f"{folder}: {error.strerror or error}") from None


def _marker(folder: Path) -> bytes:
    """What our marker in `folder` says. The folder's number keeps a marker out that came with a clone or an archive."""
    return f"{_ABOUT}Its number is {folder.stat().st_ino}: a copy of it is not taken for ours.\n".encode()


def check_made_by_batch(folder: Path) -> None:
    """Raises Problem when `folder` is no output folder of ours."""
    if is_link(folder) or not _is_file(folder / MARKER):
        raise Problem(f"{folder}: no batch was run there")


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _apart(place: Path, folder: Path, repo: Repo) -> None:
    if repo.remote or repo.wrong is not None:
        return
    listed = Path(repo.location)
    listed = listed.parent if listed.name == ".git" else listed
    if not os.path.lexists(listed / ".git") and not (listed / "objects").is_dir():
        return  # no repository: it becomes a failed row
    if place == listed or listed in place.parents:
        raise Problem(f"{folder} is inside {listed}, a repository of the list; give another folder with --out")
    if place in listed.parents:
        raise Problem(f"{folder} contains {listed}, a repository of the list; give another folder with --out")


def create(path: Path, data: bytes) -> None:
    """Write a new file at `path`. Raises OSError, also where anything is there already."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o666), "wb") as stream:
        stream.write(data)


def put(path: Path, data: bytes) -> None:
    """Put `data` into `path` at once; what a run that was killed left on the way is replaced. Raises OSError."""
    fresh = path.with_name(f".{path.name}.new")
    with contextlib.suppress(FileNotFoundError):
        fresh.unlink()
    try:
        create(fresh, data)
        fresh.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise


def make_scratch(folder: Path, ledger: Ledger) -> Path:
    """A new folder for temporary files in `folder`, after removing the one that a killed run left.

    Its name is in the ledger before it is made, so that the next run knows it for ours. Raises OSError.
    """
    left = ledger.about().get(SCRATCH)
    if left and _SCRATCH_NAME.fullmatch(left):
        remove_folder(folder / left)
    name = f"scratch-{secrets.token_hex(8)}"
    ledger.note({SCRATCH: name})
    scratch = folder / name
    scratch.mkdir(mode=0o700)
    return scratch


def resume_command(repos: str, folder: Path) -> str:
    """What to type to go on with a batch that was interrupted."""
    return f"spawnfix batch {shell(repos)} --out {shell(str(folder))} --resume"
