"""Finds the repository that a path lies in, without git: where its folders are, and whether they may be believed.

A `.git` folder may come from anyone. A link in it, or a file that names another folder as its own, can make us read or
write elsewhere: such repositories are refused.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from ..operating_system import is_link
from ..problem import Problem
from ..quoting import printable
from .git_config import Entries, is_true, last, parse_config
from .guarded import read_regular

# What we read or write in a git folder.
_USED = (
    "HEAD", "index", "config", "config.worktree", "packed-refs", "refs", "refs/heads", "objects", "objects/info",
    "objects/pack", "objects/info/alternates", "logs", "logs/HEAD", "logs/refs", "logs/refs/heads", "info",
    "info/attributes", "info/exclude", "shallow", "commondir", "gitdir",
)  # fmt: skip
_KNOWN_EXTENSIONS = (
    "noop", "preciousobjects", "partialclone", "objectformat", "worktreeconfig", "refstorage", "relativeworktrees",
    "noop-v1", "compatobjectformat", "submodulepathconfig",
)  # fmt: skip
_SMALL = 8192  # bytes of a file that names a folder


@dataclass(frozen=True)
class Place:
    """Where a repository is; `common_dir` differs from `git_dir` in a linked work tree, `marker` is its `.git`."""

    git_dir: Path
    common_dir: Path
    work_tree: Path | None
    marker: Path
    config: tuple[tuple[str, str], ...]  # of the repository, as data


def find_place(start: Path) -> Place | None:
    """The repository that the folder `start` lies in, None where there is none.

    Raises Problem when there is one that can't be used.
    """
    start = Path(os.path.abspath(start))  # noqa: PTH100  (resolve() would follow links)
    for folder in (start, *start.parents):
        marker = folder / ".git"
        try:
            mode = marker.lstat().st_mode
        except OSError:
            mode = 0
        if mode and is_link(marker):
            raise Problem(f"{marker} is a symbolic link; spawnfix does not follow links to a git folder")
        if stat.S_ISREG(mode):
            return _linked(folder, marker)
        if stat.S_ISDIR(mode) and _is_git_dir(marker):
            return _ordinary(folder, marker)
        if mode and not stat.S_ISDIR(mode):
            raise Problem(f"{marker} is neither a folder nor a file")
        if _is_git_dir(folder):
            return _bare(folder, start)
    return None


def _is_git_dir(folder: Path) -> bool:
    try:
        return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()
    except PermissionError as error:  # a user knows the folder, and not which file of it is asked for first
        raise Problem(f"{printable(str(folder))}: {error.strerror}") from None


def _ordinary(folder: Path, git_dir: Path) -> Place:
    if os.path.lexists(git_dir / "commondir"):
        raise Problem(
            f"{git_dir} has a file `commondir`, which leads to another repository; spawnfix does not follow it"
        )
    config = _config(git_dir, git_dir)
    if is_true(last(config, "core.bare")):
        return _checked(Place(git_dir, git_dir, None, git_dir, tuple(config)))
    if (elsewhere := last(config, "core.worktree")) is not None and not _same(git_dir / elsewhere, folder):
        raise Problem(
            f"{folder}: core.worktree points to {printable(elsewhere)}, "
            "which is not where this repository is checked out"
        )
    return _checked(Place(git_dir, git_dir, folder, git_dir, tuple(config)))


def _bare(folder: Path, start: Path) -> Place:
    config = _config(folder, folder)
    if not is_true(last(config, "core.bare")):
        raise Problem(f"{start}: this is inside git's own folder, not a work tree")
    if os.path.lexists(folder / "commondir"):
        raise Problem(
            f"{folder} has a file `commondir`, which leads to another repository; spawnfix does not follow it"
        )
    return _checked(Place(folder, folder, None, folder, tuple(config)))


def _linked(folder: Path, marker: Path) -> Place:
    """A `.git` file: of a linked work tree or a submodule. The folder that it names must name it in return."""
    text = _small(folder, ".git", marker)
    if not text.startswith("gitdir: ") or not text[8:].strip("\n"):
        raise Problem(f"{marker}: not a file that git wrote")
    git_dir = Path(os.path.normpath(folder / text[8:].rstrip("\n")))
    stranger = Problem(f"{marker} leads to {git_dir}, which does not lead back to it; spawnfix does not follow it")
    try:
        if not (git_dir / "HEAD").is_file():
            raise stranger
        if (git_dir / "commondir").is_file():
            common = Path(os.path.normpath(git_dir / _small(git_dir, "commondir", marker).rstrip("\n")))
            back = git_dir / _small(git_dir, "gitdir", marker).rstrip("\n")
            if not _same(git_dir.parent, common / "worktrees") or not _same(back, marker):
                raise stranger
            config = _config(common, git_dir)
        else:
            common, config = git_dir, _config(git_dir, git_dir)
            back = last(config, "core.worktree")  # type: ignore[assignment]
            if back is None or not _same(git_dir / back, folder):
                raise stranger
    except (OSError, ValueError):
        raise stranger from None
    if not _is_git_dir(common):
        raise stranger
    return _checked(Place(git_dir, common, folder, marker, tuple(config)))


def _small(folder: Path, name: str, marker: Path) -> str:
    try:
        data = read_regular(folder, name)
    except OSError as error:
        raise Problem(f"{marker}: {folder / name}: {error.strerror or error}") from None
    if len(data) > _SMALL or b"\0" in data:
        raise Problem(f"{marker}: {folder / name} is not a file that git wrote")
    return os.fsdecode(data)


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def _config(common: Path, git_dir: Path) -> Entries:
    """What the repository says of all its work trees, and of the one whose folder is `git_dir`."""
    entries = _parsed(common, "config") if os.path.lexists(common / "config") else []
    if is_true(last(entries, "extensions.worktreeconfig")) and os.path.lexists(git_dir / "config.worktree"):
        entries += _parsed(git_dir, "config.worktree")
    return entries


def _parsed(git_dir: Path, name: str) -> Entries:
    try:
        return parse_config(read_regular(git_dir, name))
    except OSError as error:
        raise Problem(f"{git_dir / name}: {error.strerror or error}") from None
    except ValueError as error:
        raise Problem(f"{git_dir / name}: git's configuration can't be read: {error}") from None


def _checked(place: Place) -> Place:
    for git_dir in {place.git_dir, place.common_dir}:
        for name in _USED:
            path = git_dir / name
            if is_link(path):
                raise Problem(f"{path} is a symbolic link; spawnfix follows no links inside a git folder")
            if name.startswith("objects/info/") and path.exists() and not path.is_file():
                raise Problem(f"{path} is not a file")
    if last(list(place.config), "core.repositoryformatversion") not in (None, "0", "1"):
        raise Problem(f"{place.git_dir}: made by a newer git, in a format that spawnfix does not know")
    for key, value in place.config:
        if key.startswith("extensions.") and key.partition(".")[2] not in _KNOWN_EXTENSIONS:
            raise Problem(f"{place.git_dir}: uses git's extension {key[11:]!r}, which spawnfix does not know")
        if key == "extensions.refstorage" and value != "files":
            raise Problem(f"{place.git_dir}: its branches are stored as {value!r}, which spawnfix can't read")
    return place


def stranger_owns(place: Place) -> Path | None:
    """The part of the repository that another user owns, None when all of it is ours."""
    if not hasattr(os, "geteuid"):
        return None
    mine = {os.geteuid()}
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdigit():
        mine.add(int(os.environ["SUDO_UID"]))
    for path in (place.work_tree, place.marker, place.git_dir, place.common_dir):
        if path is not None and path.lstat().st_uid not in mine:
            return place.work_tree or place.git_dir
    return None


def safe_directory(folder: Path, listed: list[str]) -> bool:
    """True when the user's safe.directory settings `listed` name `folder`."""
    safe = False
    real = os.path.realpath(folder)
    for value in listed:
        if not value:
            safe = False
        elif value == "*":
            safe = True
        else:
            path = os.path.expanduser(value)  # noqa: PTH111
            below = path.endswith("/*") and f"{real}/".startswith(path[:-1])
            safe = safe or below or os.path.realpath(path) == real
    return safe
