"""verify: edits that overlap, lie outside the file, or are not what the result holds."""

from __future__ import annotations

import pytest

from codemods.engine.verify import verify
from codemods.finding import Edit
from codemods.tree.source import Source
from harness.each_row import each_row

TEXT = "first = 1\nsecond = 2\nthird = 3\n"


def judged(after: str, *edits: tuple[int, int, str], path: str = "a.py") -> str | None:
    return verify(Source(path, TEXT), after, [Edit(path, *edit) for edit in edits])


def test_edits_side_by_side_are_fine() -> None:
    after = "f = 1\ns = 2\nthird = 3\n"
    assert judged(after, (0, 5, "f"), (10, 16, "s")) is None
    assert judged(after, (10, 16, "s"), (0, 5, "f")) is None  # in any order
    assert judged("f = 1\nsecond = 2\nthird = 3\n", (0, 2, "f"), (2, 5, "")) is None  # one ends where one begins


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param([(0, 5, TEXT[:5]), (4, 9, TEXT[4:9])], id="they overlap"),
        pytest.param([(0, 9, TEXT[:9]), (2, 3, TEXT[2])], id="one inside the other"),
        pytest.param([(5, 2, "")], id="the end before the start"),
        pytest.param([(len(TEXT), len(TEXT) + 1, "")], id="past the end"),
        pytest.param([(-1, 0, "x")], id="before the start"),
        pytest.param([(0, 5, TEXT[:5]), (0, 5, TEXT[:5])], id="twice the same"),
    ],
)
@pytest.mark.parametrize("path", ["a.py", "a.sh", "a.txt"])
def test_edits_that_can_not_all_be_applied(edits: list[tuple[int, int, str]], path: str) -> None:
    assert judged(TEXT, *edits, path=path) == "two edits overlap, or one lies outside the file"


@each_row(
    ("after", "edit"),
    [
        pytest.param("f = 1\nsecond = 2\nthird = 4\n", (0, 5, "f"), id="after the edit"),
        pytest.param("g = 1\nsecond = 2\nthird = 3\n", (0, 5, "f"), id="in the edit"),
        pytest.param("F = 1\ns = 2\nthird = 3\n", (10, 16, "s"), id="before the edit"),
        pytest.param(TEXT + "\n", (0, 5, "first"), id="more at the end"),
        pytest.param(TEXT[:-1], (0, 5, "first"), id="less at the end"),
    ],
)
def test_a_result_that_differs_elsewhere(after: str, edit: tuple[int, int, str]) -> None:
    assert judged(after, edit) == "text outside the edited places changed"
