"""The repositories that labels speak of, at the commit that they were judged at."""

from __future__ import annotations

from pathlib import Path

from codemods.tree.git_folder import GitFailed
from codemods.tree.git_tree import CommitFiles
from codemods.tree.repository import Repository


def commit_files(folder: Path, name: str, commit: str) -> CommitFiles | None:
    """The files of `name` (owner/name) at `commit`, out of its checkout folder/owner/name or folder/owner+name.

    A checkout that does not hold that commit (a copy of the text files alone, say) is read at its HEAD. None without a
    checkout.
    """
    for each in (folder / name, folder / name.replace("/", "+")):
        repository = Repository.find(each) if each.is_dir() else None
        if repository is None:
            continue
        try:
            repository.ours.git("cat-file", "-e", commit + "^{commit}")
        except GitFailed:
            return CommitFiles(repository, repository.head())
        return CommitFiles(repository, commit)
    return None
