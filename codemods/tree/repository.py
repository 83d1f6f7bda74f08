"""A git repository that we were pointed at: its folders are read and written by us, as files.

Git itself works in a folder of ours that borrows the repository's objects (`Repository.ours`): no configuration, hook,
filter or attribute of the repository counts there. What we write is objects, then a branch, then (see checkout.py)
files of the work tree, the index and HEAD.
"""

from __future__ import annotations

import contextlib
import os
import stat
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..operating_system import remove_folder, temporary_folder
from ..problem import Problem
from ..quoting import shell
from .discovery import find_place, safe_directory, stranger_owns
from .git_config import Entries, included_for, last, parse_config
from .git_index import Index, IndexEntry, blob_id, parse_index, read_index
from .guarded import read_regular
from .refs import Refs
from .uninterrupted import uninterrupted

if TYPE_CHECKING:
    from .git_folder import Blobs, GitFolder

# What git leaves in its folder while something is half done, by what it is called.
_UNDER_WAY = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
    "sequencer": "series of cherry-picks or reverts",
}


@dataclass(frozen=True)
class Person:
    """Who makes the commits. `configured` is False for our stand-in."""

    name: str
    email: str
    configured: bool = True


@dataclass(frozen=True)
class Repository:
    """A repository on this machine. `work_tree` is None for a bare one; `config` is what its own files say, as data."""

    git_dir: Path
    common_dir: Path
    work_tree: Path | None
    config: tuple[tuple[str, str], ...] = ()
    made_by_us: GitFolder | None = None  # when it is a git folder of ours itself

    @classmethod
    def own(cls, folder: GitFolder, digits: int) -> Repository:
        """The bare repository in a git folder of ours."""
        config = (("extensions.objectformat", "sha256"),) if digits == 64 else ()
        return cls(folder.path, folder.path, None, config, folder)

    @classmethod
    def find(cls, path: Path) -> Repository | None:
        """The repository that `path` (an existing file or folder) lies in, None where there is none.

        Raises Problem when there is one that can't be used.
        """
        place = find_place(path if path.is_dir() else path.parent)
        if place is None:
            return None
        found = cls(place.git_dir, place.common_dir, place.work_tree, place.config)
        stranger = stranger_owns(place)
        if stranger is not None:
            listed = [value for key, value in found.of_user if key == "safe.directory"]
            if not safe_directory(stranger, listed):
                raise Problem(
                    f"{path}: a repository that another user owns; if you trust it, run "
                    f"git config --global --add safe.directory {shell(str(stranger))}"
                )
        return found

    @property
    def folder(self) -> Path:
        """The work tree, for a bare repository its own folder."""
        return self.work_tree or self.git_dir

    @property
    def typed_git(self) -> str:
        """`git` for this repository as one types it in the working directory."""
        try:
            here = Path.cwd().resolve()
            folder = self.folder.resolve()
            if folder in (here, *here.parents):
                return "git"
            near = os.path.relpath(folder, here)
        except (OSError, ValueError):  # the working directory is gone; another drive
            near = str(self.folder)
        return f"git -C {shell(near if len(near) < len(str(self.folder)) else str(self.folder))}"

    @property
    def digits(self) -> int:
        """The length of an object id."""
        return 64 if last(list(self.config), "extensions.objectformat") == "sha256" else 40

    @property
    def refs(self) -> Refs:
        """Its branches and tags."""
        return Refs(self.git_dir, self.common_dir)

    @cached_property
    def _temporary(self) -> Path:
        """A folder that goes when this object does, at the latest when we end."""
        folder = temporary_folder()
        weakref.finalize(self, _discard, folder)
        return folder

    @cached_property
    def ours(self) -> GitFolder:
        """The git folder of our own that has the repository's objects and refs. Raises Problem."""
        from .git_folder import GitFolder

        if self.made_by_us is not None:
            return self.made_by_us
        shallow = b""
        try:
            if os.path.lexists(self.common_dir / "shallow"):
                shallow = read_regular(self.common_dir, "shallow")
            refs = self.refs.all()
            path, head = self._temporary / "git", self.refs.head()[1]
            folder = GitFolder.create(path, self.digits, self.common_dir / "objects", shallow, refs)
            if head is not None:
                (path / "HEAD").write_bytes(f"{head}\n".encode())
            return folder
        except OSError as error:
            raise Problem(f"{error.filename or self.folder}: {error.strerror or error}") from None

    @cached_property
    def blobs(self) -> Blobs:
        """Contents of its blobs."""
        from .git_folder import Blobs

        blobs = Blobs(self.ours)
        weakref.finalize(self, blobs.close)  # before the folder goes: on Windows a process keeps the one it runs in
        return blobs

    def head(self) -> str:
        """The id of the commit that is checked out.

        Raises Problem when there is none yet.
        """
        commit = self.refs.head()[1]
        if commit is None:
            raise Problem(f"{self.folder}: the repository has no commit yet; commit your files first, or use --no-git")
        return commit

    def branch(self) -> str | None:
        """The branch that is checked out, None with a detached HEAD."""
        name = self.refs.head()[0]
        return name.removeprefix("refs/heads/") if name is not None else None

    @property
    def under_way(self) -> str | None:
        """The merge, rebase... that is half done, in a word or few."""
        return next((word for name, word in _UNDER_WAY.items() if os.path.lexists(self.git_dir / name)), None)

    def index(self) -> Index | None:
        """The index as it is now, None where there is none. Raises Problem."""
        index = read_index(self.git_dir, self.digits)
        if index is None or not index.needs_git:
            return index
        return self._whole(index)

    def _whole(self, index: Index) -> Index:
        """An index that is split, or has folders for entries, with all entries in it; git does that on a copy."""
        from .git_folder import GitFailed

        copy = self.ours.path / "whole-index"
        try:
            copy.write_bytes(index.data)
            for shared in self.git_dir.glob("sharedindex.*"):
                (self.ours.path / shared.name).write_bytes(read_regular(self.git_dir, shared.name, 2**30))
            self.ours.git(
                "update-index", "--no-split-index", "--force-write-index",
                env={"GIT_INDEX_FILE": str(copy), "GIT_WORK_TREE": str(self.ours.path)},
                config={"core.splitIndex": "false", "index.sparse": "false"},
            )  # fmt: skip
            return parse_index(copy.read_bytes(), self.digits, self.git_dir / "index")
        except (OSError, GitFailed) as error:
            raise Problem(f"{self.git_dir / 'index'}: can't be read: {error}") from None

    @cached_property
    def of_user(self) -> Entries:
        """The configuration of the user and the system, with what they include for this repository. Raises Problem."""
        from .git_folder import GitFailed, GitFolder

        folder = self._temporary / "user"
        try:
            if not folder.exists():
                GitFolder.create(folder)
            listed = GitFolder(folder).git("config", "--list", "-z", "--includes", of_user=True)
        except GitFailed as error:
            raise Problem(f"git's configuration can't be read: {error}") from None
        except OSError as error:
            raise Problem(f"{error.filename or folder}: {error.strerror or error}") from None
        found: Entries = []
        for pair in os.fsdecode(listed).split("\0")[:-1]:
            key, has_value, value = pair.partition("\n")
            found.append((key, value if has_value else "true"))
            condition = key[len("includeif.") : -len(".path")]
            if key.startswith("includeif.") and key.endswith(".path") and included_for(condition, self.git_dir):
                found += _included(value)
        return found

    def person(self, role: str) -> Person:
        """Who is the "author" or "committer": the environment, then the configuration, else our stand-in."""
        entries = [*self.of_user, *self.config]
        values = {key: value.strip() for key, value in entries if value.strip()}
        name = os.environ.get(f"GIT_{role.upper()}_NAME") or values.get(f"{role}.name") or values.get("user.name")
        email = (
            os.environ.get(f"GIT_{role.upper()}_EMAIL")
            or values.get(f"{role}.email")
            or values.get("user.email")
            or os.environ.get("EMAIL")
        )
        if name and email:
            return Person(_one_line(name), _one_line(email))
        return Person("spawnfix", "spawnfix@localhost", configured=False)

    def uncommitted(self, tree: Mapping[str, tuple[str, str]]) -> list[str]:
        """Tracked files that differ from the last commit, whose files are `tree` (mode and id), on disk or staged."""
        index = self.index() if self.work_tree is not None else None
        if index is None or self.work_tree is None:
            return []
        written = (self.git_dir / "index").stat().st_mtime_ns
        entries = index.by_path()
        found = {path for path in tree if path not in entries}
        for path, entry in entries.items():
            if tree.get(path) != (f"{entry.mode:06o}", entry.oid) or (
                not entry.skipped and _differs(self.work_tree, entry, self.digits, written)
            ):
                found.add(path)
        return sorted(found)


def _differs(folder: Path, entry: IndexEntry, digits: int, written: int) -> bool:
    """True when the file on disk is not what `entry` of an index, `written` at that time, says."""
    if not stat.S_ISREG(entry.mode) and not stat.S_ISLNK(entry.mode):
        return False  # a submodule
    try:
        found = (folder / entry.path).lstat()
        if entry.fresh(found) and found.st_mtime_ns < written:
            return False
        if stat.S_ISLNK(entry.mode) and stat.S_ISLNK(found.st_mode):
            return blob_id(os.fsencode(os.readlink(folder / entry.path)), digits) != entry.oid  # noqa: PTH115
        data = read_regular(folder, entry.path)
    except OSError:
        return True
    return entry.oid not in (blob_id(data, digits), blob_id(data.replace(b"\r\n", b"\n"), digits))


def _discard(folder: Path) -> None:
    """Runs at exit: Ctrl-C has nothing to stop any more."""
    with contextlib.suppress(OSError, KeyboardInterrupt), uninterrupted():
        remove_folder(folder)


def _one_line(text: str) -> str:
    return "".join(letter for letter in text if letter.isprintable() and letter not in "<>")


def _included(value: str) -> Entries:
    """The entries of a file that the user's configuration includes."""
    path = Path(value).expanduser()
    try:
        return parse_config(read_regular(path.parent, path.name)) if path.is_absolute() else []
    except (OSError, ValueError):
        return []
