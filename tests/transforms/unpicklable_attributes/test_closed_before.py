"""unpicklable-attributes: what is open only while the constructor works does not cross."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reported

RULE = "unpicklable-attributes"
PROGRAM = """\
import sqlite3
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.size = None
        self.conn = None
        self.count()
    def open(self):
        self.conn = sqlite3.connect(self.path)
    def close(self):
        if self.conn is not None:
            self.conn.close()
        self.conn = None
    def count(self):
        {count}
    def __len__(self):
        if self.size is None:
            self.open()
            self.close()
        return 3
    def total(self):
        if self.conn is None:
            self.open()
        return self.conn.execute('select 1').fetchone()
    def __getitem__(self, at):
        if self.conn is None:
            self.open()
        return self.conn.execute('select ?', (at,)).fetchone()
def make():
    return Rows('a.db'), Rows('b.db')
def main():
    data, other = make()
    {line}
    for row in DataLoader(data, num_workers=2):
        print(row)
if __name__ == '__main__':
    main()
"""
CLOSED = [
    pytest.param("self.open(); self.n = 3; self.close()", id="in a row"),
    pytest.param("self.open(); self.conn.close(); self.conn = None", id="set to None"),
    pytest.param("self.open(); self.close(); del self.size", id="something deleted behind"),
    pytest.param("self.open(); del self.conn; self.conn = None", id="deleted"),
    pytest.param(
        "\n        try:\n            self.open(); self.n = 3\n        finally:\n            self.close()", id="finally"
    ),
    pytest.param(
        "self.open()\n        while True:\n            if self.size: break\n            break\n        self.close()",
        id="a loop between",
    ),
    pytest.param("\n        if self.path:\n            self.open()\n        self.close()", id="opened in a branch"),
    pytest.param(
        "self.open()\n        if self.path:\n            self.close()\n        else:\n            self.conn = None",
        id="both branches",
    ),
]
LEFT_OPEN = [
    pytest.param("self.open()", id="not closed"),
    pytest.param("self.open(); self.conn.close()", id="closed and kept"),
    pytest.param("self.close(); self.open()", id="the other order"),
    pytest.param("self.open(); self.close(); self.open()", id="opened again"),
    pytest.param("self.open(); self.close(); self.total()", id="opened again by another method"),
    pytest.param("self.open()\n        if self.path: return\n        self.close()", id="returns between"),
    pytest.param("self.open()\n        if self.path: self.close()", id="closed in one branch"),
    pytest.param(
        "\n        while self.path:\n            self.open()\n            if self.n: break\n            self.close()",
        id="leaves the loop between",
    ),
    pytest.param(
        "\n        try:\n            self.open(); self.n = 3; self.close()\n        except OSError:\n            pass",
        id="an error between is handled",
    ),
    pytest.param("self.open(); self.close(); open_all(self)", id="handed to a function that is not in sight"),
]


@each_row("count", CLOSED)
def test_closed_again(count: str) -> None:
    files = {"a.py": PROGRAM.format(count=count, line="pass")}
    assert reported(files, RULE) == [] and migrated(files, RULE) == {}


@each_row("count", LEFT_OPEN)
def test_left_open(count: str) -> None:
    found = reported({"a.py": PROGRAM.format(count=count, line="pass")}, RULE)
    assert [each.span.line for each in found] == [10], found


def test_opened_again_by_who_sends_it() -> None:
    files = {"a.py": PROGRAM.format(count="self.open(); self.close()", line="print(data.total())")}
    (found,) = reported(files, RULE)
    assert found.trace[-2].what == "`data.total` is used before, which opens it" and found.fix is not None


@pytest.mark.parametrize("line", ["print(data.path)", "data.count()", "ask = lambda: data.total()"])
def test_not_opened_by_who_sends_it(line: str) -> None:
    assert reported({"a.py": PROGRAM.format(count="self.open(); self.close()", line=line)}, RULE) == []


@pytest.mark.parametrize(
    ("count", "lines"),
    [
        ("self.open(); self.conn = sqlite3.connect('b.db')", [10, 16]),
        ("self.open()\n        if self.conn is not None: self.conn = sqlite3.connect('b.db')", [10, 17]),
        ("self.open(); self.conn = sqlite3.connect('b.db'); self.conn = None", []),
    ],
)
def test_another_connection_in_its_place(count: str, lines: list[int]) -> None:
    found = reported({"a.py": PROGRAM.format(count=count, line="pass")}, RULE)
    assert [each.span.line for each in found] == lines
