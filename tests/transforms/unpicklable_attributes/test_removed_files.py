"""A file that is removed or moved after it was opened can't be opened again by a copy."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
TEXT = """\
import multiprocessing as mp
import os
import shutil
import tempfile
from pathlib import Path


class Scratch:
    def __init__(self, path):
        self.path = path
        {opens}

    def line(self, i):
        return self.file.readlines()[i]


def publish(rows, at):
    os.replace(rows, at)


def child(scratch, queue):
    queue.put(scratch.line(0))


if __name__ == "__main__":
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "rows")
    {makes}
    process = mp.Process(target=child, args=(scratch, mp.Queue()))
    process.start()
    process.join()
    {end}
"""
OPENS, MAKES = "self.file = open(self.path)", "scratch = Scratch(path)"
COPIED = "copy = os.path.join(folder, 'x')"


def text(opens: str = OPENS, makes: str = MAKES, end: str = "pass") -> dict[str, str]:
    return {"train.py": TEXT.format(opens=opens, makes=makes.replace("\n", "\n    "), end=end)}


@each_row(
    ("files", "line"),
    [
        (text(f"{OPENS}\n        os.unlink(self.path)"), 12),
        (text("self.file = open(path)\n        Path(self.path).unlink()"), 12),
        (text(f"{OPENS}\n        os.replace(path, path + '.old')"), 12),
        (text(f"{OPENS}\n        self.tidy()\n\n    def tidy(self):\n        os.remove(self.path)"), 15),
        (
            text(
                f"with tempfile.TemporaryDirectory() as folder:\n            {COPIED}\n"
                "            shutil.copy(path, copy)\n            self.file = open(copy)"
            ),
            11,
        ),
        (text(makes=f"{MAKES}\nos.remove(path)"), 29),
        (text(makes=f"{MAKES}\nos.remove(scratch.path)"), 29),
        (text(makes=f"{MAKES}\nshutil.rmtree(folder)"), 29),
        (text(makes=f"{MAKES}\nos.replace('new', path)"), 29),
        (text(makes=f"{MAKES}\npublish('new', path)"), 29),
        (text(makes=f"{MAKES}\npublish('new', at=path)"), 29),
        (text(makes=f"with tempfile.TemporaryDirectory() as folder:\n    {COPIED}\n    scratch = Scratch(copy)"), 28),
    ],
)
def test_a_file_that_is_gone(files: dict[str, str], line: int) -> None:
    found = reasons(files, RULE)
    assert [reason.startswith(f"train.py:{line} removes or moves") for reason in found] == [True]


@each_row(
    "files",
    [
        text(end="os.remove(path)"),
        text(end="shutil.rmtree(folder)"),
        text(makes=f"os.replace('new', path)\n{MAKES}"),
        text(makes=f"{MAKES}\nos.remove('other')"),
        text(makes=f"{MAKES}\npublish('new', 'other')"),
        text(makes=f"publish('new', path)\n{MAKES}"),
        text(f"os.replace('new', path)\n        {OPENS}"),
        text(makes=f"{MAKES}\nname = path.replace('a', 'b')"),
    ],
)
def test_a_file_that_stays(files: dict[str, str]) -> None:
    assert "self.file = open(self.path)" in migrated(files, RULE)["train.py"].rpartition("__setstate__")[2]
