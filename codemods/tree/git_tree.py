"""Files of a commit or of a work tree in; a branch out, made of git objects without touching work tree, index or HEAD.

Blobs are read and written as git keeps them, so line-ending conversion and filters have no say. New objects are made in
our own git folder and then copied into the repository; the branch, which makes them count, comes last.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..problem import Problem
from ..quoting import printable
from .checkout import Branch, NotCheckedOut, check_out, log_line
from .files import Entry
from .finish import Failed, finish
from .git_folder import GitFailed
from .git_index import BadPath, check_path
from .objects import copy_objects
from .repository import Person, Repository
from .stamps import ABSENT, Stamp

__all__ = ["BRANCH", "Branch", "Commit", "CommitFiles", "NotCheckedOut", "build_branch", "check_out"]

BRANCH = "spawnfix/migrate"
_REGULAR = ("100644", "100755", "100664")


@dataclass(frozen=True)
class CommitFiles:
    """The regular files of one commit of `repository`; nothing is read from the work tree."""

    repository: Repository
    commit: str

    @property
    def root(self) -> str:
        """The work tree (for people), of a bare repository its folder."""
        return str(self.repository.folder)

    @cached_property
    def tree(self) -> dict[str, tuple[str, str]]:
        """(mode, id) of every file, link and submodule, by path. Raises Problem."""
        try:
            listing = self.repository.ours.git("ls-tree", "-r", "-z", "--full-tree", self.commit)
        except GitFailed as error:
            raise Problem(f"{self.root}: the files of {self.commit[:12]} can't be listed: {error}") from None
        found = {}
        for row in listing.split(b"\0")[:-1]:
            about, _, name = row.partition(b"\t")
            mode, _, oid = about.decode("ascii").split(" ")
            path = os.fsdecode(name)
            try:
                found[check_path(path)] = (mode, oid)
            except BadPath:
                raise Problem(
                    f"{self.root}: the commit {self.commit[:12]} has a file {path!r}, which is no path inside it"
                ) from None
        return found

    @cached_property
    def _by_path(self) -> dict[str, Entry]:
        rows = sorted(self.tree.items())
        return {path: Entry(path, oid, mode == "100755") for path, (mode, oid) in rows if mode in _REGULAR}

    def entries(self) -> Sequence[Entry]:
        """Regular files with their blob ids, sorted by path."""
        return list(self._by_path.values())

    def read(self, path: str) -> bytes:
        """The blob at `path`. Raises OSError, also where a partial clone lacks it."""
        entry = self._by_path.get(path)
        if entry is None or entry.oid is None:
            raise FileNotFoundError(2, "not in the commit", path)
        return self.repository.blobs.read(entry.oid, path)

    def stamp(self, path: str) -> Stamp:
        """What shows whether a file is as it was: the id of its content."""
        entry = self._by_path.get(path)
        return ABSENT if entry is None or entry.oid is None else ("blob", entry.oid)


@dataclass(frozen=True)
class Commit:
    """A commit to make: the new bytes of some files, and the message."""

    contents: Mapping[str, bytes]
    message: str


def free_name(repository: Repository, wanted: str | None) -> str:
    """A name for the new branch: `wanted`, else `spawnfix/migrate`, `spawnfix/migrate-2`...

    Raises Problem when `wanted` is taken or no branch name, or another branch's name is in the way.
    """
    name = wanted if wanted is not None else BRANCH
    try:
        if name.startswith("-") or name == "HEAD" or not name.isprintable():
            raise GitFailed(1, "")
        if wanted is not None:  # ours is one
            repository.ours.git("check-ref-format", f"refs/heads/{name}")
    except (GitFailed, ValueError):
        raise Problem(f"{name!r} is not a name that git allows for a branch") from None
    taken = repository.refs.branches()
    if wanted is None:
        number, folded = 2, {other.lower() for other in taken}  # two names are one where file names have no case
        while name in folded or any(other.startswith(f"{name}/") for other in folded):
            name, number = f"{BRANCH}-{number}", number + 1
    elif name in taken:
        raise Problem(f"a branch called {name!r} exists already; give another name with --branch, or delete it first")
    for other in taken:
        if name.startswith(f"{other}/") or other.startswith(f"{name}/"):
            raise Problem(f"the branch {printable(other)!r} is in the way of {name!r}; give another name with --branch")
    return name


def build_branch(files: CommitFiles, commits: Sequence[Commit], wanted: str | None) -> Branch:
    """Make a branch from the commit of `files`, `commits` on top of each other, and nothing else.

    The branch appears in one step after all commits are there. Raises Problem, and then there is no branch.
    """
    repository, ours = files.repository, files.repository.ours
    author, committer = repository.person("author"), repository.person("committer")
    name = free_name(repository, wanted)
    modes = {entry.path: "100755" if entry.executable else "100644" for entry in files.entries()}
    parent = files.commit
    created: list[str] = []
    try:
        with tempfile.TemporaryDirectory(prefix="branch-", dir=ours.path) as folder:
            env = {
                "GIT_INDEX_FILE": str(Path(folder, "index")),
                "GIT_WORK_TREE": folder,
                "GIT_AUTHOR_NAME": author.name,
                "GIT_AUTHOR_EMAIL": author.email,
                "GIT_COMMITTER_NAME": committer.name,
                "GIT_COMMITTER_EMAIL": committer.email,
            }
            ours.git("read-tree", parent, env=env)
            for number, commit in enumerate(commits):
                oids = _stored(repository, Path(folder, str(number)), commit.contents)
                rows = [b"%s %s\t%s\0" % (modes[p].encode(), oids[p], os.fsencode(p)) for p in sorted(oids)]
                ours.git("update-index", "-z", "--index-info", stdin=b"".join(rows), env=env)
                tree = ours.git("write-tree", "--missing-ok", env=env).decode().strip()
                text = commit.message.encode("utf-8", "replace")
                parent = ours.git("commit-tree", tree, "-p", parent, "-F", "-", stdin=text, env=env).decode().strip()
                created.append(parent)
        copy_objects(ours.path / "objects", repository.common_dir / "objects")
        name = _point(repository, name, wanted, parent, committer)
    except GitFailed as error:
        raise Problem(
            f"{repository.folder}: the branch can't be created, nothing was changed: git says: {error}"
        ) from None
    except Failed as failed:
        raise Problem(f"{repository.folder}: the branch can't be created, nothing was changed: {failed.why}") from None
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else error.strerror or error
        raise Problem(f"the branch can't be created, nothing was changed: {what}") from None
    paths = {path for commit in commits for path in commit.contents}
    return Branch(name, files.commit, tuple(created), tuple(sorted(paths)), author)


def _stored(repository: Repository, folder: Path, contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """Blob ids of `contents`, now in the object database byte for byte."""
    folder.mkdir()
    names = []
    for number, path in enumerate(contents):
        names.append(folder / str(number))
        names[-1].write_bytes(contents[path])
    listed = "".join(f"{name}\n" for name in names).encode()
    oids = repository.ours.git("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=listed).split()
    return dict(zip(contents, oids, strict=True))


def _point(repository: Repository, name: str, wanted: str | None, commit: str, committer: Person) -> str:
    """Create the branch; with a name of our own choice take the next free one when another run was faster."""
    nothing = "0" * repository.digits
    for attempt in range(3):
        job = {
            "kind": "branch",
            "common_dir": str(repository.common_dir),
            "name": f"refs/heads/{name}",
            "commit": commit,
            "log": log_line(nothing, commit, committer, "branch: Created by spawnfix"),
        }
        try:
            finish(job)
            return name
        except Failed as failed:
            if wanted is not None or "already exists" not in failed.why or attempt == 2:
                raise
            name = free_name(repository, None)
    raise AssertionError("unreachable")
