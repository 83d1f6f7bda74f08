"""What `diagnose` starts for its arguments, and with which options; and what it refuses before anything is started."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from codemods.diagnose import command, run
from codemods.diagnose.command import DiagnoseOptions
from codemods.diagnose.report import Diagnosis
from codemods.diagnose.run import diagnose_target
from codemods.problem import Problem

NOTHING = Diagnosis("python train.py", (), 0, 0, (), (), None, "3.11", 0, 1)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> list[tuple[Any, ...]]:
    """What would have been started."""
    calls: list[tuple[Any, ...]] = []

    def diagnose_run(arguments: Any, fork: bool, seconds: float, stop: bool) -> Diagnosis:
        calls.append((*arguments, fork, seconds, stop))
        return NOTHING

    def diagnose_target(target: str, python: str | None, seconds: float, child: bool) -> Diagnosis:
        calls.append((target, python, seconds, child))
        return NOTHING

    monkeypatch.setattr(run, "diagnose_run", diagnose_run)
    monkeypatch.setattr(run, "diagnose_target", diagnose_target)
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path))
    return calls


def diagnosed(*arguments: str, dashes: bool = True, **options: Any) -> int:
    return command.run_diagnose(arguments, dashes, DiagnoseOptions(**options), lambda data: None)


@pytest.mark.parametrize(
    ("options", "fork", "stop"),
    [({}, False, False), ({"dry_run_fork": True}, True, False), ({"watch": True}, True, True)],
)
def test_a_command_is_looked_at_under_fork_where_that_is_asked_for(
    options: dict[str, bool], fork: bool, stop: bool, started: list[tuple[Any, ...]]
) -> None:
    assert diagnosed("python", "train.py", seconds=7.0, **options) == 0
    assert started == [("python", "train.py", fork, 7.0, stop)]


def test_an_object_is_loaded_by_the_interpreter_that_is_named(started: list[tuple[Any, ...]]) -> None:
    assert diagnosed("train:rows", dashes=False, python="/usr/bin/python3", child=False) == 0
    assert started == [("train:rows", "/usr/bin/python3", 30.0, False)]


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (["python", "train.py"], {"dashes": False}, "give one TARGET, or a command after --"),
        (["python", "train.py"], {"python": "python3"}, "--python goes with a TARGET"),
        (["train:rows"], {"dashes": False, "watch": True}, "--watch goes with a command"),
        (["train:rows"], {"dashes": False, "dry_run_fork": True}, "--dry-run-fork goes with a command"),
        (["rows"], {"dashes": False}, "want pkg.mod:name"),
        (["-"], {"dashes": False, "python": "python3"}, "a traceback is only read"),
        (["-"], {"dashes": False, "watch": True}, "a traceback is only read"),
        (["-"], {"dashes": False, "dry_run_fork": True}, "a traceback is only read"),
    ],
)
def test_options_that_do_not_go_together(
    arguments: list[str], options: dict[str, Any], words: str, started: list[tuple[Any, ...]]
) -> None:
    with pytest.raises(Problem, match=words):
        diagnosed(*arguments, **options)
    assert started == []


@pytest.mark.skipif(os.name == "nt", reason="a script of the shell stands for an interpreter")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("printf 3.6", "this is Python 3.6; an object can be looked at from 3.7 on"),
        ("printf 2.7", "this is Python 2.7; an object can be looked at from 3.7 on"),
        ("printf 3.x", "no Python (it ended with exit code 0)"),
        ("printf x.3", "no Python (it ended with exit code 0)"),
        ("printf 3", "no Python (it ended with exit code 0)"),
        ("printf .3; exit 4", "no Python (it ended with exit code 4)"),
        ("exit 3", "no Python (it ended with exit code 3)"),
        ("printf 3.7", "ended with exit code 0 before it was done"),
        ("printf 4.0", "ended with exit code 0 before it was done"),
    ],
)
def test_what_no_object_can_be_looked_at_with(words: str, said: str, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{words}\n")
    python.chmod(0o755)
    with pytest.raises(Problem) as problem:
        diagnose_target("a.py:x", str(python))
    assert said in str(problem.value)
