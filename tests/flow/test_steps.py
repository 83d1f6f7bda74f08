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


def test_an_attribute_is_taken_where_the_code_stands_that_reads_it() -> None:
    base = "class Base:\n    def maker(self):\n\n\n        return self.make\n"
    rows = (
        "from base import Base\n\n\nclass Rows(Base):\n    def __init__(self):\n        self.make = lambda row: row\n"
    )
    sends = "from torch.utils.data import DataLoader\nfrom rows import Rows\n\nkey = Rows().maker()\n"
    sends += "DataLoader([1], num_workers=2, collate_fn=key)\n"
    [crossing] = crossings({"base.py": base, "rows.py": rows, "train.py": sends})
    steps = [place for step in crossing.steps for place in step]
    assert ("base.py", 5) in steps
    assert ("rows.py", 5) not in steps
