"""Files of a commit or of a work tree in; a branch out, made of git objects without touching work tree, index or HEAD.

Blobs are read and written as git keeps them, so line-ending conversion and filters have no say. Only `check_out`, the
very last step, changes what the user sees, and git itself refuses it where that would lose something.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..problem import Problem
from .directory import read_regular
from .files import Entry
from .put_back import Before
from .repository import Blobs, GitFailed, Person, Repository
from .uninterrupted import uninterrupted

BRANCH = "spawnfix/migrate"
_FAILED = "git says"
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
    def _by_path(self) -> dict[str, Entry]:
        try:
            listing = self.repository.git("ls-tree", "-r", "-z", "--full-tree", self.commit)
        except GitFailed as error:
            raise Problem(f"{self.root}: the files of {self.commit[:12]} can't be listed: {error}") from None
        found = []
        for row in listing.split(b"\0")[:-1]:
            about, _, path = row.partition(b"\t")
            mode, _, oid = about.decode("ascii").split(" ")
            if mode in _REGULAR:
                found.append(Entry(os.fsdecode(path), oid, mode == "100755"))
        return {entry.path: entry for entry in sorted(found, key=lambda entry: entry.path)}

    @cached_property
    def _blobs(self) -> Blobs:
        return Blobs(self.repository)

    def entries(self) -> Sequence[Entry]:
        """Regular files with their blob ids, sorted by path."""
        return list(self._by_path.values())

    def read(self, path: str) -> bytes:
        """The blob at `path`. Raises OSError, also where a partial clone lacks it."""
        entry = self._by_path.get(path)
        if entry is None or entry.oid is None:
            raise FileNotFoundError(2, "not in the commit", path)
        return self._blobs.read(entry.oid, path)


@dataclass(frozen=True)
class WorkTreeFiles:
    """The files that git tracks in `repository`, as they lie on disk, and `also` (paths that the user named)."""

    repository: Repository
    also: tuple[str, ...] = ()

    @property
    def root(self) -> str:
        """The work tree."""
        return str(self.repository.folder)

    @cached_property
    def _entries(self) -> list[Entry]:
        try:
            listing = self.repository.git("ls-files", "-z", "--stage", "--full-name")
        except GitFailed as error:
            raise Problem(f"{self.root}: git's list of files can't be read: {error}") from None
        paths = dict.fromkeys(self.also)
        for row in listing.split(b"\0")[:-1]:
            about, _, name = row.partition(b"\t")
            if about[:6].decode("ascii") in _REGULAR:
                paths[os.fsdecode(name)] = None
        found = []
        for path in sorted(paths):
            try:
                mode = os.lstat(f"{self.root}/{path}").st_mode
            except PermissionError:
                mode = stat.S_IFREG  # reading it fails, which is said then
            except OSError:
                continue  # deleted, not yet committed
            if stat.S_ISREG(mode):
                found.append(Entry(path, executable=bool(mode & stat.S_IXUSR)))
        return found

    def entries(self) -> Sequence[Entry]:
        """Regular files that exist, sorted by path."""
        return self._entries

    def read(self, path: str) -> bytes:
        """The bytes of one file. Raises OSError."""
        return read_regular(self.repository.folder, path)


@dataclass(frozen=True)
class Commit:
    """A commit to make: the new bytes of some files, and the message."""

    contents: Mapping[str, bytes]
    message: str


@dataclass(frozen=True)
class Branch:
    """A branch that was made: `commits` ids from `base` (not among them) up; `paths` differ from `base`."""

    name: str
    base: str
    commits: tuple[str, ...]
    paths: tuple[str, ...]
    author: Person


class NotCheckedOut(Problem):
    """The branch is there but the work tree stayed as it was; the message says why and what to do."""


def free_name(repository: Repository, wanted: str | None) -> str:
    """A name for the new branch: `wanted`, else `spawnfix/migrate`, `spawnfix/migrate-2`...

    Raises Problem when `wanted` is taken or no branch name, or another branch's name is in the way.
    """
    name = wanted if wanted is not None else BRANCH
    try:
        if name.startswith("-") or name == "HEAD" or not name.isprintable():
            raise GitFailed(1, "")
        repository.git("check-ref-format", f"refs/heads/{name}")
    except (GitFailed, ValueError):
        raise Problem(f"{name!r} is not a name that git allows for a branch") from None
    try:
        listing = repository.git("for-each-ref", "--format=%(refname)", "refs/heads/")
    except GitFailed as error:
        raise Problem(f"{repository.folder}: the branches can't be listed: {error}") from None
    taken = {os.fsdecode(ref).removeprefix("refs/heads/") for ref in listing.splitlines()}
    if wanted is None:
        number, folded = 2, {other.lower() for other in taken}  # two names are one where file names have no case
        while name in folded or any(other.startswith(f"{name}/") for other in folded):
            name, number = f"{BRANCH}-{number}", number + 1
    elif name in taken:
        raise Problem(f"a branch called {name!r} exists already; give another name with --branch, or delete it first")
    for other in taken:
        if name.startswith(f"{other}/") or other.startswith(f"{name}/"):
            raise Problem(f"the branch {other!r} is in the way of {name!r}; give another name with --branch")
    return name


def build_branch(files: CommitFiles, commits: Sequence[Commit], wanted: str | None) -> Branch:
    """Make a branch from the commit of `files`, `commits` on top of each other, and nothing else.

    The branch appears in one step after all commits are there. Raises Problem, and then there is no branch.
    """
    repository = files.repository
    author, committer = repository.person("author"), repository.person("committer")
    name = free_name(repository, wanted)
    modes = {entry.path: "100755" if entry.executable else "100644" for entry in files.entries()}
    parent = files.commit
    made: list[str] = []
    try:
        with tempfile.TemporaryDirectory(prefix="spawnfix-") as folder:
            env = {
                "GIT_INDEX_FILE": str(Path(folder, "index")),
                "GIT_AUTHOR_NAME": author.name,
                "GIT_AUTHOR_EMAIL": author.email,
                "GIT_COMMITTER_NAME": committer.name,
                "GIT_COMMITTER_EMAIL": committer.email,
            }
            repository.git("read-tree", parent, env=env)
            for number, commit in enumerate(commits):
                oids = _stored(repository, Path(folder, str(number)), commit.contents)
                rows = [b"%s %s\t%s\0" % (modes[p].encode(), oids[p], os.fsencode(p)) for p in sorted(oids)]
                repository.git("update-index", "-z", "--index-info", stdin=b"".join(rows), env=env)
                tree = repository.git("write-tree", "--missing-ok", env=env).decode().strip()
                text = commit.message.encode("utf-8", "replace")
                parent = (
                    repository.git("commit-tree", tree, "-p", parent, "-F", "-", stdin=text, env=env).decode().strip()
                )
                made.append(parent)
        name = _point(repository, name, wanted, parent, env)
    except GitFailed as error:
        raise Problem(
            f"{repository.folder}: the branch can't be made, nothing was changed: git says: {error}"
        ) from None
    except OSError as error:
        raise Problem(f"the branch can't be made, nothing was changed: {error.strerror or error}") from None
    paths = {path for commit in commits for path in commit.contents}
    return Branch(name, files.commit, tuple(made), tuple(sorted(paths)), author)


def _stored(repository: Repository, folder: Path, contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """Blob ids of `contents`, now in the object database byte for byte."""
    folder.mkdir()
    names = []
    for number, path in enumerate(contents):
        names.append(folder / str(number))
        names[-1].write_bytes(contents[path])
    listed = "".join(f"{name}\n" for name in names).encode()
    oids = repository.git("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=listed).split()
    return dict(zip(contents, oids, strict=True))


def _point(repository: Repository, name: str, wanted: str | None, commit: str, env: Mapping[str, str]) -> str:
    """Create the branch; with a name of our own choice take the next free one when another run was faster."""
    for attempt in range(3):
        try:
            repository.git(
                "update-ref",
                "--no-deref",
                "-m",
                "branch: Created by spawnfix",
                f"refs/heads/{name}",
                commit,
                "",
                env=env,
                alone=True,
            )
            return name
        except GitFailed as error:
            if wanted is not None or "already exists" not in error.errors or attempt == 2:
                raise
            name = free_name(repository, None)
    raise AssertionError("unreachable")


def check_out(repository: Repository, branch: Branch) -> None:
    """Switch HEAD, index and work tree to `branch`, as `git checkout` does: all or nothing.

    Uncommitted changes elsewhere stay. The user's own git configuration counts (line endings, Git LFS); the filters
    that the repository itself defines are not run, nor are hooks. Raises NotCheckedOut.
    """
    there = f"the branch {branch.name} is made but not checked out"
    if repository.under_way:
        raise NotCheckedOut(
            f"{there}: a {repository.under_way} is under way; finish it, then git checkout {branch.name}"
        )
    if repository.head() != branch.base:
        raise NotCheckedOut(f"{there}: HEAD moved while spawnfix was at work; git checkout {branch.name} yourself")
    if not repository.modern:
        raise NotCheckedOut(f"{there}: that takes git 2.31 or newer; git checkout {branch.name} yourself")
    filters = repository.foreign_filters()
    drivers = {key.split(".", 1)[1].rpartition(".")[0] for key in filters}
    if drivers and (stuck := _filtered(repository, branch.paths, drivers)):
        raise NotCheckedOut(
            f"{there}: {_some(stuck)} go through a filter that this repository's own configuration defines, "
            f"and spawnfix runs no program of a repository; git checkout {branch.name} yourself"
        )
    if deleted := _deleted(repository, branch.paths, filters):
        raise NotCheckedOut(
            f"{there}: you deleted {_some(deleted)}, which it repairs; commit that or restore it, "
            f"then git checkout {branch.name}"
        )
    before, lost = Before.of(repository, branch.paths), list[str]()
    with uninterrupted():
        try:
            repository.git(
                "checkout", "--quiet", "--no-guess", "--no-recurse-submodules", "--no-overwrite-ignore",
                branch.name, "--", trusting=True, config=filters, env={"GIT_OPTIONAL_LOCKS": "1"}, alone=True,
            )  # fmt: skip
            why = None
        except GitFailed as error:
            # Before git writes anything it looks for what is in the way; then every file is still the user's own.
            why = _obstacle(error, branch.name)
            if repository.head_ref() == f"refs/heads/{branch.name}":  # it is checked out; what failed came after that
                why = None
            elif why.startswith(_FAILED):
                lost = before.put_back(repository, killed=error.status < 0)
        # Where it can't write a file git goes on, and ends as if all were well.
        if why is None and (unwritten := _unwritten(repository, branch.paths, filters)):
            why = f"git could not write {_some(unwritten)}: is there room, and may you write there?"
            lost = before.put_back(repository, moved=True)
        if lost:
            there += f", and {_some(lost)} could not be restored: git checkout --force {branch.base[:12]} -- them"
        if why is not None:
            raise NotCheckedOut(f"{there}: {why}")


def _filtered(repository: Repository, paths: Iterable[str], drivers: set[str]) -> list[str]:
    """Those of `paths` that attributes send through one of `drivers`."""
    listed = b"".join(os.fsencode(path) + b"\0" for path in paths)
    try:
        parts = repository.git("check-attr", "-z", "--stdin", "filter", stdin=listed, trusting=True).split(b"\0")
    except GitFailed:
        return list(paths)
    return [
        os.fsdecode(path)
        for path, driver in zip(parts[::3], parts[2::3], strict=False)
        if os.fsdecode(driver) in drivers
    ]


def _deleted(repository: Repository, paths: Iterable[str], filters: dict[str, str]) -> list[str]:
    """Those of `paths` that are gone from the work tree but not from the index: a checkout would bring them back."""
    absent = {path for path in paths if not os.path.lexists(repository.folder / path)}
    return sorted(absent & _differing(repository, filters)) if absent else []


def _unwritten(repository: Repository, paths: Iterable[str], filters: dict[str, str]) -> list[str]:
    """Those of `paths` that do not hold, after the checkout, what git says it writes there."""
    found = []
    for path in sorted(_differing(repository, filters).intersection(paths)):
        try:
            wanted = repository.git("cat-file", "--filters", f"HEAD:{path}", trusting=True, config=filters)
            if read_regular(repository.folder, path) != wanted:
                found.append(path)
        except (GitFailed, OSError):
            found.append(path)
    return found


def _differing(repository: Repository, filters: dict[str, str]) -> set[str]:
    """Files that are not what the index says of them, as far as git can tell without looking into all of them."""
    question = ("diff-files", "--name-only", "-z", "--ignore-submodules=all")
    try:
        found = repository.git(*question, trusting=True, config=filters)
    except GitFailed:
        return set()
    return set(map(os.fsdecode, found.split(b"\0")))


def _obstacle(error: GitFailed, name: str) -> str:
    files = [line.strip() for line in error.errors.splitlines() if line.startswith("\t")]
    if "would be overwritten" in error.errors and files:
        kind = "untracked files are in the way" if "untracked" in error.errors else "uncommitted changes are in the way"
        return f"{kind} ({_some(files)}); commit or stash them, then git checkout {name}"
    if "index.lock" in error.errors and "File exists" in error.errors:
        return f"another git process holds index.lock; when it is done, git checkout {name}"
    if "resolve your current index" in error.errors or "needs merge" in error.errors:
        return f"there are unresolved conflicts; resolve them, then git checkout {name}"
    return f"{_FAILED}: {error}"


def _some(paths: Sequence[str], most: int = 3) -> str:
    shown = ", ".join(paths[:most])
    return f"{shown} and {len(paths) - most} more" if len(paths) > most else shown
