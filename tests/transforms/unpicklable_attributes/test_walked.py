"""A list in the place of a generator begins again in each loop, and has what attributes are when it is made."""

from __future__ import annotations

import pytest

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
        for item in self.items:
            {in_loop}
        return found


rows = Rows(4)
{more}
print(list(DataLoader(rows, num_workers=1)))
"""


@pytest.mark.parametrize("in_loop", ["if item > index: break", "return item", "while True: break"])
def test_a_loop_that_ends_early_is_refused(in_loop: str) -> None:
    (finding,) = reported({"main.py": PROGRAM.format(in_loop=in_loop, more="")}, "unpicklable-attributes")
    assert finding.fix is None and "line 15 may end early" in (finding.reason or "")


@pytest.mark.parametrize(
    ("more", "late"), [("rows.scale = 3", "self.scale` item by item, which is set at main.py:21"), ("rows.n = 3", "")]
)
def test_the_message_says_what_is_read_late(more: str, late: str) -> None:
    program = PROGRAM.format(in_loop="found.append(item)", more=more)
    (finding,) = reported({"main.py": program}, "unpicklable-attributes")
    assert finding.fix is not None and finding.fix.unsafe is not None
    assert late in finding.fix.unsafe and ("item by item" in finding.fix.unsafe) is bool(late)
