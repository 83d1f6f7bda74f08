"""`diagnose --watch -- COMMAND`: the loop from a program to its fault, its migration, and the proof; signals."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from codemods.diagnose.command import DiagnoseOptions, run_diagnose
from codemods.problem import Problem
from harness.case import ROOT

TRAIN = """
    import multiprocessing
    import sys
    import threading


    class Rows:
        def __init__(self):
            self.lock = threading.Lock()
            self.scale = lambda value: value * 2

        def load(self, number):
            with self.lock:
                print("row", self.scale(number), flush=True)


    def main():
        rows = Rows()
        for number in range(3):
            process = multiprocessing.get_context("fork").Process(target=rows.load, args=(number,))
            process.start()
            process.join()
        print("trained")


    if __name__ == "__main__":
        main()
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "train.py").write_text(textwrap.dedent(TRAIN).lstrip(), encoding="utf-8")
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "program"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


def spawnfix(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "NO_COLOR": "1",
        "SPAWNFIX_CACHE_DIR": str(folder.parent / "cache"),
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    command = [sys.executable, str(ROOT / "cli.py"), *words]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no fork there")
def test_from_a_program_to_the_proof(repository: Path) -> None:
    """The story of the guide: fault, migration, and the same command once more."""
    words = ["diagnose", "--watch", "--", sys.executable, "train.py"]
    seen = spawnfix(repository, *words)
    assert seen.returncode == 1, seen.stderr
    assert "assigned at train.py:8" in seen.stdout and "assigned at train.py:9" in seen.stdout
    assert "trained" not in seen.stdout and "row" not in seen.stdout  # it was ended at its first start of a process
    migrate = re.search(r"spawnfix (migrate \. --from (\S+))", seen.stdout)
    assert migrate is not None
    assert {(row["path"], row["rule"]) for row in json.loads(Path(migrate[2]).read_text())["problems"]} == {
        ("Process.target.__self__.lock", "unpicklable-attributes"),
        ("Process.target.__self__.scale", "lambdas"),
    }
    assert "then, to see that it is gone: spawnfix diagnose --watch -- " in seen.stdout
    assert not subprocess.run(["git", "status", "--short"], cwd=repository, capture_output=True, check=True).stdout

    done = spawnfix(repository, *migrate[1].split())
    assert done.returncode == 0, done.stderr

    proof = spawnfix(repository, *words)
    assert proof.returncode == 0, proof.stdout + proof.stderr
    assert "row 0\nrow 2\nrow 4\ntrained\n" in proof.stdout
    assert "nothing that it sends to other processes would fail under spawn" in proof.stdout


def run(tmp_path: Path, program: str, monkeypatch: pytest.MonkeyPatch, watch: bool = True) -> int:
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(program), encoding="utf-8")
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    arguments = [sys.executable, str(path)]
    return run_diagnose(arguments, True, DiagnoseOptions(seconds=20.0, watch=watch), lambda data: None)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no signals there")
def test_a_program_that_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"
    with pytest.raises(Problem, match=r"exit code -9.*out of memory"):
        run(tmp_path, program, monkeypatch)


@pytest.mark.slow
def test_a_program_that_fails_for_another_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Problem, match="exit code 3, but not for what it sent"):
        run(tmp_path, "raise SystemExit(3)\n", monkeypatch)
    assert not (tmp_path / "cache").exists()  # nothing to save


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no signals of a terminal there")
def test_an_interrupt_ends_the_program_and_what_was_seen_counts(tmp_path: Path) -> None:
    program = """
        import multiprocessing, time

        def work(fn):
            pass

        if __name__ == "__main__":
            process = multiprocessing.get_context("fork").Process(target=work, args=(lambda: 1,))
            process.start()
            print("ready", flush=True)
            time.sleep(600)
    """
    (tmp_path / "program.py").write_text(textwrap.dedent(program), encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    command = [sys.executable, str(ROOT / "cli.py"), "diagnose", "--dry-run-fork", "--", sys.executable, "program.py"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1, err
    assert b"<lambda>" in out and b"program.py:9" in out


@pytest.mark.parametrize(
    ("arguments", "dashes", "words"),
    [
        (["-"], False, "leave out --python, --watch"),
        (["train.py:build()"], False, "--watch goes with a command"),
        ([], False, "--watch goes with a command: spawnfix diagnose --watch -- python train.py"),
    ],
)
def test_watch_is_for_programs(arguments: list[str], dashes: bool, words: str) -> None:
    with pytest.raises(Problem, match=words):
        run_diagnose(arguments, dashes, DiagnoseOptions(seconds=20.0, watch=True), lambda data: None)
