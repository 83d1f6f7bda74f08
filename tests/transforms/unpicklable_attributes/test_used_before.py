"""unpicklable-attributes: what an object opens on demand crosses with it where it was used before."""

from __future__ import annotations

import pytest

from harness.small import migrated, reported

RULE = "unpicklable-attributes"
PROGRAM = """\
import sqlite3
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.conn = None
    def __len__(self):
        return 3
    def __getitem__(self, at):
        return self.open().execute('select ?', (at,)).fetchone()
    def open(self):
        if self.conn is None:
            self.conn = sqlite3.connect(self.path)
        return self.conn
    def close(self):
        self.conn = None
def main(quick=False):
    data = Rows('a.db')
    other = Rows('b.db')
    {}
    loader = DataLoader(data, num_workers=2)
    {}
    return list(loader)
if __name__ == '__main__':
    main()
"""


@pytest.mark.parametrize(
    "line",
    ["print(data[0])", "for row in data: print(row)", "data.open()", "data.close(); print(data[1])", "x = data[0], 1"],
)
def test_used_before(line: str) -> None:
    files = {"a.py": PROGRAM.format(line, "pass")}
    (found,) = reported(files, RULE)
    assert found.trace[-2].line == 20 and "opens it" in found.trace[-2].what
    assert 'state["conn"] = None' in migrated(files, RULE)["a.py"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("pass", "print(data[0])", id="after"),
        pytest.param("print(other[0])", "pass", id="another object"),
        pytest.param("print(data[0])\n    data.close()", "pass", id="closed again"),
        pytest.param("len(data); data.path", "pass", id="other methods"),
        pytest.param("f = lambda: data[0]", "pass", id="in a function"),
        pytest.param("data[0] = 1", "pass", id="an item is set"),
        pytest.param("data = other", "pass", id="two values"),
    ],
)
def test_not_used_before(before: str, after: str) -> None:
    files = {"a.py": PROGRAM.format(before, after)}
    assert reported(files, RULE) == [] and migrated(files, RULE) == {}
