"""Files that git does not track: they are named, not silently passed over; what git ignores is not."""

from __future__ import annotations

import os
from pathlib import Path

from codemods.delivery.target import to_check
from codemods.tree.repository import Repository
from codemods.tree.work_tree import untracked
from harness.repositories import git, own_home, repo

__all__ = ["own_home", "repo"]


def found(repo: Path) -> list[str]:
    repository = Repository.find(repo)
    assert repository is not None
    return untracked(repository)


def test_what_git_neither_tracks_nor_ignores(repo: Path, tmp_path: Path) -> None:
    assert found(repo) == []
    (repo / ".gitignore").write_text("ignored.py\n/out/\n!pkg/ignored.py\n")
    (repo / "pkg/.gitignore").write_text("*_gen.py\n")
    (repo / ".git/info/exclude").write_text("private.py\n")
    (tmp_path / "home/.config/git").mkdir(parents=True)
    (tmp_path / "home/.config/git/ignore").write_text("scratch.py\n")
    names = ["new.py", "pkg/new.py", "ignored.py", "pkg/ignored.py", "pkg/a_gen.py", "out/x.py", "private.py"]
    for name in [*names, "scratch.py", "data.txt", ".venv/x.py"]:
        (repo / name).parent.mkdir(exist_ok=True)
        (repo / name).write_text("x = 1\n")
    expected = git(repo, "ls-files", "--others", "--exclude-standard").splitlines()
    assert found(repo) == ["new.py", "pkg/ignored.py", "pkg/new.py"]
    assert {line for line in expected if line.endswith(".py")} - {".venv/x.py"} == set(found(repo))


def test_pipes_and_links_in_place_of_ignore_files(repo: Path, tmp_path: Path) -> None:
    (repo / "new.py").write_text("x = 1\n")
    os.mkfifo(repo / ".gitignore")
    (repo / "pkg/.gitignore").symlink_to("/dev/zero")
    (repo / "pkg/b2.py").write_text("x = 1\n")
    assert found(repo) == ["new.py", "pkg/b2.py"]


def test_configuration_of_the_repository_does_not_count(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "all").write_text("*\n")
    git(repo, "config", "core.excludesFile", str(tmp_path / "all"))
    (repo / "new.py").write_text("x = 1\n")
    assert found(repo) == ["new.py"]


def test_an_empty_index_does_not_hide_the_files_of_the_commit(repo: Path) -> None:
    """What a clone without checkout leaves: `migrate` rewrites the commit, so `check` looks at these files too."""
    (repo / "new.py").write_text("x = 1\n")
    committed = to_check(repo).files.entries()
    git(repo, "read-tree", "--empty")
    assert to_check(repo).files.entries() == committed
    assert found(repo) == ["new.py"]
    (repo / ".git/index").unlink()
    assert to_check(repo).files.entries() == committed
    assert found(repo) == ["new.py"]
