"""What `benchmarks/fast_part.py` takes out of the fast part: what others execute too, and the dearest of it."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest
from conftest import DEAR
from coverage import CoverageData

from harness.tools import benchmark

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return benchmark("fast_part")


@pytest.mark.parametrize(
    ("lines", "save", "chosen"),
    [
        ({"a": "1", "b": "2"}, 9, []),  # each is the only one
        ({"a": "12", "b": "1", "c": "1"}, 9, ["b", "c"]),  # 2 would be lost without the dearest
        ({"a": "1", "b": "1"}, 9, ["a"]),  # the other one stays
        ({"a": "1", "b": "1", "c": "1", "d": "1"}, 99, ["a", "b", "c"]),
        ({"a": "1", "b": "1", "c": "1", "d": "1"}, 1, ["a"]),  # that is enough
        ({"a": "12", "b": "12", "c": "1", "d": "2"}, 9, ["a", "b"]),
        ({"a": "12", "b": "1", "c": "2", "d": "2"}, 9, ["a", "c"]),
    ],
)
def test_no_line_loses_its_last_tests(tool: ModuleType, lines: dict[str, str], save: float, chosen: list[str]) -> None:
    executed = {test: {(0, int(line)) for line in each} for test, each in lines.items()}
    seconds = {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0, "e": 1.0}
    assert tool.dispensable(executed, seconds, save) == chosen


def test_what_goes_together(tool: ModuleType) -> None:
    seconds = {"a.py::one[c::d[1]]": 0.01, "a.py::one[2]": 0.01, "a.py::two[1]": 0.01, "a.py::two[2]": 0.5}
    seconds |= {"a.py::three[a]": 0.5, "a.py::three[a word]": 0.01, "a.py::four": 0.5}
    assert tool.grouped(seconds) == {
        **dict.fromkeys(["a.py::one[c::d[1]]", "a.py::one[2]"], "a.py::one"),
        "a.py::two[1]": "a.py::two[1]",
        "a.py::two[2]": "a.py::two[2]",
        **dict.fromkeys(["a.py::three[a]", "a.py::three[a word]"], "a.py::three"),
        "a.py::four": "a.py::four",
    }


def test_the_cheapest_come_back(tool: ModuleType) -> None:
    recorded = {"a.py::one[1]": 1.0, "a.py::one[2]": 1.0, "a.py::two[1]": 0.5, "a.py::two[2]": 9.0, "a.py::three": 3.0}
    listed = ["a.py::one", "a.py::two[1]", "a.py::three", "a.py::gone"]
    for room, chosen in ((0.4, []), (2.4, ["a.py::two[1]"]), (2.5, ["a.py::two[1]", "a.py::one"])):
        assert tool.cheapest(listed, recorded, room) == chosen
    assert tool.cheapest(listed, recorded, 99) == ["a.py::two[1]", "a.py::one", "a.py::three"]


def test_what_is_executed(tool: ModuleType, tmp_path: Path) -> None:
    data = CoverageData(str(tmp_path / "data"))
    for test, lines in (("a.py::one[1]|run", [1, 2]), ("a.py::one[2]", [3]), ("a.py::two", [3]), ("", [9])):
        data.set_context(test)
        data.add_lines({"x.py": lines})
    data.write()
    group = {"a.py::one[1]": "a.py::one", "a.py::one[2]": "a.py::one", "a.py::two": "a.py::two"}
    found = tool.executed(tmp_path / "data", group)
    assert {test: {line for _, line in each} for test, each in found.items()} == {
        "a.py::one": {1, 2, 3},
        "a.py::two": {3},
    }


def test_every_dear_test_is_there() -> None:
    listed = defaultdict[str, list[str]](list)
    for test in DEAR:
        path, _, name = test.partition("::")
        listed[path].append(name.partition("[")[0])
    for path, names in listed.items():
        text = (ROOT / path).read_text(encoding="utf-8")
        lost = [name for name in names if not re.search(rf"(?m)^def {re.escape(name)}\(", text)]
        assert not lost, f"tests/dear_tests.txt lists {lost} of {path}"


def test_dear_tests_are_slow_and_in_process(request: pytest.FixtureRequest) -> None:
    for item in request.session.items:
        marks = {mark.name for mark in item.iter_markers()}
        assert ("dear" in marks) == (item.nodeid in DEAR or item.nodeid.partition("[")[0] in DEAR)
        assert "dear" not in marks or {"slow", "in_process"} <= marks
