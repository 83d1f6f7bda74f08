"""`migrate --run COMMAND`: the program is run and watched, before the changes and after them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from codemods.commands.migrate import _verification
from codemods.commands.selected import Verification
from codemods.problem import Problem
from harness.each_row import each_row
from harness.repositories import commit_all, git, own_home
from harness.tool import spawnfix

__all__ = ["own_home"]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the program starts its processes by fork")

PLAY = """import multiprocessing
import sys


class Job:
    def __init__(self):
        self.scale = lambda x: x * 2


def work(job):
    print(job.scale(3), flush=True)


def main():
    job = Job()
    if "picky" in sys.argv and getattr(job.scale, "__na" + "me__") != "<lam" + "bda>":
        sys.exit("not the lambda")
    process = multiprocessing.get_context(sys.argv[1]).Process(target=work, args=(job,))
    process.start()
    process.join()


if __name__ == "__main__":
    main()
"""


def run(folder: Path, *arguments: str, method: str = "fork") -> tuple[str, dict[str, object], str]:
    """What `migrate --run` says and reports for the program, and the program after it."""
    repo, report = folder / "work", folder / "report.json"
    repo.mkdir()
    (repo / "play.py").write_text(PLAY)
    commit_all(repo)
    command = f"{sys.executable} play.py {method} {' '.join(arguments)}"
    done = spawnfix(
        "migrate", str(repo), "--confidence", "possible", "--run", command, "--verify-report", str(report),
        cache=folder / "cache", environment=dict(os.environ),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stderr, json.loads(report.read_text()), (repo / "play.py").read_text()


@pytest.mark.slow
@pytest.mark.in_process
def test_the_faults_before_and_none_after(tmp_path: Path) -> None:
    said, report, text = run(tmp_path)
    (fault,) = report["before"]["faults"]
    assert "scale" in fault and "lambda" in fault
    assert f"verify: before any change the program can't send to a spawned process {fault}\n" in said
    assert "verify: after the changes it starts a process and can send all that is needed there" in said
    assert report["before"]["output"] == report["after"]["output"] == "6\n"
    assert not report["before"]["passed"] and report["after"]["passed"] and report["after"]["faults"] == []
    assert "lambda x" not in text
    assert "can send all" in git(tmp_path / "work", "log", "-1", "--format=%(trailers:key=Spawnfix-Verified,valueonly)")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_that_the_program_starts_without_fork_are_counted(method: str, tmp_path: Path) -> None:
    said, report, text = run(tmp_path, method=method)
    assert "verify: after the changes it starts a process and can send all that is needed there" in said
    assert "starts no process" not in said
    assert report["before"]["starts"] == report["after"]["starts"] == 1
    assert report["after"]["passed"] and "lambda x" not in text


@pytest.mark.slow
def test_a_fix_with_which_the_program_fails_is_left_out(tmp_path: Path) -> None:
    said, report, text = run(tmp_path, "picky")
    assert "verify: left out lambdas at play.py:7: with it the program failed with exit code 1" in said
    assert "is not run" not in said
    assert text == PLAY and report["left_out"][0]["output"] == "not the lambda\n"


def test_where_nothing_changes_nothing_is_run(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print(1)\n")
    commit_all(tmp_path)
    done = spawnfix("migrate", str(tmp_path), "--run", "false", cache=tmp_path.parent / "cache")
    assert done.returncode == 0 and "verify: nothing changes, so `false` is not run" in done.stderr


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--run", "true", "--verify", "true"), "--verify and --run: give one of them"),
        (("--run", " "), "--run: the command is empty"),
        (("--verify", ""), "--verify: the command is empty"),
        (("--run", "true", "--no-git"), "--run works on copies of a commit"),
        (("--run", "true", "--verify-junit", "x.xml"), "--verify-junit goes with --verify COMMAND"),
        (("--verify-report", "x.json"), "--verify-report goes with --verify COMMAND or --run COMMAND"),
    ],
)
def test_flags_that_do_not_go_together(flags: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = spawnfix("migrate", str(tmp_path), *flags, cache=tmp_path / "cache")
    assert done.returncode == 2 and said in done.stderr


@pytest.mark.parametrize("flag", ["--verify", "--run"])
@pytest.mark.parametrize(("command", "code"), [("nosuchcommand --all", 127), ("./play.py", 126)])
def test_a_command_that_cannot_be_run_is_named(flag: str, command: str, code: int, tmp_path: Path) -> None:
    repo = tmp_path / "work"
    repo.mkdir()
    (repo / "play.py").write_text(PLAY)
    commit_all(repo)
    flags = ("--confidence", "possible", flag, command)
    done = spawnfix("migrate", str(repo), *flags, cache=tmp_path / "cache", environment=dict(os.environ))
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("spawnfix: ")]
    assert line.startswith(f"spawnfix: {flag}: `{command}` can't be run (exit code {code}: ")
    assert command.split()[0].removeprefix("./") in line.partition("(")[2]
    assert "nothing was changed" in line and git(repo, "branch", "--format=%(refname:short)").count("\n") == 0


class Unwritable:
    """A command that fails with an error of the system, which is none of the copy."""

    def __call__(self, folder: Path) -> object:
        raise OSError(5, "Input/output error")


def test_an_error_of_the_run_is_none_of_the_copy(tmp_path: Path) -> None:
    from codemods.delivery import proof, target

    (tmp_path / "play.py").write_text(PLAY)
    commit_all(tmp_path)
    where = target.to_migrate(tmp_path, False)
    with pytest.raises(OSError, match="Input/output"), proof._copy(where, {}, "--run") as folder:
        Unwritable()(folder)
    assert not folder.exists()


def test_a_copy_that_fails_names_the_flag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from codemods.delivery import proof, target
    from codemods.problem import Problem

    (tmp_path / "play.py").write_text(PLAY)
    commit_all(tmp_path)
    where = target.to_migrate(tmp_path, False)
    monkeypatch.setattr(proof, "_fill", lambda folder, *rest: Unwritable()(folder))
    why = "--run: the files can't be copied: Input/output error"
    with pytest.raises(Problem, match=f"^{why}$"), proof._copy(where, {}, "--run"):
        pass


@each_row(
    "options, words",
    [
        ({"verify": "a", "run": "b"}, "--verify and --run: give one of them"),
        ({"junit": Path("x.xml")}, "--verify-junit goes with --verify COMMAND"),
        ({"run": "b", "junit": Path("x.xml")}, "--verify-junit goes with --verify COMMAND"),
        ({"report": Path("x.json")}, "--verify-report goes with --verify COMMAND or --run COMMAND"),
        ({"verify": " "}, "--verify: the command is empty"),
        ({"run": ""}, "--run: the command is empty"),
        ({"verify": "a", "no_git": True}, "--verify works on copies of a commit: leave out --no-git"),
        ({"run": "a", "no_git": True}, "--run works on copies of a commit: leave out --no-git"),
        ({"no_git": True}, None),
        ({"verify": "a", "junit": Path("x.xml"), "report": Path("x.json")}, Verification("a", 3.0, Path("x.xml"),
                                                                                         Path("x.json"), False)),
        ({"run": "a", "report": Path("x.json")}, Verification("a", 3.0, None, Path("x.json"), True)),
    ],
)  # fmt: skip
def test_what_goes_together(options: dict[str, Any], words: str | Verification | None) -> None:
    given = {"verify": None, "run": None, "seconds": 3.0, "junit": None, "report": None, "no_git": False} | options
    if isinstance(words, str):
        with pytest.raises(Problem, match=f"^{words}$"):
            _verification(**given)
    else:
        assert _verification(**given) == words
