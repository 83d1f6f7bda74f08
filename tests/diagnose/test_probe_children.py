"""The probe's child: what it says when importing the program ends it, and the name of the whole."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from codemods.diagnose import probe
from harness.each_row import each_row

NOTHING = "the child ended with exit code 1 while it imported the program"


def died(text: str, code: int | None = 1) -> dict[str, Any]:
    result: dict[str, Any] = {"picklable": True, "problems": [], "notes": []}
    probe._died(result, "rows", text, code, 3.0)
    return result


@each_row(
    ("text", "error"),
    [
        pytest.param("", NOTHING, id="nothing said"),
        pytest.param("loading\nKeyError: 'RANK'\n", "KeyError: 'RANK'", id="an error"),
        pytest.param("ValueError: first\nKeyError: 'last'\n", "KeyError: 'last'", id="the last error"),
        pytest.param("torch.cuda.OutOfMemoryError: full\n", "torch.cuda.OutOfMemoryError: full", id="a dotted name"),
        pytest.param("  KeyError: 'x'\n", NOTHING, id="inside"),
        pytest.param(
            "RuntimeError:\n    An attempt has been made\n    to start\n    a new process\n    before\n",
            "RuntimeError: An attempt has been made to start a new process",
            id="an error that goes on",
        ),
        pytest.param("RuntimeError: short\nmore\n", "RuntimeError: short", id="an error that ends"),
    ],
)
def test_the_error_of_a_child_that_died(text: str, error: str) -> None:
    (problem,) = died(text)["problems"]
    assert (problem["path"], problem["error"], problem["side"]) == ("rows", error, "child")


def test_a_child_that_takes_too_long_is_noted() -> None:
    result = died("KeyError: 'RANK'\n", None)
    assert result["problems"] == [] and result["picklable"]
    (note,) = result["notes"]
    assert "within 3 seconds" in note


def test_a_child_makes_each_part_once_and_none_that_failed() -> None:
    whole, lost, deep, flat = {"a": 1}, [2], [3], [4]
    look = SimpleNamespace(samples={each: (each, part) for each, part in zip("wlx", (whole, lost, flat), strict=True)})
    look.samples["x.deep"] = ("x.deep", deep)
    result = {"picklable": True, "unfinished": False, "target": "w", "problems": [{"path": "l"}]}
    sent = [(path, part) for path, part, _ in probe._parcels(whole, result, look)]
    assert sent == [("x.deep", deep), ("x", flat), ("w", whole)]
    for state in ({"picklable": False}, {"unfinished": True}):  # the whole can't be sent, or may hold more that can't
        assert [path for path, _, _ in probe._parcels(whole, result | state, look)] == ["x.deep", "x"]


def test_the_name_of_the_whole_is_the_one_that_was_asked_for() -> None:
    found = probe.diagnose([1, 2], "numbers", child=False)
    assert (found["target"], found["picklable"], found["problems"]) == ("numbers", True, [])
    found = probe.diagnose({"a": lambda: 1}, "table", child=False)
    assert (found["target"], found["picklable"]) == ("table", False)
    assert [row["path"] for row in found["problems"]] == ["table['a']"]
