"""`migrate --verify COMMAND`: a fix with which the command gets worse is left out, and nothing is left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from codemods.delivery.command_run import HEAD, TAIL, run_command
from harness.repositories import commit_all, git, own_home
from harness.tool import spawnfix

__all__ = ["own_home"]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="commands for a POSIX shell")

TRAIN = """from torch.utils.data import DataLoader


def build(data, scale):
    return DataLoader(data, num_workers=2, collate_fn=lambda rows: [row * scale for row in rows])


def evaluate(data):
    return DataLoader(data, num_workers=2, worker_init_fn=lambda number: print(number))


def report(data):
    return DataLoader(data, num_workers=2, worker_init_fn=lambda worker: print("worker", worker))
"""
CONFIG = """import pickle


class Config:
    def __init__(self, ranges):
        self.names = ranges.keys()


def save(ranges):
    return pickle.dumps(Config(dict(ranges)))
"""


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    folder = tmp_path / "work"
    folder.mkdir()
    for name, text in {"train.py": TRAIN, "config.py": CONFIG, "data.txt": "1\n"}.items():
        (folder / name).write_text(text)
    (folder / "link").symlink_to("data.txt")
    (folder / "out").symlink_to("/etc/hostname")
    commit_all(folder)
    return folder


def verified(repo: Path, tmp_path: Path, program: str, *more: str) -> tuple[int, str, dict[str, object]]:
    """`migrate --verify` with a command that runs the Python text `program`: exit code, stderr, report."""
    script, report = tmp_path / "program.py", tmp_path / "report.json"
    script.write_text(program)
    command = f"{sys.executable} {script}"
    arguments = ("migrate", str(repo), "--verify", command, "--verify-report", str(report), *more)
    done = spawnfix(*arguments, cache=tmp_path / "cache", environment=dict(os.environ))
    assert not list((tmp_path / "scratch").glob("spawnfix-verify-*"))
    return done.returncode, done.stderr, json.loads(report.read_text())


@pytest.mark.slow
@pytest.mark.in_process
def test_the_fix_that_breaks_the_command_is_left_out_and_the_others_land(repo: Path, tmp_path: Path) -> None:
    program = "import sys\nsys.exit('evaluate broke' if 'lambda number' not in open('train.py').read() else 0)\n"
    code, said, report = verified(repo, tmp_path, program)
    assert code == 0, said
    assert "verify: before any change the command passed\n" in said
    assert "verify: left out lambdas at train.py:9: with it the command failed with exit code 1" in said
    text = (repo / "train.py").read_text()
    assert "lambda number" in text and "lambda rows" not in text and "lambda worker" not in text
    assert "list(ranges.keys())" in (repo / "config.py").read_text()
    assert report["before"]["passed"] and report["after"]["passed"]
    [left_out] = report["left_out"]
    assert (left_out["rule"], left_out["path"], left_out["line"]) == ("lambdas", "train.py", 9)
    assert left_out["output"] == "evaluate broke\n" and left_out["code"] == 1
    for commit in git(repo, "rev-list", "main..").splitlines():
        said = git(repo, "log", "-1", "--format=%(trailers:key=Spawnfix-Verified,valueonly)", commit)
        assert said.endswith("program.py: passed"), said
    assert git(repo, "status", "--porcelain") == ""


@pytest.mark.slow
@pytest.mark.in_process
def test_the_command_sees_the_files_of_the_commit_in_a_folder_of_ours(repo: Path, tmp_path: Path) -> None:
    (repo / "data.txt").write_text("uncommitted\n")
    program = (
        "import os, sys\n"
        f"assert not os.getcwd().startswith({str(repo)!r}), os.getcwd()\n"
        "assert open('data.txt').read() == open('link').read() == '1\\n'\n"
        "assert not os.path.lexists('out')\n"
        "open('data.txt', 'w').write('by the command')\n"
        "open('new.txt', 'w').write('x')\n"
    )
    code, said, report = verified(repo, tmp_path, program)
    assert code == 0 and report["before"]["passed"], (said, report)
    assert (repo / "data.txt").read_text() == "uncommitted\n" and not (repo / "new.txt").exists()
    assert "lambda" not in (repo / "train.py").read_text()


JUNIT = """
import sys
tests = {"old": False, "new": "list(ranges" not in open("config.py").read(), "fine": True}
rows = "".join(f'<testcase classname="t" name="{n}">{"" if ok else "<failure/>"}</testcase>' for n, ok in tests.items())
open("junit.xml", "w").write(f"<testsuites><testsuite>{rows}</testsuite></testsuites>")
sys.exit(not all(tests.values()))
"""


def test_a_base_that_is_red_is_compared_test_by_test(repo: Path, tmp_path: Path) -> None:
    code, said, report = verified(repo, tmp_path, JUNIT, "--verify-junit", "junit.xml")
    assert code == 0 and "before any change the command failed with exit code 1, 1 tests fail" in said
    assert "left out dict-views at config.py:6: with it 1 more tests fail: t::new" in said
    assert report["before"]["failed_tests"] == ["t::old"] == report["after"]["failed_tests"]
    assert (repo / "config.py").read_text() == CONFIG and "lambda" not in (repo / "train.py").read_text()


@pytest.mark.slow
@pytest.mark.in_process
def test_a_base_that_is_red_without_test_ids_leaves_nothing_out(repo: Path, tmp_path: Path) -> None:
    code, said, _ = verified(repo, tmp_path, "raise SystemExit(3)")
    assert code == 0 and "failed with exit code 3; it can't show what the changes break" in said
    assert "lambda" not in (repo / "train.py").read_text()


@pytest.mark.slow
def test_a_command_that_hangs_is_ended_with_all_that_it_started(repo: Path, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    program = (
        "import subprocess, sys, time\n"
        "if 'lambda worker' in open('train.py').read(): sys.exit(0)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(pids)!r}, 'a').write(f'{{child.pid}}\\n')\n"
        "time.sleep(600)\n"
    )
    code, said, report = verified(repo, tmp_path, program, "--verify-timeout", "3", "--select", "lambdas")
    assert code == 0 and "left out lambdas at train.py:13: with it the command was not done after 3 seconds" in said, (
        said
    )
    assert report["left_out"][0]["timed_out"] and report["after"]["passed"]
    for pid in pids.read_text().split():
        state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False).stdout
        assert state.strip()[:1] in ("", "Z"), f"{pid} still runs"


@pytest.mark.slow
@pytest.mark.in_process
def test_of_much_output_the_start_and_the_end_are_kept(tmp_path: Path) -> None:
    program = "import sys; sys.stdout.write('start' + 'x' * 10_000_000 + 'end')"
    outcome = run_command(f'{sys.executable} -c "{program}"', tmp_path, 60)
    assert outcome.passed and outcome.output.startswith("startxxx") and outcome.output.endswith("xxxend")
    assert HEAD + TAIL < len(outcome.output) < HEAD + TAIL + 100 and "bytes ...]" in outcome.output


@pytest.mark.parametrize("text", ["<x", "<!DOCTYPE a [<!ENTITY b 'c'>]><testsuites/>", ""])
def test_a_junit_file_that_is_none_is_not_counted(text: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_text(text)
    outcome = run_command("cp text junit.xml", tmp_path, 60, "junit.xml")
    assert outcome.passed and outcome.failed is None


def test_flags_that_need_the_command(repo: Path, tmp_path: Path) -> None:
    done = spawnfix("migrate", str(repo), "--verify-junit", "x.xml", cache=tmp_path / "cache")
    assert done.returncode == 2 and "goes with --verify COMMAND" in done.stderr
    done = spawnfix("migrate", str(repo), "--verify", "true", "--no-git", cache=tmp_path / "cache")
    assert done.returncode == 2 and "leave out --no-git" in done.stderr
