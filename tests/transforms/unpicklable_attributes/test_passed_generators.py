"""Generators and files that a class gets as an argument and keeps as they are, or through `iter`."""

from __future__ import annotations

import pytest

from codemods.engine.migrate import check
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

KEEPER = """\
class Locked:
    def __init__(self, rows):
        self.rows = {kept}

    def __next__(self):
        return next(self.rows)
"""
PROGRAM = """\
import itertools
from multiprocessing import Process
from keeper import Locked


def few(n):
    yield from range(n)


def endless(n):
    while True:
        yield n


class Job:
    def places(self, n):
        yield from range(n)

    def __init__(self):
        self.rows = Locked({given})

    def run(self):
        print(next(self.rows))


if __name__ == "__main__":
    Process(target=Job().run).start()
"""


def reasons(kept: str, given: str, parameters: str = "rows") -> list[str]:
    """What is said of the attribute of `Locked`, by reason."""
    keeper = KEEPER.format(kept=kept).replace("self, rows", f"self, {parameters}")
    files = {"main.py": PROGRAM.format(given=given), "keeper.py": keeper}
    report = check(MemoryFiles({path: text.encode() for path, text in files.items()}), SETTINGS)
    return [str(finding.reason) for finding in report.findings if finding.path == "keeper.py"]


SETTINGS = Settings(select=("unpicklable-attributes",))


@pytest.mark.parametrize("kept", ["rows", "iter(rows)", "rows.__iter__()"])
@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("few(3)", "it is passed in (main.py:20); pass a list there, unless others read on from the same generator"),
        (
            "self.places(3)",
            "it is passed in (main.py:20); pass a list there, unless others read on from the same generator",
        ),
        (
            "endless(3)",
            "it is passed in (main.py:20) and may never end; pass what it is made from, and make it in the worker",
        ),
    ],
)
def test_a_generator_that_is_passed(kept: str, given: str, reason: str) -> None:
    assert reasons(kept, given) == [reason]


@each_row("kept", ["list(rows)", "len(rows)", "iter(rows, None)", "iter([1])"])
def test_what_does_not_keep_it(kept: str) -> None:
    assert reasons(kept, "few(3)") == []


@pytest.mark.parametrize("given", ["[3]", "range(3)", "list(few(3))"])
def test_what_can_be_pickled(given: str) -> None:
    assert reasons("rows", given) == []


@each_row(
    ("parameters", "taken"),
    [
        ("rows, limit=None", True),
        ("*others, rows=()", False),
        ("others=(), *, rows=()", False),
        ("others, rows=()", False),
    ],
)
def test_what_is_passed_by_position_goes_to_no_keyword(parameters: str, taken: bool) -> None:
    assert bool(reasons("rows", "few(3)", parameters)) is taken
