"""Globals, attributes of classes and tables that only the main process sets: found across files, look-alikes left."""

from __future__ import annotations

import pytest

from codemods.engine.migrate import check
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles

STATE = """\
current = None
table = {{}}

class Encoder:
    size = 4

    @classmethod
    def configure(cls, size):
        cls.size = size

    def apply(self, row):
        return self.size + row

def choose(name):
    global current
    current = name

def register(name, function):
    table[name] = function

def chosen(row):
    return {read}
"""
TRAIN = """\
import state
from state import Encoder
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return state.chosen(index)

def main():
    {change}
    for row in DataLoader(Rows(), num_workers=2):
        print(row)

if __name__ == "__main__":
    main()
"""


def reports(read: str, change: str) -> list[tuple[str, str]]:
    """Where workers are said to read what only the main process sets, and where that is."""
    files = {"state.py": STATE.format(read=read), "train.py": TRAIN.format(change=change)}
    contents = {path: text.encode() for path, text in files.items()}
    found = check(MemoryFiles(contents), Settings(select=("main-guard",))).findings
    assert all(each.fix is None and "pass the worker what it needs" in (each.reason or "") for each in found)
    return [(f"{each.path}:{each.span.line}", f"{each.trace[0].path}:{each.trace[0].line}") for each in found]


@pytest.mark.parametrize(
    ("read", "change", "set_at"),
    [
        ("current + row", "state.choose(3)", "state.py:16"),
        ("Encoder.size", "Encoder.configure(9)", "state.py:9"),
        ("Encoder().apply(row)", "Encoder.configure(9)", "state.py:9"),
        ("Encoder.size", "Encoder.size = 9", "train.py:13"),
        ("Encoder.size", "state.Encoder.size += 1", "train.py:13"),
        ("table[row](row)", "state.register(0, print)", "state.py:19"),
    ],
)
def test_what_the_main_process_sets_and_a_worker_reads(read: str, change: str, set_at: str) -> None:
    ((place, changed),) = reports(read, change)
    assert changed == set_at
    assert place == ("state.py:12" if read.startswith("Encoder()") else "state.py:22")


@pytest.mark.parametrize(
    ("read", "change"),
    [
        ("current + row", "pass"),  # nothing calls what sets it
        ("row", "state.choose(3)"),
        ("row if current is None else current", "state.choose(3)"),  # it does without
        ("choose(row) or current", "state.choose(3)"),  # the worker sets it itself
        ("table[row] if row in table else row", "state.register(0, print)"),
        ("table.get(row)", "state.register(0, print)"),
        ("table['plain']", "state.register(0, print)"),
        ("Encoder.size", "Encoder().size = 9"),  # of one object
    ],
)
def test_look_alikes(read: str, change: str) -> None:
    assert reports(read, change) == []


def test_what_an_import_sets_workers_have_too() -> None:
    files = {
        "state.py": STATE.format(read="current + row") + "\nchoose(3)\n",
        "train.py": TRAIN.format(change="pass"),
    }
    contents = {path: text.encode() for path, text in files.items()}
    assert check(MemoryFiles(contents), Settings(select=("main-guard",))).findings == ()
