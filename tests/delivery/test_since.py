"""`--since`: which files a branch has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.delivery.since import changed_since, concerns
from codemods.delivery.target import to_check, to_migrate
from codemods.finding import Confidence, Finding, Hop, Span
from codemods.problem import Problem
from harness.each_row import each_row
from harness.repositories import git


@each_row(("changed", "concerned"), [(set(), False), ({"a.py"}, True), ({"b.py"}, True), ({"c.py"}, False)])
def test_a_finding_concerns_the_files_that_its_value_goes_through(changed: set[str], concerned: bool) -> None:
    hops = (Hop("a.py", 1, "a lambda"), Hop("b.py", 2, "is sent"))
    found = Finding("lambdas", "a.py", Span(1, 1, 1, 9), "a lambda", Confidence.PROVEN, hops, None, "why not")
    assert concerns(found, frozenset(changed)) is concerned


def test_what_a_branch_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ada@example.org")
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q", "-b", "main")
    for name in ("same.py", "mine.py", "theirs.py", "gone.py"):
        (repo / name).write_text("x = 1\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "one")
    git(repo, "checkout", "-qb", "mine")
    (repo / "mine.py").write_text("x = 2\n")
    (repo / "gone.py").unlink()
    git(repo, "commit", "-qam", "two")
    git(repo, "checkout", "-q", "main")
    (repo / "theirs.py").write_text("x = 3\n")
    git(repo, "commit", "-qam", "three")
    git(repo, "checkout", "-q", "mine")
    assert changed_since(to_check(repo), "main") - {"gone.py"} == {"mine.py"}
    assert changed_since(to_check(repo), "HEAD") == frozenset()
    (repo / "new.py").write_text("x = 1\n")
    (repo / "same.py").write_text("x = 4\n")
    git(repo, "add", "new.py")
    assert changed_since(to_check(repo), "main") - {"gone.py"} == {"mine.py", "new.py", "same.py"}
    assert changed_since(to_check(repo), "HEAD") == {"new.py", "same.py"}
    assert changed_since(to_migrate(repo, no_git=False), "main") == {"mine.py"}  # what is committed
    for wrong in ("nothing", "HEAD:mine.py", "--all"):
        with pytest.raises(Problem, match=f"^--since {wrong}: no such commit here$"):
            changed_since(to_check(repo), wrong)
    (tmp_path / "plain").mkdir()
    with pytest.raises(Problem, match="--since needs a git repository"):
        changed_since(to_check(tmp_path / "plain"), "main")
