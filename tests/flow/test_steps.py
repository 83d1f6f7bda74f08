"""Where a value is passed on, on its way to a boundary."""

from __future__ import annotations

from test_flow import crossings

STORES = """\
from torch.utils.data import DataLoader

class Rows:
    def __init__(self, flag):
        self.make = len
        make = lambda row: row
        if flag:
            self.make = make
        else:
            self.make = make

    def __getitem__(self, at):
        return self.make(at)

class Other:
    def __init__(self):
        self.make = len

DataLoader(Rows(1), num_workers=2)
print(Other().make)
"""


def test_each_line_that_stores_the_value_and_none_that_stores_another() -> None:
    [crossing] = crossings({"a.py": STORES})
    assert crossing.steps == ((("a.py", 8), ("a.py", 10)), ())  # then it waits on the object
