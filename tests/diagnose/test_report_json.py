"""The JSON form of a diagnosis, key by key: a contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.diagnose.report import Diagnosis, Obstacle, Place, Weight

UNKNOWN = "ValueError: nobody knows these words"
LOCK = "TypeError: cannot pickle '_thread.lock' object"


def test_an_empty_diagnosis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Diagnosis("data").to_json() == {
        "target": "data",
        "picklable": True,
        "problems": [],
        "payload_bytes": 0,
        "shared_bytes": 0,
        "payload": [],
        "notes": [],
        "unfinished": None,
        "python": "",
        "root": tmp_path.as_posix(),
    }


def test_everything_that_a_diagnosis_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    obstacle = Obstacle(
        "x.rows", "Rows", UNKNOWN, Place(str(tmp_path / "a.py"), 3), Place("/code/b.py", 4, user=False), 5, "child",
        "a start", Place(str(tmp_path / "sub" / "c.py"), 6), 7, None, (0, 2),
    )  # fmt: skip
    said = Diagnosis(
        "data",
        (obstacle,),
        10,
        20,
        (Weight("x", 8, 9), Weight("y", 1)),
        ("one", "two"),
        "no time",
        "3.11",
        root="/code",
    ).to_json()
    (problem,) = said.pop("problems")
    assert said == {
        "target": "data",
        "picklable": False,
        "payload_bytes": 10,
        "shared_bytes": 20,
        "payload": [{"path": "x", "bytes": 8, "shared_bytes": 9}, {"path": "y", "bytes": 1, "shared_bytes": 0}],
        "notes": ["one", "two"],
        "unfinished": "no time",
        "python": "3.11",
        "root": "/code",
    }
    assert problem == {
        "path": "x.rows",
        "type": "Rows",
        "error": UNKNOWN,
        "rule": None,
        "assigned_at": {"path": "a.py", "line": 3},
        "payload_bytes": 5,
        "defined_at": {"path": "/code/b.py", "line": 4},
        "side": "child",
        "context": "a start",
        "started_at": {"path": "sub/c.py", "line": 6},
        "more": 7,
        "cause": None,
        "advice": None,
        "reference": None,
        "ranks": [0, 2],
    }


def test_what_is_known_of_an_error() -> None:
    obstacle = Obstacle("x", "lock", LOCK)
    (problem,) = Diagnosis("data", (obstacle,)).to_json()["problems"]
    cause = obstacle.cause
    assert cause is not None and problem["rule"] == obstacle.rule == "unpicklable-attributes"
    assert (problem["cause"], problem["advice"]) == (cause.what, cause.advice)
    assert problem["context"] is problem["assigned_at"] is problem["defined_at"] is problem["started_at"] is None
    assert problem["reference"] == ((cause.known.reference if cause.known else "") or None)
