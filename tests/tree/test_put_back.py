"""A checkout that failed half way is undone: files, index and HEAD are what they were, or what is lost is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.tree.put_back import Before
from codemods.tree.repository import Repository
from harness.repositories import git, own_home, repo, state

__all__ = ["own_home", "repo"]

PATHS = ("a.py", "run.sh", "missing.py")


def before(repo: Path) -> tuple[Repository, Before]:
    repository = Repository.find(repo)
    assert repository is not None
    return repository, Before.of(repository, PATHS)


def test_nothing_changed_nothing_is_written(repo: Path) -> None:
    repository, then = before(repo)
    index = repo / ".git/index"
    was = index.stat().st_mtime_ns, (repo / "a.py").stat().st_ino
    assert then.put_back(repository) == []
    assert (index.stat().st_mtime_ns, (repo / "a.py").stat().st_ino) == was
    assert not (repo / "missing.py").exists()


def test_files_with_their_modes_and_the_index_come_back(repo: Path) -> None:
    known = state(repo)
    repository, then = before(repo)
    (repo / "a.py").write_bytes(b"half")
    (repo / "run.sh").unlink()
    git(repo, "rm", "-q", "--cached", "pkg/b.py")
    assert then.put_back(repository) == []
    assert state(repo) == known
    assert (repo / "run.sh").stat().st_mode & 0o777 == 0o755


def test_the_index_alone_is_not_touched_when_no_file_changed(repo: Path) -> None:
    """What differs in the index then is the user's own doing."""
    repository, then = before(repo)
    git(repo, "rm", "-q", "--cached", "pkg/b.py")
    assert then.put_back(repository) == []
    assert git(repo, "status", "--porcelain").startswith("D  pkg/b.py")


@pytest.mark.parametrize("detached", [False, True])
def test_head_comes_back(repo: Path, detached: bool) -> None:
    if detached:
        git(repo, "checkout", "-q", "--detach")
    head = (repo / ".git/HEAD").read_bytes()
    repository, then = before(repo)
    git(repo, "checkout", "-q", "-b", "other")
    git(repo, "commit", "-q", "--allow-empty", "-m", "two")
    assert then.put_back(repository, moved=True) == []
    assert (repo / ".git/HEAD").read_bytes() == head
    assert git(repo, "rev-parse", "other^") == git(repo, "rev-parse", "HEAD")


def test_head_stays_where_git_did_not_move_it(repo: Path) -> None:
    repository, then = before(repo)
    git(repo, "checkout", "-q", "-b", "other")
    (repo / "a.py").write_bytes(b"half")
    assert then.put_back(repository) == []
    assert git(repo, "symbolic-ref", "HEAD") == "refs/heads/other"


def test_locks_of_a_killed_git_go_and_those_of_others_stay(repo: Path) -> None:
    theirs, ours = repo / ".git/HEAD.lock", repo / ".git/index.lock"
    theirs.write_text("theirs")
    repository, then = before(repo)
    ours.write_text("of the git that was killed")
    (repo / "a.py").write_bytes(b"half")
    assert then.put_back(repository, killed=True) == []
    assert not ours.exists()
    assert theirs.read_text() == "theirs"


def test_a_git_that_ended_by_itself_left_no_lock(repo: Path) -> None:
    """So a lock is that of another git, and the index is named as lost."""
    repository, then = before(repo)
    git(repo, "rm", "-q", "--cached", "pkg/b.py")
    lock = repo / ".git/index.lock"
    lock.write_text("theirs")
    (repo / "a.py").write_bytes(b"half")
    assert then.put_back(repository) == ["git's index"]
    assert lock.read_text() == "theirs"
    assert (repo / "a.py").read_bytes() == b"OLD = 1\r\nlast"


def test_a_locked_head_is_named(repo: Path) -> None:
    repository, then = before(repo)
    git(repo, "checkout", "-q", "-b", "other")
    (repo / ".git/HEAD.lock").write_text("theirs")
    assert then.put_back(repository, moved=True) == ["HEAD"]


def test_files_that_cannot_be_written_are_named(repo: Path) -> None:
    """A folder stands where the file was: nobody, root neither, can put the file there."""
    repository, then = before(repo)
    (repo / "a.py").unlink()
    (repo / "a.py").mkdir()
    (repo / "a.py/inside").write_text("theirs")
    (repo / "run.sh").write_bytes(b"half")
    assert then.put_back(repository) == ["a.py"]
    assert (repo / "a.py/inside").read_text() == "theirs"
    assert (repo / "run.sh").read_bytes() == b"echo OLD\n"
    assert sorted(path.name for path in repo.iterdir()) == [".git", "a.py", "link.py", "pkg", "run.sh", "sp ace"]
