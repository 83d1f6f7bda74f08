"""`explain`: which findings fit an error best, and how many fit less well."""

from __future__ import annotations

import pytest

from codemods.diagnose.explain import Explanation
from harness.each_row import each_row
from harness.explained import explained_in

PROGRAM = """\
import threading
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, out):
        self.lock = threading.Lock()
        self.out = open(out)
        self.first = lambda row: row[0]

    def scale(self, by):
        self.second = lambda row: row * by

        def third(row):
            return row + by

        self.third = third


class Others(Dataset):
    def __init__(self):
        self.first = lambda row: row[0]


for row in DataLoader(Rows("log"), num_workers=2):
    pass
for row in DataLoader(Others(), num_workers=2):
    pass
"""


def line_of(text: str, nth: int = 1) -> int:
    """The line of the `nth` place that has `text`."""
    return [number for number, line in enumerate(PROGRAM.splitlines(), 1) if text in line][nth - 1]


def explained(error: str, path: str = "train.py") -> Explanation:
    return explained_in(error, {path: PROGRAM.encode()})


def best(error: str) -> list[tuple[int, int]]:
    """(line, score) of what is shown."""
    return [(each.finding.span.line, each.score) for each in explained(error).candidates]


@each_row(
    ("error", "places", "score"),
    [
        pytest.param(
            "AttributeError: Can't pickle local object 'Rows.__init__.<locals>.<lambda>'",
            [("self.first = lambda", 1)],
            8,
            id="a lambda of one class",
        ),
        pytest.param(
            "AttributeError: Can't pickle local object 'Others.__init__.<locals>.<lambda>'",
            [("self.first = lambda", 2)],
            8,
            id="a lambda of the other",
        ),
        pytest.param(
            "AttributeError: Can't pickle local object 'Rows.scale.<locals>.<lambda>'",
            [("self.second = lambda", 1)],
            8,
            id="a lambda beside a function",
        ),
        pytest.param(
            "AttributeError: Can't pickle local object 'Rows.scale.<locals>.third'",
            [("def third", 1)],
            8,
            id="a function beside a lambda",
        ),
        pytest.param("TypeError: cannot pickle '_thread.lock' object", [("threading.Lock()", 1)], 2, id="a lock"),
        pytest.param("TypeError: cannot pickle '_io.TextIOWrapper' object", [("open(out)", 1)], 2, id="a file"),
    ],
)
def test_what_fits_best(error: str, places: list[tuple[str, int]], score: int) -> None:
    assert best(error) == [(line_of(*place), score) for place in places]


def test_those_that_fit_less_well_are_counted() -> None:
    found = explained("TypeError: cannot pickle '_thread.lock' object")
    assert (len(found.candidates), found.others) == (1, 1)  # the file is the other
    found = explained("TypeError: cannot pickle 'sqlite3.Connection' object")
    assert (found.candidates, found.others) == ((), 2)  # nothing of the error speaks for one of them
    assert found.command is None


def test_a_frame_of_the_file_counts_a_little() -> None:
    frame = 'Traceback (most recent call last):\n  File "/home/ada/train.py", line 26, in <module>\n    for row in x:\n'
    lock = "TypeError: cannot pickle '_thread.lock' object"
    assert best(frame + lock) == [(line_of("threading.Lock()"), 3)]
    # all files that the text names are another program's: the type alone is not enough
    assert best(frame.replace("train.py", "test.py") + lock) == []
    assert best(lock) == [(line_of("threading.Lock()"), 2)]


def test_an_attribute_that_the_traceback_names_counts() -> None:
    note = "when serializing dict item 'out'\nwhen serializing train.Rows state\n"
    error = "TypeError: cannot pickle '_thread.lock' object\n"
    with_note, without = best(error + note), best(error)
    assert without == [(line_of("threading.Lock()"), 2)]
    assert with_note == [(line_of("open(out)"), 4)]


def test_a_type_that_fits_in_many_files_is_a_question() -> None:
    lock = "TypeError: cannot pickle '_thread.lock' object"
    few, many = (explained_in(lock, {f"part_{n}/train.py": PROGRAM.encode() for n in range(count)}) for count in (3, 4))
    assert [item.finding.path for item in few.candidates] == [f"part_{n}/train.py" for n in range(3)]
    assert not few.alike
    assert not many.candidates and many.command is None
    assert {item.path for item in many.alike} == {f"part_{n}/train.py" for n in range(4)}
    assert {item.span.line for item in many.alike} == {line_of("threading.Lock()")}
    frame = 'Traceback (most recent call last):\n  File "part_2/train.py", line 26, in <module>\n    for row in x:\n'
    named = explained_in(frame + lock, {f"part_{n}/train.py": PROGRAM.encode() for n in range(4)})
    assert [item.finding.path for item in named.candidates] == ["part_2/train.py"]


@each_row(("module", "found"), [("train", True), ("pkg.train", True), ("other", False), ("rain", False)])
def test_a_lambda_without_a_holder_is_any_of_its_module(module: str, found: bool) -> None:
    error = f"PicklingError: Can't pickle <function <lambda> at 0x7f>: attribute lookup <lambda> on {module} failed"
    candidates = explained_in(error, {"pkg/train.py": PROGRAM.encode()}).candidates
    lines = [number for number, line in enumerate(PROGRAM.splitlines(), 1) if "lambda" in line] if found else []
    assert [(each.finding.span.line, each.score) for each in candidates] == [(line, 4) for line in lines]
