"""What a method of a base in another file calls of the object runs in the worker as well."""

from __future__ import annotations

from codemods.finding import Confidence
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


HEIRS = """\
from torch.utils.data import DataLoader


class Base:
    def loader(self):
        raise NotImplementedError

    def run(self):
        for batch in self.loader():
            print(batch)


class Own(Base):
    def loader(self):
        return DataLoader(range(4), num_workers=2)


class Other(Base):
    def loader(self):
        {other}


Own().run()
"""


@each_row(
    ("other", "confidence"),
    [
        ("return super().loader()", Confidence.POSSIBLE),
        ("return [1, 2]", Confidence.POSSIBLE),
        ("return DataLoader(range(3), num_workers=0)", Confidence.POSSIBLE),
        ("return DataLoader(range(3), num_workers=3)", Confidence.LIKELY),
    ],
)
def test_a_loader_that_each_class_below_makes(other: str, confidence: Confidence) -> None:
    (finding,) = reported({"a.py": HEIRS.format(other=other)}, "main-guard", confidence=Confidence.POSSIBLE)
    assert finding.confidence is confidence
    alone = HEIRS.replace("class Other(Base)", "class Other").format(other=other)
    (finding,) = reported({"a.py": alone}, "main-guard")
    assert finding.confidence is Confidence.PROVEN
