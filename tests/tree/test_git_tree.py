"""Reading a repository and building a branch, in every state that a repository can be in."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from codemods.problem import Problem
from codemods.tree import checkout, git_tree
from codemods.tree.finish import Failed
from codemods.tree.git_tree import Branch, Commit, CommitFiles, NotCheckedOut
from codemods.tree.repository import Repository
from codemods.tree.work_tree import WorkTreeFiles
from harness.repositories import FILES, git, own_home, repo, state

__all__ = ["own_home", "repo"]

ROOT = Path(__file__).resolve().parents[2]


def found(path: Path) -> Repository:
    repository = Repository.find(path)
    assert repository is not None
    return repository


def commit_files(repo: Path) -> CommitFiles:
    repository = found(repo)
    return CommitFiles(repository, repository.head())


TWO = (
    Commit({"a.py": b"NEW = 1\r\nlast", "run.sh": b"echo NEW\n"}, "views: first\n\nbody\n"),
    Commit({"a.py": b"NEWER = 1\r\nlast"}, "lambdas: second \u2713\n"),
)


def build(repo: Path, wanted: str | None = None, commits: tuple[Commit, ...] = TWO) -> Branch:
    return git_tree.build_branch(commit_files(repo), commits, wanted)


# Reading


def test_commit_files_are_the_regular_blobs(repo: Path) -> None:
    (repo / "a.py").write_bytes(b"changed, not committed")
    files = commit_files(repo)
    assert {entry.path: files.read(entry.path) for entry in files.entries()} == FILES
    assert [entry.path for entry in files.entries() if entry.executable] == ["run.sh"]
    assert all(entry.oid for entry in files.entries())
    with pytest.raises(OSError, match="not in the commit"):
        files.read("link.py")


def test_empty_blob_and_name_that_is_not_utf8(repo: Path) -> None:
    name = os.fsencode(repo) + b"/caf\xe9.py"
    Path(os.fsdecode(name)).write_bytes(b"")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "two")
    files = commit_files(repo)
    path = next(entry.path for entry in files.entries() if entry.path.startswith("caf"))
    assert files.read(path) == b""
    assert files.read("a.py") == FILES["a.py"], "the stream is in step after an empty blob"
    branch = build(repo, None, (Commit({path: b"x\n"}, "m\n"),))
    assert branch.paths == (path,)
    assert "caf" in git(repo, "diff", "--name-only", "HEAD", branch.name)


def test_missing_blob_is_an_error_of_that_file_only(repo: Path) -> None:
    oid = git(repo, "rev-parse", "HEAD:pkg/b.py")
    (repo / ".git/objects" / oid[:2] / oid[2:]).unlink()
    files = commit_files(repo)
    with pytest.raises(OSError, match="not in this copy"):
        files.read("pkg/b.py")
    assert files.read("a.py") == FILES["a.py"]
    branch = build(repo)
    assert git(repo, "show", f"{branch.name}:run.sh") == "echo NEW"


def test_partial_clone_is_never_fetched(repo: Path, tmp_path: Path) -> None:
    git(repo, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", repo.as_uri(), str(clone))
    marker = tmp_path / "ran"
    git(clone, "config", "remote.origin.uploadpack", f"touch {marker};")
    files = commit_files(clone)
    for path in ("a.py", "pkg/b.py"):
        with pytest.raises(OSError, match="not in this copy"):
            files.read(path)
    assert not marker.exists()
    assert len(build(clone).commits) == 2


def test_work_tree_files(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/b.py").write_bytes(b"secret")
    (repo / "run.sh").unlink()
    (repo / "untracked.py").write_bytes(b"")
    (repo / "a.py").write_bytes(b"on disk")
    files = WorkTreeFiles(found(repo))
    assert [entry.path for entry in files.entries()] == ["a.py", "pkg/b.py", "sp ace/é x.py"]
    assert files.read("a.py") == b"on disk"
    (repo / "pkg/b.py").unlink()
    (repo / "pkg").rmdir()
    (repo / "pkg").symlink_to(tmp_path / "secret")
    with pytest.raises(OSError, match="symbolic link"):
        WorkTreeFiles(found(repo)).read("pkg/b.py")
    (repo / "a.py").unlink()
    (repo / "a.py").symlink_to(tmp_path / "secret/b.py")
    assert "a.py" not in [entry.path for entry in WorkTreeFiles(found(repo)).entries()]
    with pytest.raises(OSError):
        WorkTreeFiles(found(repo)).read("a.py")


def test_fifo_in_place_of_a_file_does_not_hang(repo: Path) -> None:
    (repo / "a.py").unlink()
    os.mkfifo(repo / "a.py")
    files = WorkTreeFiles(found(repo))
    assert "a.py" not in [entry.path for entry in files.entries()]
    with pytest.raises(OSError):
        files.read("a.py")


# The branch


def test_branch_has_one_commit_per_change_and_the_rest_is_untouched(repo: Path) -> None:
    before = state(repo)
    branch = build(repo)
    after = state(repo)
    assert git(repo, "rev-parse", "spawnfix/migrate") == branch.commits[-1]
    refs = [*str(before["refs"]).splitlines(), f"{branch.commits[-1]} commit\trefs/heads/spawnfix/migrate"]
    assert sorted(str(after.pop("refs")).splitlines()) == sorted(refs)
    before.pop("refs")
    assert after == before
    assert git(repo, "log", "--format=%s|%an|%ae|%cn", "main..spawnfix/migrate").splitlines() == [
        "lambdas: second ✓|Ada Lovelace|ada@example.org|Ada Lovelace",
        "views: first|Ada Lovelace|ada@example.org|Ada Lovelace",
    ]
    assert git(repo, "diff", "--name-status", "main", "spawnfix/migrate").splitlines() == ["M\ta.py", "M\trun.sh"]
    assert git(repo, "ls-tree", branch.name, "run.sh").startswith("100755")
    assert git(repo, "ls-tree", branch.name, "link.py").startswith("120000")
    blob = subprocess.run(["git", "cat-file", "blob", f"{branch.name}:a.py"], cwd=repo, capture_output=True, check=True)
    assert blob.stdout == b"NEWER = 1\r\nlast"
    git(repo, "fsck", "--strict")


def test_line_ending_conversion_and_filters_do_not_touch_blobs(repo: Path, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    git(repo, "config", "core.autocrlf", "true")
    git(repo, "config", "filter.evil.clean", f"touch {marker}; cat")
    git(repo, "config", "filter.evil.smudge", f"touch {marker}; cat")
    (repo / ".git/info/attributes").write_text("*.py text filter=evil\n")
    branch = build(repo)
    blob = subprocess.run(["git", "cat-file", "blob", f"{branch.name}:a.py"], cwd=repo, capture_output=True, check=True)
    assert blob.stdout == b"NEWER = 1\r\nlast"
    with pytest.raises(NotCheckedOut, match=r"a\.py go through a filter"):
        git_tree.check_out(found(repo), branch)
    assert not marker.exists()
    assert git(repo, "symbolic-ref", "HEAD") == "refs/heads/main"


def test_nothing_in_the_repository_is_run(repo: Path, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    script = f"#!/bin/sh\necho $0 >> {marker}\n"
    hooks = repo / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "reference-transaction", "post-index-change", "pre-commit", "commit-msg", "evil"):
        (hooks / name).write_text(script)
        (hooks / name).chmod(0o755)
    evil = str(hooks / "evil")
    for key in ("core.fsmonitor", "core.pager", "core.editor", "diff.external", "core.sshCommand", "gpg.program"):
        git(repo, "config", key, evil)
    git(repo, "config", "core.hooksPath", str(hooks))
    git(repo, "config", "commit.gpgSign", "true")
    git(repo, "config", "filter.evil.clean", evil)
    git(repo, "config", "filter.evil.process", evil)
    (repo / ".git/info/attributes").write_text("pkg/* filter=evil\n")
    (repo / "pkg/b.py").write_bytes(b"OLD = 3\n")  # same size, dirty: git wants to clean it for a comparison
    marker.unlink(missing_ok=True)
    branch = build(repo)
    git_tree.check_out(found(repo), branch)
    WorkTreeFiles(found(repo)).entries()
    assert not marker.exists(), marker.read_text()
    assert (repo / "a.py").read_bytes() == b"NEWER = 1\r\nlast"
    assert (repo / "pkg/b.py").read_bytes() == b"OLD = 3\n"


def test_filters_of_the_user_stay_the_users(repo: Path, tmp_path: Path) -> None:
    with (tmp_path / "home/.gitconfig").open("a") as config:
        config.write('[filter "up"]\nsmudge = tr a-z A-Z\nclean = tr A-Z a-z\n')
    (repo / ".gitattributes").write_text("a.py filter=up\n")
    git(repo, "add", ".gitattributes")
    git(repo, "commit", "-q", "-m", "two")
    git(repo, "config", "filter.up.smudge", f"touch {tmp_path / 'ran'}; cat")
    (tmp_path / "ran").unlink(missing_ok=True)
    branch = build(repo)
    with pytest.raises(NotCheckedOut, match=r"a\.py go through a filter \(up\), and spawnfix runs no filter"):
        git_tree.check_out(found(repo), branch)
    assert not (tmp_path / "ran").exists()
    assert git(repo, "symbolic-ref", "HEAD") == "refs/heads/main"


@pytest.mark.slow
@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY"])
def test_called_from_a_hook_of_another_repository(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    other = tmp_path / "other"
    git(tmp_path, "init", "-q", str(other))
    monkeypatch.setenv(variable, str(other / ".git"))
    repository = found(repo)
    assert repository.work_tree == repo
    branch = git_tree.build_branch(CommitFiles(repository, repository.head()), TWO, None)
    monkeypatch.delenv(variable, raising=False)
    assert git(repo, "rev-parse", branch.name) == branch.commits[-1]
    assert git(other, "for-each-ref") == ""


# Names


def test_names_are_numbered_when_taken(repo: Path) -> None:
    assert [build(repo).name for _ in range(3)] == ["spawnfix/migrate", "spawnfix/migrate-2", "spawnfix/migrate-3"]


def test_name_that_is_taken_where_case_does_not_count(repo: Path) -> None:
    git(repo, "branch", "Spawnfix/Migrate")
    assert build(repo).name == "spawnfix/migrate-2"


def test_packed_and_deeper_branches_count_as_taken(repo: Path) -> None:
    git(repo, "branch", "spawnfix/migrate/deeper")
    git(repo, "branch", "spawnfix/migrate-2")
    git(repo, "pack-refs", "--all")
    assert build(repo).name == "spawnfix/migrate-3"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("main", "exists already"),
        ("-x", "not a name"),
        ("a..b", "not a name"),
        ("a b", "not a name"),
        ("", "not a name"),
        ("HEAD", "not a name"),
        ("@{-1}", "not a name"),
        ("a\nb", "not a name"),
        ("a\0b", "not a name"),
        ("x.lock", "not a name"),
        ("main/sub", "'main' is in the way"),
    ],
)
def test_names_that_do_not_do(repo: Path, wanted: str, message: str) -> None:
    before = state(repo)
    with pytest.raises(Problem, match=message):
        build(repo, wanted)
    assert state(repo) == before


def test_branch_called_spawnfix_is_in_the_way(repo: Path) -> None:
    git(repo, "branch", "spawnfix")
    before = state(repo)
    with pytest.raises(Problem, match="the branch 'spawnfix' is in the way of 'spawnfix/migrate'"):
        build(repo)
    assert state(repo) == before
    assert build(repo, "mine").name == "mine"


def test_another_run_takes_the_name_first(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = git_tree._point

    def slow(repository: Repository, name: str, *rest: object) -> str:
        git(repo, "branch", name)
        return real(repository, name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(git_tree, "_point", slow)
    assert build(repo).name == "spawnfix/migrate-2"
    assert git(repo, "rev-parse", "spawnfix/migrate") == git(repo, "rev-parse", "main")


# Who


def test_without_identity_the_stand_in_signs(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "home/.gitconfig").unlink()
    branch = build(repo)
    assert not branch.author.configured
    assert git(repo, "log", "-1", "--format=%an <%ae>|%cn", branch.name) == "spawnfix <spawnfix@localhost>|spawnfix"


def test_environment_and_repository_name_people(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(repo, "config", "user.email", "ada@work.example")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Grace")
    branch = build(repo)
    assert branch.author.configured
    assert git(repo, "log", "-1", "--format=%an <%ae>|%cn <%ce>", branch.name) == (
        "Grace <ada@work.example>|Ada Lovelace <ada@work.example>"
    )


# States


def test_detached_head_subfolder_and_file(repo: Path) -> None:
    git(repo, "checkout", "-q", "--detach")
    repository = found(repo / "pkg/b.py")
    assert repository.work_tree == repo
    assert repository.branch() is None
    branch = build(repo / "pkg")
    git_tree.check_out(repository, branch)
    assert git(repo, "symbolic-ref", "HEAD") == "refs/heads/spawnfix/migrate"
    assert git(repo, "status", "--porcelain") == ""


def test_no_commit_yet(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "new")
    with pytest.raises(Problem, match="no commit yet"):
        found(tmp_path / "new").head()


def test_linked_worktree(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    before = state(repo)
    branch = build(tmp_path / "linked")
    git_tree.check_out(found(tmp_path / "linked"), branch)
    assert git(tmp_path / "linked", "status", "--porcelain", "--branch") == "## spawnfix/migrate"
    assert (tmp_path / "linked/a.py").read_bytes() == b"NEWER = 1\r\nlast"
    after = state(repo)
    assert {key: after[key] for key in ("tree", "index", "head")} == {
        key: before[key] for key in ("tree", "index", "head")
    }


def test_bare_repository(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    bare = tmp_path / "bare.git"
    assert found(bare).work_tree is None
    branch = build(bare)
    assert git(bare, "log", "--format=%s", f"main..{branch.name}").count("\n") == 1


def test_shallow_clone(repo: Path, tmp_path: Path) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "two")
    git(tmp_path, "clone", "-q", "--depth=1", repo.as_uri(), "shallow")
    branch = build(tmp_path / "shallow")
    git_tree.check_out(found(tmp_path / "shallow"), branch)
    assert git(tmp_path / "shallow", "log", "--format=%s").splitlines() == ["lambdas: second ✓", "views: first", "two"]


@pytest.mark.slow
def test_submodule_is_left_alone(repo: Path, tmp_path: Path) -> None:
    sub = tmp_path / "sub"
    git(tmp_path, "clone", "-q", str(repo), str(sub))
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(sub), "inner")
    git(repo, "commit", "-q", "-m", "with submodule")
    assert not [entry for entry in commit_files(repo).entries() if entry.path.startswith("inner")]
    assert not [entry for entry in WorkTreeFiles(found(repo)).entries() if entry.path.startswith("inner")]
    git_tree.check_out(found(repo), build(repo))
    assert git(repo, "status", "--porcelain") == ""
    assert found(repo / "inner").work_tree == repo / "inner", "a submodule is a repository of its own"


def test_sha256_repository(tmp_path: Path) -> None:
    repo = tmp_path / "wide"
    git(tmp_path, "init", "-q", "--object-format=sha256", str(repo))
    (repo / "a.py").write_bytes(b"OLD\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "one")
    files = commit_files(repo)
    assert files.read("a.py") == b"OLD\n"
    branch = build(repo, None, (Commit({"a.py": b"NEW\n"}, "m\n"),))
    assert git(repo, "show", f"{branch.name}:a.py") == "NEW"


def test_sparse_checkout(repo: Path) -> None:
    git(repo, "sparse-checkout", "set", "pkg")
    (repo / "a.py").unlink(missing_ok=True)
    branch = build(repo, None, (Commit({"pkg/b.py": b"NEW\n", "sp ace/é x.py": b"NEW\n"}, "m\n"),))
    git_tree.check_out(found(repo), branch)
    assert (repo / "pkg/b.py").read_bytes() == b"NEW\n"
    assert not (repo / "sp ace").exists()
    assert git(repo, "show", f"{branch.name}:sp ace/é x.py") == "NEW"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs to give a folder to another user")
def test_repository_of_another_user(repo: Path) -> None:
    for folder in (repo, repo / ".git"):
        os.chown(folder, 65534, 65534)
    with pytest.raises(Problem, match=r"another user owns.*git config --global --add safe\.directory") as caught:
        Repository.find(repo / "pkg")
    assert str(caught.value).endswith(f"safe.directory {repo}")
    git(repo.parent, "config", "--global", "safe.directory", "*")
    assert build(repo).name == "spawnfix/migrate"


def test_work_tree_led_elsewhere_is_refused(repo: Path, tmp_path: Path) -> None:
    git(repo, "config", "core.worktree", str(tmp_path))
    with pytest.raises(Problem, match=r"core\.worktree"):
        Repository.find(repo)


def test_inside_git_folder(repo: Path) -> None:
    with pytest.raises(Problem, match="inside git's own folder"):
        Repository.find(repo / ".git/refs")


def test_no_repository(tmp_path: Path) -> None:
    assert Repository.find(tmp_path) is None


# The checkout


def dirty_elsewhere(repo: Path) -> None:
    (repo / "pkg/b.py").write_bytes(b"mine\n")
    (repo / "untracked.txt").write_bytes(b"mine\n")
    (repo / "staged.py").write_bytes(b"mine\n")
    git(repo, "add", "staged.py")


def test_changes_elsewhere_stay(repo: Path) -> None:
    dirty_elsewhere(repo)
    status = git(repo, "status", "--porcelain")
    git_tree.check_out(found(repo), build(repo))
    assert git(repo, "status", "--porcelain") == status
    assert (repo / "pkg/b.py").read_bytes() == b"mine\n"
    assert (repo / "a.py").read_bytes() == b"NEWER = 1\r\nlast"
    assert stat.S_IMODE((repo / "run.sh").stat().st_mode) & 0o111


def test_uncommitted_files_are_named(repo: Path) -> None:
    tree = commit_files(repo).tree
    assert found(repo).uncommitted(tree) == []
    os.utime(repo / "run.sh", (0, 0))
    assert found(repo).uncommitted(tree) == [], "a file that was only touched"
    dirty_elsewhere(repo)
    git(repo, "rm", "-q", "--cached", "run.sh")
    assert found(repo).uncommitted(tree) == ["pkg/b.py", "run.sh", "staged.py"]


def change_file(repo: Path) -> None:
    (repo / "a.py").write_bytes(b"mine\n")


def stage_file(repo: Path) -> None:
    change_file(repo)
    git(repo, "add", "a.py")


def delete_file(repo: Path) -> None:
    (repo / "a.py").unlink()


def picks_under_way(repo: Path) -> None:
    """The first of two was in conflict and has been committed by hand."""
    for data in (b"one\n", b"two\n", b"three\n"):
        (repo / "pkg/b.py").write_bytes(data)
        git(repo, "commit", "-q", "-a", "-m", data.decode())
    git(repo, "checkout", "-q", "-b", "side", "main~3")
    git(repo, "cherry-pick", "main~1", "main", check=False)
    git(repo, "commit", "-q", "-a", "-m", "by hand")


def untrack_file(repo: Path) -> None:
    (repo / "a.py").write_bytes(b"mine\n")
    git(repo, "rm", "-q", "--cached", "a.py")
    (repo / ".git/info/exclude").write_text("a.py\n")


def assume_unchanged(repo: Path) -> None:
    git(repo, "update-index", "--assume-unchanged", "a.py")
    change_file(repo)


def merge_under_way(repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "side")
    git(repo, "commit", "-q", "--allow-empty", "-m", "side")
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--no-ff", "--no-commit", "side")


def conflict(repo: Path) -> None:
    for branch, data in (("side", b"theirs\n"), ("main", b"ours\n")):
        git(repo, "checkout", "-q", *(["-b"] if branch == "side" else []), branch)
        (repo / "pkg/b.py").write_bytes(data)
        git(repo, "commit", "-q", "-a", "-m", branch)
    git(repo, "merge", "-q", "side", check=False)


def conflict_left_behind(repo: Path) -> None:
    conflict(repo)
    (repo / ".git/MERGE_HEAD").unlink()


def rebase_under_way(repo: Path) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "two")
    git(repo, "rebase", "-q", "--keep-empty", "--exec", "false", "HEAD~1", check=False)


def bisect_under_way(repo: Path) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "two")
    git(repo, "bisect", "start", "-q", "HEAD", "HEAD~1", check=False)


def index_locked(repo: Path) -> None:
    (repo / ".git/index.lock").write_bytes(b"")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (change_file, r"uncommitted changes are in the way \(a\.py\)"),
        (stage_file, r"uncommitted changes are in the way \(a\.py\)"),
        (delete_file, r"you deleted a\.py, which it fixes"),
        (untrack_file, r"in the way|git says"),
        (assume_unchanged, r"uncommitted changes are in the way \(a\.py\)"),
        (merge_under_way, "a merge is under way"),
        (conflict, "a merge is under way"),
        (conflict_left_behind, "unresolved conflicts"),
        (rebase_under_way, "a rebase is under way"),
        (bisect_under_way, "a bisect is under way"),
        (picks_under_way, "a series of cherry-picks or reverts is under way"),
        (index_locked, r"holds index\.lock"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_not_checked_out_where_something_would_be_lost(repo: Path, spoil: Callable[[Path], None], message: str) -> None:
    spoil(repo)
    before = state(repo)
    branch = build(repo)
    with pytest.raises(NotCheckedOut, match=message) as caught:
        git_tree.check_out(found(repo), branch)
    assert "\n" not in str(caught.value)
    after = state(repo)
    assert "refs/heads/spawnfix/migrate" in str(after.pop("refs"))
    before.pop("refs")
    assert after == before


def test_head_that_moved_meanwhile(repo: Path) -> None:
    branch = build(repo)
    git(repo, "commit", "-q", "--allow-empty", "-m", "meanwhile")
    with pytest.raises(NotCheckedOut, match="HEAD moved"):
        git_tree.check_out(found(repo), branch)


def test_what_is_said_of_another_git_at_work(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    branch = build(repo)
    for why, told in (
        ("Unable to create '/x/index.lock': File exists", "another git process holds index.lock; when"),
        ("Unable to create '/x/HEAD.lock': File exists", "another git process holds HEAD.lock; when"),
        ("HEAD moved while spawnfix was at work", "HEAD moved while spawnfix was at work; when"),
    ):
        monkeypatch.setattr(checkout, "finish", mock.Mock(side_effect=Failed(why, locked=True)))
        with pytest.raises(NotCheckedOut) as raised:
            git_tree.check_out(found(repo), branch)
        there = "the branch spawnfix/migrate was created but not checked out: "
        assert str(raised.value) == f"{there}{told} it is done, git -C {repo} checkout spawnfix/migrate"


def test_ref_locked(repo: Path) -> None:
    lock = repo / ".git/refs/heads/spawnfix/migrate.lock"
    lock.parent.mkdir()
    lock.write_bytes(b"")
    before = state(repo)
    with pytest.raises(Problem, match=r"nothing was changed.*migrate\.lock"):
        build(repo)
    assert state(repo) == before


KILLED = """
import os, signal, sys
from pathlib import Path
from codemods.tree import git_tree
from codemods.tree.repository import Repository
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
git_tree._point = die
repository = Repository.find(Path(sys.argv[1]))
files = git_tree.CommitFiles(repository, repository.head())
git_tree.build_branch(files, [git_tree.Commit({"a.py": b"NEW"}, "m")], None)
"""


@pytest.mark.slow
def test_killed_right_before_the_branch_appears(repo: Path) -> None:
    before = state(repo)
    done = subprocess.run([sys.executable, "-c", KILLED, str(repo)], cwd=ROOT, env=os.environ, check=False)
    assert done.returncode == -signal.SIGKILL
    assert state(repo) == before
    git(repo, "fsck")
    assert build(repo).name == "spawnfix/migrate"


def test_object_database_that_takes_nothing(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:  # root writes anywhere: put a file where git wants a folder
        for number in range(256):
            folder = repo / ".git/objects" / f"{number:02x}"
            if not folder.exists():
                folder.write_bytes(b"")
    else:
        for folder in (repo / ".git/objects").iterdir():
            folder.chmod(0o500)
        (repo / ".git/objects").chmod(0o500)
    before = state(repo)
    with pytest.raises(Problem, match="can't be created, nothing was changed"):
        build(repo)
    assert state(repo) == before


def test_author_and_committer_of_a_branch(repo: Path) -> None:
    names = "".join(f"[{who}]\nname = {who} one\nemail = {who}@example.org\n" for who in ("author", "committer"))
    (Path.home() / ".gitconfig").write_text(names)
    tip = build(repo).commits[-1]
    who = git(repo, "log", "-1", "--format=%an %ae, %cn %ce", tip)
    assert who.strip() == "author one author@example.org, committer one committer@example.org"
