"""The scripts that open pull requests: one block for each migrated repository, and no name that becomes code."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from codemods.batch.ledger import Row, State
from codemods.batch.open_prs import scripts
from codemods.batch.spec import Outcome, Status
from harness.each_row import each_row


def row(source: str, name: str = "lab+repo", pushed: str | None = None, branch: str | None = "spawnfix/migrate") -> Row:
    status = "migrated" if branch else "clean"
    return Row(name, source, None, State.DONE, None, None, 1, Outcome(Status(status), branch=branch, pushed=pushed))


def commands(text: str) -> list[list[str]]:
    return [shlex.split(line) for line in text.splitlines() if line.startswith(("git ", "gh ", "glab "))]


def test_a_branch_that_is_not_pushed_is_taken_from_its_bundle() -> None:
    (clone, fetch, push, create) = commands(scripts([row("https://github.com/lab/repo.git")])["open-prs.sh"])
    assert clone[-2:] == ["https://github.com/lab/repo.git", "clones/lab+repo"]
    assert fetch[-2:] == ["../../repos/lab+repo/branch.bundle", "spawnfix/migrate:spawnfix/migrate"]
    assert push[-3:] == ["push", "origin", "spawnfix/migrate"]
    assert create[:7] == ["gh", "pr", "create", "--repo", "github.com/lab/repo", "--head", "spawnfix/migrate"]
    assert create[-2:] == ["--body-file", "repos/lab+repo/pull-request.md"]


@pytest.mark.parametrize(
    ("source", "project"),
    [
        ("https://github.com/lab/repo", "github.com/lab/repo"),
        ("git@github.com:lab/repo.git", "github.com/lab/repo"),
        ("ssh://git@github.com:22/lab/repo.git/", "github.com/lab/repo"),
    ],
)
def test_every_form_of_an_address(source: str, project: str) -> None:
    (create,) = commands(scripts([row(source, pushed=source)])["open-prs.sh"])
    assert create[4] == project


def test_gitlab_has_its_own_program() -> None:
    texts = scripts(
        [row("https://gitlab.example.org/group/sub/repo.git", pushed="https://gitlab.example.org/group/sub/repo")]
    )
    (create,) = commands(texts["open-prs.sh"])
    assert create[:5] == ["glab", "mr", "create", "--repo", "https://gitlab.example.org/group/sub/repo"]
    assert '--description "$(cat repos/lab+repo/pull-request.md)"' in texts["open-prs.sh"]
    assert "--description (Get-Content -Raw -Encoding utf8 'repos/lab+repo/pull-request.md')" in texts["open-prs.ps1"]


@each_row(
    "source",
    [
        "/srv/repos/one",
        "../one",
        "C:\\repos\\one",
        "file:///srv/one",
        "https://localhost",
        "https://localhost/a/b",
        "https://h.org/a",
    ],
)
def test_what_has_no_server_and_what_was_not_migrated_is_left_out(source: str) -> None:
    assert commands(scripts([row(source), row("https://github.com/a/b", branch=None)])["open-prs.sh"]) == []
    assert "No repository was migrated" in scripts([row(source)])["open-prs.sh"]


@pytest.mark.slow
def test_a_hostile_name_is_one_word(tmp_path: Path) -> None:
    """Run for real, with stand-ins for git and gh that print what they are given."""
    hostile = "$(touch stolen)'; touch stolen; echo \"`touch stolen`"
    script = scripts([row("https://github.com/lab/repo", name=hostile, branch=hostile)])["open-prs.sh"]
    for name in ("git", "gh"):
        (tmp_path / name).write_text('#!/bin/sh\nfor word; do printf "<%s>" "$word"; done\necho\n')
        (tmp_path / name).chmod(0o755)
    file = tmp_path / "open-prs.sh"
    file.write_text(script)
    done = subprocess.run(
        ["/bin/sh", str(file)], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True, check=True
    )
    assert f"<clones/{hostile}>" in done.stdout and f"<--head><{hostile}>" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gh", "git", "open-prs.sh"]


def test_powershell_quotes() -> None:
    script = scripts([row("https://github.com/lab/repo", branch="a'b\u2019c$(d)")])["open-prs.ps1"]
    assert "'a''b\u2019\u2019c$(d)'" in script
