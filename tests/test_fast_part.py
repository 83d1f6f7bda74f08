"""What `benchmarks/fast_part.py` takes out of the fast part: what others execute too, and the dearest of it."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest
from conftest import DEAR

from harness.tools import benchmark

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return benchmark("fast_part")


@pytest.mark.parametrize(
    ("lines", "save", "chosen"),
    [
        ({"a": "1", "b": "2"}, 9, []),  # each is the only one
        ({"a": "12", "b": "1", "c": "1"}, 9, ["b"]),  # 2 would be lost without the dearest; of three, two stay for 1
        ({"a": "1", "b": "1", "c": "12"}, 9, ["a"]),
        ({"a": "1", "b": "1"}, 9, ["a"]),  # the other one stays
        ({"a": "1", "b": "1", "c": "1", "d": "1"}, 9, ["a", "b"]),
        ({"a": "1", "b": "1", "c": "1", "d": "1"}, 1, ["a"]),  # that is enough
        ({"a": "12", "b": "1", "c": "1", "d": "1", "e": "2"}, 9, ["a", "b"]),
    ],
)
def test_no_line_loses_its_last_tests(tool: ModuleType, lines: dict[str, str], save: float, chosen: list[str]) -> None:
    executed = {test: {(0, int(line)) for line in each} for test, each in lines.items()}
    seconds = {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0, "e": 1.0}
    assert tool.dispensable(executed, seconds, save) == chosen


def test_parameters_are_no_part_of_the_function(tool: ModuleType) -> None:
    assert tool.function_of("tests/test_a.py::test_b[c::d[1]]") == "tests/test_a.py::test_b"


def test_every_dear_test_is_there() -> None:
    listed = defaultdict[str, list[str]](list)
    for test in DEAR:
        path, _, name = test.partition("::")
        listed[path].append(name)
    for path, names in listed.items():
        text = (ROOT / path).read_text(encoding="utf-8")
        lost = [name for name in names if not re.search(rf"(?m)^def {re.escape(name)}\(", text)]
        assert not lost, f"tests/dear_tests.txt lists {lost} of {path}"


def test_dear_tests_are_slow_and_in_process(request: pytest.FixtureRequest) -> None:
    for item in request.session.items:
        marks = {mark.name for mark in item.iter_markers()}
        assert ("dear" in marks) == (item.nodeid.partition("[")[0] in DEAR)
        assert "dear" not in marks or {"slow", "in_process"} <= marks
