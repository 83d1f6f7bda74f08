"""What the main process alone puts into an object of a module, in whatever way, and a worker reads."""

from __future__ import annotations

import pytest

from codemods.engine.migrate import check
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles

TEXT = """\
import multiprocessing as mp
from collections import defaultdict
{made}

def work(x):
    return {read}


def main():
    {change}
    with mp.Pool(1) as pool:
        print(pool.map(work, [1, 2]))


if __name__ == "__main__":
    main()
"""
CLASS = """

class Table:
    def __init__(self):
        self.size = 1
        self.rows = {}
        self.count = 0

    def configure(self, size):
        self.size = size

    def add(self, name, value):
        self.rows[name] = value

    def has(self, name):
        return name in self.rows

    def look(self):
        self.count += 1
        return self.count

    def register(self, function):
        self.rows[function.__name__] = function
        return function


TABLE = Table()
"""


def is_reported(made: str, read: str, change: str) -> bool:
    text = TEXT.format(made=made, read=read, change=change.replace("\n", "\n    "))
    found = check(MemoryFiles({"train.py": text.encode()}), Settings(select=("main-guard",))).findings
    assert all("the main process only" in each.message for each in found)
    return bool(found)


@pytest.mark.parametrize(
    ("made", "read", "change"),
    [
        ("LEVEL = [0]", "x + LEVEL[0]", "LEVEL[0] = 5"),
        ("STAGES = []", "len(STAGES)", "STAGES.append(1)"),
        ("STAGES = [1]", "sum(STAGES)", "STAGES.extend([1, 2])"),
        ("SEEN = set()", "x in SEEN", "SEEN.add(1)"),
        ("SEEN = {7}", "x in SEEN", "SEEN.discard(7)"),
        ("ROWS = defaultdict(list)", "len(ROWS['a'])", "ROWS['a'].append(3)"),
        (CLASS, "TABLE.size", "TABLE.configure(3)"),
        (CLASS, "TABLE.size", "setattr(TABLE, 'size', 3)"),
        (CLASS, "TABLE.size", "vars(TABLE).update(size=3)"),
        (CLASS, "TABLE.size", "TABLE.__dict__['size'] = 3"),
        (CLASS, "TABLE.has('a')", "TABLE.add('a', len)"),
        (CLASS, "TABLE.has('a')", "@TABLE.register\ndef a(x):\n    return x"),
    ],
)
def test_what_a_spawned_worker_lacks(made: str, read: str, change: str) -> None:
    assert is_reported(made, read, change)


@pytest.mark.parametrize(
    ("made", "read", "change"),
    [
        ("STAGES = []", "x", "STAGES.append(1)"),
        ("STAGES = []", "STAGES.append(x) or len(STAGES)", "STAGES.append(1)"),  # the worker does so too
        ("STAGES = []", "len(STAGES)", "print(STAGES.count(1))"),
        (CLASS, "TABLE.size", "TABLE.add('a', len)"),
        (CLASS, "TABLE.has('a')", "TABLE.configure(3)"),
        (CLASS, "TABLE.look()", "TABLE.look()"),  # each process counts for itself
        (CLASS, "TABLE.size", "setattr(TABLE, 'rows', 3)"),
        (CLASS, "TABLE.configure(x) or TABLE.size", "TABLE.configure(3)"),
        (CLASS, "TABLE.add('b', x) or TABLE.has('a')", "TABLE.register(main)"),
    ],
)
def test_look_alikes(made: str, read: str, change: str) -> None:
    assert not is_reported(made, read, change)
