"""What a method of a base in another file calls of the object runs in the worker as well."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

BASE = """\
import multiprocessing as mp

from torch.utils.data import Dataset


class Worker(mp.Process):
    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def run(self):
        print(self.rows, self.next())

    def next(self):
        return self.step()

    def step(self):
        return 1

    def unused(self):
        return 2


class Rows(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, at):
        return self.load(at)
"""
SCRIPT = """\
from torch.utils.data import DataLoader

from base import Rows, Worker


class Mine({base}):
    def {method}(self, *others):
        return table[0]

    {more}


if __name__ == "__main__":
    table = [line for line in open("rows")]
    {start}
"""
WORKER, LOADER = (
    "worker = Mine(1)\n    worker.start()",
    "for row in DataLoader(Mine(), num_workers=2):\n        print(row)",
)


@each_row(
    "base, method, more, start, found",
    [
        ("Worker", "run", "", WORKER, True),
        ("Worker", "step", "", WORKER, True),
        ("Worker", "next", "", WORKER, True),
        ("Rows", "load", "", LOADER, True),
        ("Worker", "unused", "", WORKER, False),
        ("Worker", "step", "def next(self):\n        return 1", WORKER, False),  # which calls it no more
        ("Worker", "step", "def run(self):\n        print(1)", WORKER, False),
        ("Rows", "load", "def __getitem__(self, at):\n        return at", LOADER, False),
        ("object", "step", "", "print(Mine().step())", False),
    ],
)
def test_what_it_lacks(base: str, method: str, more: str, start: str, found: bool) -> None:
    files = {"base.py": BASE, "a.py": SCRIPT.format(base=base, method=method, more=more, start=start)}
    messages = [each.message for each in reported(files, "main-guard") if each.path == "a.py"]
    assert [f"`{method}` runs in a worker and reads `table`" in message for message in messages] == [True] * found
