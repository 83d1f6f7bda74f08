"""Which files changed since a revision, and which findings they have to do with."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from ..finding import Finding
from ..problem import Problem
from ..tree.directory import Selected

if TYPE_CHECKING:
    from ..tree.repository import Repository
    from .target import Target


def changed_since(target: Target, revision: str) -> frozenset[str]:
    """The paths of `target` that are new or differ from where its branch left `revision`. Raises Problem."""
    from ..tree.git_folder import GitFailed
    from ..tree.git_tree import CommitFiles

    repository = _repository(target)
    if repository is None:
        raise Problem("--since needs a git repository")
    try:
        named = repository.ours.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except GitFailed:
        raise Problem(f"--since {revision}: no such commit here") from None
    commit = named.decode().strip()
    with contextlib.suppress(GitFailed):  # what the other branch did meanwhile is not ours
        commit = repository.ours.git("merge-base", commit, repository.head()).decode().strip() or commit
    before = CommitFiles(repository, commit).tree
    if target.commit is not None:
        return frozenset(path for path, entry in target.commit.tree.items() if before.get(path) != entry)
    known = {entry.path for entry in target.files.entries()}
    return frozenset({*repository.uncommitted(before), *(known - before.keys())})


def _repository(target: Target) -> Repository | None:
    from ..tree.work_tree import WorkTreeFiles

    if target.commit is not None:
        return target.commit.repository
    files = target.files.files if isinstance(target.files, Selected) else target.files
    return files.repository if isinstance(files, WorkTreeFiles) else None


def concerns(finding: Finding, changed: frozenset[str]) -> bool:
    """True when `finding` is in one of the files `changed`, or its value comes from or goes through one."""
    return finding.path in changed or any(hop.path in changed for hop in finding.trace)
