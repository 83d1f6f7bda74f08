"""What was not looked at never passes for clean: in text, JSON, SARIF, annotations, a batch and the exit code."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from codemods.batch.spec import Spec
from codemods.batch.task import migrate_repository
from codemods.engine.results import Report
from codemods.finding import Skipped
from codemods.review.github import to_github
from codemods.review.sarif import to_sarif
from harness.repositories import commit_all, git, own_home
from harness.tool import spawnfix

__all__ = ["own_home"]

CLEAN = b"import torch\nx = 1\n"
WORDS = b"from torch.utils.data import DataLoader\nf = lambda: 0\n"  # that rules look for
BROKEN = {  # contents that no rule can look at
    "encoding": b"# coding: utf-8\n" + WORDS + b"x = '\xff'\n",
    "unknown-encoding": b"# coding: rot13\nimport torch\n",
    "syntax": WORDS + b"x = (\n",
    "nul": b"import torch\nx = 1\0\n",
    "lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n",
    "deep": WORDS + b"x = " + b"(" * 400 + b")" * 400 + b"\n",
    "large": WORDS + b"# comment\n" * 120_000,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    (made / "ok.py").write_bytes(CLEAN)
    return made


def checked(*arguments: str | Path, cache: Path) -> tuple[int, str, str]:
    done = spawnfix("check", "--no-cache", *map(str, arguments), cache=cache)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("kind", BROKEN)
def test_a_file_in_a_folder_is_named_in_the_last_line(folder: Path, kind: str) -> None:
    (folder / "odd.py").write_bytes(BROKEN[kind])
    code, out, _ = checked(folder, cache=folder.parent / "cache")
    assert code == 0
    assert out.splitlines()[-1] == "Nothing found in 1 file; 1 file was not looked at: odd.py.", out


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("kind", BROKEN)
def test_a_file_that_is_named_fails(folder: Path, kind: str) -> None:
    (folder / "odd.py").write_bytes(BROKEN[kind])
    code, out, errors = checked(folder / "odd.py", cache=folder.parent / "cache")
    assert code == 2 and "Nothing found" not in out
    assert out.splitlines()[-1] == "Not known; 1 file was not looked at: odd.py."
    assert errors.startswith("spawnfix: not looked at: odd.py: ") and errors.count("\n") == 1
    for command in (["migrate", "--no-git"], ["migrate", "--no-git", "--dry-run"]):
        done = spawnfix(*command, str(folder / "odd.py"), cache=folder.parent / "cache")
        assert done.returncode == 2 and "nothing found" not in done.stderr, done.stderr


def test_one_of_several_that_are_named(folder: Path) -> None:
    (folder / "odd.py").write_bytes(BROKEN["syntax"])
    git(folder, "init", "-q")
    git(folder, "add", ".")
    code, out, errors = checked(folder / "ok.py", folder / "odd.py", cache=folder.parent / "cache")
    assert code == 2 and "odd.py" in errors
    assert out.splitlines()[-1] == "Nothing found in 1 file; 1 file was not looked at: odd.py."
    code, out, errors = checked(folder / "ok.py", cache=folder.parent / "cache")  # the other is not asked about
    assert (code, out.splitlines()[-1], errors) == (0, "Nothing found in 1 file.", "")


def test_a_folder_in_which_nothing_can_be_looked_at(folder: Path) -> None:
    (folder / "ok.py").write_bytes(BROKEN["nul"])
    code, out, _ = checked(folder, cache=folder.parent / "cache")
    assert code == 2 and out.splitlines()[-1] == "Not known; 1 file was not looked at: ok.py."


def test_python_2_is_looked_at_in_part(folder: Path) -> None:
    pytest.importorskip("bowler")
    (folder / "odd.py").write_bytes(b"import torch\nprint 'x'\n" + b"f = lambda: 0\n")
    code, out, _ = checked(folder / "odd.py", cache=folder.parent / "cache")
    assert code == 0 and "odd.py: Python 2: only a few plain patterns" in out
    assert out.splitlines()[-1] == "Nothing found in 1 file."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes in the file system")
def test_a_pipe_in_the_place_of_a_tracked_file(folder: Path) -> None:
    (folder / "odd.py").write_bytes(CLEAN)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    (folder / "odd.py").unlink()
    os.mkfifo(folder / "odd.py")
    code, _, errors = checked(folder / "odd.py", cache=folder.parent / "cache")
    assert code == 2 and "odd.py: neither a file nor a folder" in errors


def test_many_are_counted(folder: Path) -> None:
    for number in range(5):
        (folder / f"odd{number}.py").write_bytes(BROKEN["syntax"])
    code, out, _ = checked(folder, cache=folder.parent / "cache")
    more = "5 files were not looked at: odd0.py, odd1.py, odd2.py and 2 more"
    assert code == 0 and out.splitlines()[-1] == f"Nothing found in 1 file; {more}."
    code, out, _ = checked(folder, "--format", "markdown", cache=folder.parent / "cache")
    assert code == 0 and "0 findings in 1 file; 5 files were not looked at." in out
    done = spawnfix("migrate", "--no-git", "--dry-run", str(folder), cache=folder.parent / "cache")
    assert done.returncode == 0 and "nothing found in 1 file; 5 files were not looked at" in done.stderr


def test_reports_for_programs(folder: Path) -> None:
    (folder / "odd.py").write_bytes(BROKEN["nul"])
    code, out, _ = checked(folder, "--format", "json", cache=folder.parent / "cache")
    assert code == 0 and [row["path"] for row in json.loads(out)["skipped"]] == ["odd.py"]
    lost = Report(".", (), (Skipped("a.py", "Permission denied", unread=True),), 1)
    run = to_sarif(lost)["runs"][0]["invocations"][0]  # type: ignore[index]
    assert run["executionSuccessful"] is False
    assert [row["level"] for row in run["toolExecutionNotifications"]] == ["error"]
    assert to_github(lost).startswith("::warning file=a.py,")
    other = Report(".", (), (Skipped("a.py", "line 1: invalid syntax"),), 1)
    assert to_sarif(other)["runs"][0]["invocations"][0]["executionSuccessful"] is True  # type: ignore[index]
    assert to_github(other).startswith("::notice file=a.py,")


def without_object(repo: Path, path: str) -> None:
    """Take the object of `path` out of `repo`: a clone that is not complete."""
    oid = git(repo, "rev-parse", f"HEAD:{path}").strip()
    (repo / ".git/objects" / oid[:2] / oid[2:]).unlink()


def test_a_repository_of_a_batch_with_a_file_that_is_not_there(folder: Path, tmp_path: Path) -> None:
    (folder / "lost.py").write_bytes(CLEAN + b"# other\n")
    commit_all(folder)
    (tmp_path / "scratch").mkdir()
    without_object(folder, "lost.py")
    outcome = migrate_repository(Spec("me+tool", str(folder), "tool", None, False, "1"), tmp_path / "scratch")
    assert outcome.status == "failed" and outcome.reason, outcome


def test_a_folder_of_a_batch_in_which_nothing_can_be_looked_at(folder: Path, tmp_path: Path) -> None:
    (folder / "ok.py").write_bytes(BROKEN["syntax"])
    commit_all(folder)
    (tmp_path / "scratch").mkdir()
    outcome = migrate_repository(Spec("me+tool", str(folder), "tool", None, False, "1"), tmp_path / "scratch")
    assert (outcome.status, outcome.reason) == ("failed", "not looked at: ok.py: line 3: '(' was never closed")
    (folder / "fine.py").write_bytes(CLEAN)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "two")
    (tmp_path / "again").mkdir()
    outcome = migrate_repository(Spec("me+tool", str(folder), "tool", None, False, "1"), tmp_path / "again")
    assert (outcome.status, outcome.reason, outcome.skipped) == ("clean", None, 1)


def test_migrate_in_a_repository_with_a_file_that_is_not_there(folder: Path) -> None:
    (folder / "lost.py").write_bytes(CLEAN + b"# other\n")
    commit_all(folder)
    without_object(folder, "lost.py")
    done: subprocess.CompletedProcess[str] = spawnfix("migrate", str(folder), cache=folder.parent / "cache")
    said = done.stderr
    assert done.returncode == 2 or "1 file was not looked at" in said, said
    assert "lost.py" in said and "nothing found in 2 files" not in said
