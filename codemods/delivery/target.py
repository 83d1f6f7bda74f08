"""From the path that the user typed to the files of a run: of a commit, work tree or plain folder, and which part."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .. import store
from ..finding import Skipped
from ..operating_system import spelling
from ..problem import Problem
from ..tree.directory import DirectoryFiles, Selected
from ..tree.files import Files

if TYPE_CHECKING:
    from ..tree.git_tree import CommitFiles
    from ..tree.repository import Repository


MOST_UNTRACKED = 50  # files that are named


@dataclass(frozen=True)
class Target:
    """What a run looks at: all of `files`; findings count at or under `scope` (relative to the root; "": everywhere).

    `commit` is set when the files come from one, `folder` when they may be replaced in place.
    """

    files: Files
    scope: str
    commit: CommitFiles | None = None
    folder: Path | None = None
    repository: Repository | None = None  # with a work tree, where the user may have files that git does not track
    scopes: tuple[str, ...] = ()  # in the place of `scope`, when several paths were named

    def covers(self, path: str) -> bool:
        """True when findings in `path` count."""
        scopes = self.scopes or (self.scope,)
        return any(not scope or f"{path}/".startswith(f"{scope}/") for scope in scopes)

    def brings_cache(self) -> bool:
        """True when the cache lies among these files and came with them: it may say that all is clean."""
        place = store.folder()
        if place is None:
            return False
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            inside = place.resolve().relative_to(Path(self.files.root).resolve()).as_posix()
            files = self.files.files if isinstance(self.files, Selected) else self.files
            return any(entry.path.startswith(f"{inside}/") or inside == "." for entry in files.entries())
        return False

    def untracked(self) -> tuple[Skipped, ...]:
        """Python files under `scope` that nobody looked at, as git does not track them; at most MOST_UNTRACKED."""
        if self.repository is None:
            return ()
        from ..tree.work_tree import untracked

        committed = {entry.path for entry in self.commit.entries()} if self.commit is not None else set()
        paths = [path for path in untracked(self.repository) if self.covers(path) and path not in committed]
        rows = [Skipped(path, "untracked, not looked at; git add it, or name it") for path in paths[:MOST_UNTRACKED]]
        if len(paths) > MOST_UNTRACKED:
            rows[-1] = Skipped(rows[-1].path, f"{rows[-1].reason}; and {len(paths) - MOST_UNTRACKED} more such files")
        return tuple(rows)

    def vendored(self) -> tuple[Skipped, ...]:
        """Folders under `scope` with other people's code, which files that are looked at import."""
        from .vendored import vendored

        return tuple(row for row in vendored(self.files) if self.covers(row.path))


def to_check(typed: Path) -> Target:
    """Files as they lie on disk: those that git tracks (and a file named explicitly), outside of git all of the folder.

    Raises Problem.
    """
    path = _existing(typed)
    repository = _repository(path)
    if repository is None:
        return _plain(path)
    from ..tree.work_tree import WorkTreeFiles

    if repository.work_tree is None:
        from ..tree.git_tree import CommitFiles

        return Target(Selected(CommitFiles(repository, repository.head())), "")
    scope = _inside(path, repository.work_tree)
    if scope:
        scope = _as_tracked(scope, WorkTreeFiles(repository).tracked, repository.folder)
    files = WorkTreeFiles(repository, also=(scope,) if path.is_file() else ())
    if scope and path.is_dir() and not any(entry.path.startswith(f"{scope}/") for entry in files.entries()):
        return _plain(path)  # a folder in a repository that git does not track
    return Target(Selected(files, scope), scope, repository=None if path.is_file() else repository)


def to_check_all(typed: Sequence[Path]) -> Target:
    """As `to_check`, for several paths of one repository. Raises Problem."""
    targets = [to_check(path) for path in typed]
    first = targets[0]
    if len(targets) == 1:
        return first
    if any(target.folder is not None or target.files.root != first.files.root for target in targets):
        raise Problem("several paths have to be of one git repository; check the others by themselves")
    scopes = tuple(dict.fromkeys(target.scope for target in targets))
    if "" in scopes:
        return targets[[target.scope for target in targets].index("")]
    from ..tree.work_tree import WorkTreeFiles

    repository = _repository(_existing(typed[0]))
    assert repository is not None
    named = tuple(target.scope for target in targets if target.repository is None)
    files = Selected(WorkTreeFiles(repository, also=named), also_asked=scopes)
    folders = len(named) < len(targets)
    return Target(files, "", repository=repository if folders else None, scopes=scopes)


def to_migrate(typed: Path, no_git: bool) -> Target:
    """The files of the commit that is checked out, or with `no_git` those in the folder.

    Raises Problem, for anything that is in no repository too.
    """
    path = _existing(typed)
    if no_git:
        return _plain(path)
    repository = _repository(path)
    if repository is None:
        raise Problem(f"{typed}: not in a git repository; --no-git rewrites the files in place")
    from ..tree.git_tree import CommitFiles

    files = CommitFiles(repository, repository.head())
    scope = _inside(path, repository.work_tree) if repository.work_tree is not None else ""
    if scope:
        scope = _as_tracked(scope, (entry.path for entry in files.entries()), repository.folder)
    if scope and not any(entry.path == scope or entry.path.startswith(f"{scope}/") for entry in files.entries()):
        raise Problem(f"{typed}: nothing there is committed; commit it first, or use --no-git")
    return Target(Selected(files, scope), scope, commit=files, repository=repository if repository.work_tree else None)


def to_preview(typed: Path, no_git: bool) -> Target:
    """As `to_migrate`, but a folder in no repository will do."""
    return _plain(_existing(typed)) if no_git or _repository(_existing(typed)) is None else to_migrate(typed, False)


def _existing(typed: Path) -> Path:
    try:
        path = typed.expanduser().resolve(strict=True)
        if not path.is_dir() and not path.is_file():
            raise Problem(f"{typed}: neither a file nor a folder")
    except FileNotFoundError:
        raise Problem(f"{typed}: no such file or folder") from None
    except (OSError, ValueError, RuntimeError) as error:
        raise Problem(f"{typed}: {getattr(error, 'strerror', None) or error}") from None
    return path


def _repository(path: Path) -> Repository | None:
    try:
        from ..tree.repository import Repository
    except Problem:  # no git program: a problem only where there is a repository
        if any((folder / ".git").exists() for folder in (path, *path.parents)):
            raise
        return None
    return Repository.find(path)


def _plain(path: Path) -> Target:
    if path.is_file():
        return Target(DirectoryFiles(path.parent, path.name), path.name, folder=path.parent)
    try:
        next(path.iterdir(), None)
    except OSError as error:
        raise Problem(f"{path}: {error.strerror or error}") from None
    return Target(Selected(DirectoryFiles(path)), "", folder=path)


def _as_tracked(scope: str, tracked: Iterable[str], folder: Path) -> str:
    """`scope` as git spells it: on Windows and macOS `train.py` may be typed for the file that is called Train.py."""
    parts, key = scope.count("/") + 1, spelling(scope)
    others = set()
    for path in tracked:
        same = "/".join(path.split("/", parts)[:parts])
        if same == scope:
            return scope
        if spelling(same) == key:
            others.add(same)
    return next((other for other in sorted(others) if _same_file(folder / other, folder / scope)), scope)


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _inside(path: Path, work_tree: Path) -> str:
    try:
        scope = path.relative_to(work_tree.resolve()).as_posix()
    except ValueError:
        raise Problem(f"{path} is not inside the work tree {work_tree} that git names for it") from None
    return "" if scope == "." else scope
