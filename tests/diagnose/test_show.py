"""A diagnosis as people read it: the whole text, in each of its shapes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from codemods.diagnose.report import Diagnosis, Obstacle, Place, Weight
from codemods.diagnose.show import _steps, show_diagnosis, size
from harness.each_row import each_row

VIEW = "TypeError: cannot pickle 'dict_keys' object"
LAMBDA = "AttributeError: Can't pickle local object 'build.<locals>.<lambda>'"


def shown(diagnosis: Diagnosis, saved: str | None = None) -> list[str]:
    console = Console(file=io.StringIO(), width=60, color_system=None, highlight=False)
    show_diagnosis(diagnosis, saved, console)
    assert isinstance(console.file, io.StringIO) and console.width == 60
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("diagnosis", "line"),
    [
        (Diagnosis("data"), "data: nothing is in the way of spawn"),
        (
            Diagnosis("train.py", exit_code=0),
            "train.py: nothing that it sent to other processes failed"
            " (what is forked is looked at with --dry-run-fork)",
        ),
        (
            Diagnosis("train.py", exit_code=0, watched=2),
            "train.py: nothing that it sends to other processes would fail under spawn"
            " (starts of processes looked at: 2)",
        ),
    ],
)
def test_nothing_in_the_way(diagnosis: Diagnosis, line: str) -> None:
    assert shown(diagnosis) == [line]


def test_a_tree_of_what_is_in_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    here, there = Place(str(tmp_path / "a.py"), 7), Place(str(tmp_path / "b.py"), 2)
    library = Place("/lib/x.py", 9, user=False)
    obstacles = (
        Obstacle("data.cfg.names", "dict_keys", VIEW, here, here, more=3),
        Obstacle("data.cfg.tfm[0].fn", "function", LAMBDA, there, here, side="child"),
        Obstacle("data.cfg.tfm[0].other", "", LAMBDA, library, None, started_at=here),
        Obstacle("data.last", "Odd", "OddError: of theirs"),
    )
    lines = shown(Diagnosis("data", obstacles, notes=("one", "two"), unfinished="stopped"))
    assert lines[0] == "data: 7 problems that keep it from reaching a spawned worker"
    tree = lines[1 : lines.index("")]
    assert tree == [
        "data",
        "├── data.cfg",
        "│   ├── .names  dict_keys",
        f"│   │   ├── {VIEW}",
        "│   │   ├── assigned at a.py:7",
        "│   │   └── and 3 more like it",
        "│   └── .tfm[0]",
        "│       ├── .fn  function  (fails in the worker)",
        f"│       │   ├── {LAMBDA}",
        "│       │   ├── assigned at b.py:2",
        "│       │   └── created at a.py:7",
        "│       └── .other",
        f"│           ├── {LAMBDA}",
        "│           ├── at /lib/x.py:9 (installed, not yours)",
        "│           └── started at a.py:7",
        "└── data.last  Odd",
        "    └── OddError: of theirs",
    ]
    rest = lines[len(tree) + 1 :]
    assert [line.partition(":")[0] for line in rest if line and not line.startswith(" ")] == [
        "dict-views", "lambdas", "note", "note", "not complete", "fix what has a rule",
        "or save this (--save d.json), and have these very places fixed",
    ]  # fmt: skip
    assert "note: one" in rest and "not complete: stopped" in rest
    assert "fix what has a rule: spawnfix migrate . --select dict-views,lambdas" in rest
    assert "" in rest[: rest.index("note: one")]


def test_one_problem_of_a_program_that_ran(tmp_path: Path) -> None:
    obstacle = Obstacle("Process.args[0]", "dict_keys", VIEW, context="Process(target=run)")
    lines = shown(Diagnosis("train.py", (obstacle,), exit_code=1), saved="a b.json")
    assert lines[:2] == ["train.py: 1 problem at process boundaries", "Process(target=run)"]
    assert lines[-1] == "fix what has a rule: spawnfix migrate . --from 'a b.json'"
    (first,) = shown(Diagnosis("x", (Obstacle("x", "", VIEW),)))[:1]
    assert first == "x: 1 problem that keeps it from reaching a spawned worker"


def test_what_has_no_rule_has_no_next_step() -> None:
    lines = shown(Diagnosis("x", (Obstacle("x.y", "Odd", "OddError: of theirs"),)))
    assert lines == ["x: 1 problem that keep it from reaching a spawned worker".replace("keep", "keeps"),
                     "x", "└── x.y  Odd", "    └── OddError: of theirs"]  # fmt: skip


def test_characters_that_steer_a_terminal_are_shown() -> None:
    lines = shown(Diagnosis("x\x1b[2J", (Obstacle("x['\x07']", "T\x1b", "E: \x9b"),), notes=("\x1b",)))
    assert not any(ord(letter) < 32 or letter in "\x7f\x9b" for line in lines for letter in line)


def test_what_weighs() -> None:
    weights = tuple(Weight(f"data.part{number}", 10**number, 5 * 10**6 * (number == 7)) for number in range(9, 1, -1))
    assert shown(Diagnosis("data", payload_bytes=(1 << 20) - 1, shared_bytes=(1 << 20) - 1, payload=weights))[1:] == []
    lines = shown(Diagnosis("data", payload_bytes=1 << 20, payload=weights))[1:]
    assert lines == [
        "",
        "payload: every worker is sent 1.0 MB, and makes a copy of its own",
        "     1.0 GB  data.part9",
        "   100.0 MB  data.part8",
        "    10.0 MB  data.part7  (+ 5.0 MB shared)",
        "     1.0 MB  data.part6",
        "   100.0 KB  data.part5",
        "    10.0 KB  data.part4",
    ]
    assert shown(Diagnosis("data", shared_bytes=1 << 20))[2].startswith("payload: every worker is sent 0 bytes")


@each_row(
    ("number", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 KB"), (999_949, "999.9 KB"), (10**6, "1.0 MB"), (10**9, "1.0 GB"),
     (25 * 10**11, "2500.0 GB")],
)  # fmt: skip
def test_sizes(number: int, words: str) -> None:
    assert size(number) == words


@each_row(
    ("path", "steps"),
    [
        ("data.tfm[0].fn", ["data", ".tfm", "[0]", ".fn"]),
        ("build(1).a", ["build(1)", ".a"]),
        ("a.get(x)['k']", ["a", ".get(x)", "['k']"]),
        ("a", ["a"]),
        ("[1].x", ["[1].x"]),
        ("a + b", ["a + b"]),
    ],
)
def test_steps_of_a_path(path: str, steps: list[str]) -> None:
    assert _steps(path) == steps
