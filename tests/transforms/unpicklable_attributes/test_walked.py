"""A list in the place of a generator begins again in each loop, and has what attributes are when it is made."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
from torch.utils.data import DataLoader


class Rows:
    def __init__(self, n):
        self.scale = 1
        self.n = n
        self.items = (i * self.scale for i in range(self.n))

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        found = []
        for item in {walked}:
            {in_loop}
        return found


rows = Rows(4)
{more}
print(list(DataLoader(rows, num_workers=1)))
"""


@pytest.mark.parametrize("in_loop", ["if item > index: break", "return item", "while item: return item"])
def test_a_loop_that_ends_early_is_refused(in_loop: str) -> None:
    program = PROGRAM.format(walked="self.items", in_loop=in_loop, more="")
    (finding,) = reported({"main.py": program}, "unpicklable-attributes")
    assert finding.fix is None and "line 15 may end early" in (finding.reason or "")


@each_row(
    ("walked", "in_loop", "early"),
    [
        ("self.items", "while True: break", False),
        ("self.items", "for part in range(item):\n                if part: break", False),
        ("self.items", "for part in range(item): pass\n            else: break", True),
        ("self.items", "def last(): return item", False),
        ("enumerate(self.items)", "if item[0] > index: break", True),
        ("list(self.items)", "if item > index: break", False),
        ("[2 * each for each in self.items]", "if item > index: break", False),
        ("zip(range(2), self.items)", "pass", True),
        ("list(zip(self.items, range(2)))", "pass", True),
        ("zip(self.items)", "pass", False),
        ("map(abs, self.items)", "pass", False),
        ("map(min, range(2), self.items)", "pass", True),
        ("itertools.islice(self.items, 2)", "pass", True),
        ("[any(each for each in self.items)]", "pass", True),
        ("[3 in self.items]", "pass", True),
        ("found", "found += self.items", False),
    ],
)
def test_what_ends_early(walked: str, in_loop: str, early: bool) -> None:
    program = PROGRAM.format(walked=walked, in_loop=in_loop, more="")
    (finding,) = reported({"main.py": program}, "unpicklable-attributes")
    assert ("may end early" in (finding.reason or "")) is early
    assert (finding.fix is None) is early


@pytest.mark.parametrize(
    ("more", "late"), [("rows.scale = 3", "self.scale` item by item, which is set at main.py:21"), ("rows.n = 3", "")]
)
def test_the_message_says_what_is_read_late(more: str, late: str) -> None:
    program = PROGRAM.format(walked="self.items", in_loop="found.append(item)", more=more)
    (finding,) = reported({"main.py": program}, "unpicklable-attributes")
    assert finding.fix is not None and finding.fix.unsafe is not None
    assert late in finding.fix.unsafe and ("item by item" in finding.fix.unsafe) is bool(late)
