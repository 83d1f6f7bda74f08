"""A folder that the user may not read: the message names the folder, not a file that is looked for in it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from codemods.problem import Problem
from codemods.tree.repository import Repository
from harness.repositories import own_home, repo

__all__ = ["own_home", "repo"]


def test_the_folder_is_named(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repo / ".git"
    is_file = Path.is_file

    def refused(path: Path) -> bool:
        """As the system answers about a file in a folder without the right to search it; root has every right."""
        if path.is_relative_to(folder):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", refused)
    with pytest.raises(Problem) as problem:
        Repository.find(repo)
    assert str(problem.value) == f"{folder}: {os.strerror(errno.EACCES)}"
