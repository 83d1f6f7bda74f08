"""What is imported under another name is the same thing."""

from __future__ import annotations

import pytest

from codemods.project import Project
from codemods.transforms.unpicklable_attributes import RULE
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row
from harness.small import migrated, reasons

USE = """
if __name__ == "__main__":
    from multiprocessing import Pool
    Pool(2).map(Thing("a").run, [1])
"""
MAPPED = """
import mmap{alias}
class Thing:
    def __init__(self, path):
        self.path = path
        with open(path) as file:
            self.map = {m}.mmap(file.fileno(), 0, access={m}.{access})
    def run(self, n):
        return n
"""


def answer(text: str) -> list[tuple[str, str | None]]:
    """What is said of each attribute: "fixed", "unsafe" or the reason."""
    findings = RULE.find(Project(MemoryFiles({"main.py": (text + USE).encode()})))
    return [
        (found.message.partition("`")[2].partition("`")[0], found.reason)
        if found.fix is None
        else ("unsafe" if found.fix.unsafe else "fixed", None)
        for found in findings
    ]


@pytest.mark.parametrize("access", ["ACCESS_READ", "ACCESS_WRITE"])
def test_memory_map(access: str) -> None:
    plain = answer(MAPPED.format(alias="", m="mmap", access=access))
    assert plain == answer(MAPPED.format(alias=" as m", m="m", access=access)) != []
    assert ("open for writing" in str(plain)) == (access == "ACCESS_WRITE")


@pytest.mark.parametrize(
    ("first", "name", "alias", "body"),
    [
        pytest.param(
            "import itertools",
            "itertools",
            "it",
            "def __init__(self, path):\n        self.x = (n for n in {name}.cycle([1]))",
            id="endless",
        ),
        pytest.param(
            "from functools import cached_property",
            "cached_property",
            "cp",
            "@{name}\n    def env(self):\n        return open('a')",
            id="cached property",
        ),
        pytest.param(
            "from torch.utils.data import DataLoader",
            "DataLoader",
            "DL",
            "def __init__(self, path):\n        self.loader = {name}([path])\n        self.x = iter(self.loader)",
            id="iterator over a loader",
        ),
    ],
)
def test_same_answer(first: str, name: str, alias: str, body: str) -> None:
    def program(head: str, used: str) -> str:
        return f"{head}\nclass Thing:\n    {body.format(name=used)}\n    def run(self, n):\n        return n\n"

    plain = answer(program(first, name))
    assert plain == answer(program(f"{first} as {alias}", alias))
    assert len(plain) == 1


def test_fields_of_a_dataclass() -> None:
    text = """
from dataclasses import dataclass as dc, field as f
from threading import Lock as L
@dc
class Thing:
    name: str
    lock: L = f(default_factory=L)
    def run(self, n):
        return n
"""
    assert answer(text) == [("fixed", None)]


def test_base_class_of_another_file() -> None:
    base = "class Reader:\n    def __init__(self, connection):\n        self.connection = connection\n"
    code = """
import sqlite3
from base import Reader as R
class Thing(R):
    def run(self, n):
        return n
if __name__ == "__main__":
    from multiprocessing import Pool
    Pool(2).map(Thing(sqlite3.connect("a.db")).run, [1])
"""
    files = {"main.py": code.encode(), "base.py": base.encode()}
    assert len(list(RULE.find(Project(MemoryFiles(files))))) == 1


def test_logging_under_another_name() -> None:
    text = """
import logging as log
class Thing:
    def __init__(self, path):
        self.logger = log.getLogger(path)
    def run(self, n):
        return n
"""
    files = {"main.py": (text + USE).encode(), "setup.py": b"setup(python_requires='>=3.6')"}
    [found] = RULE.find(Project(MemoryFiles(files)))
    assert found.fix is not None
    written = "".join(edit.text for edit in found.fix.edits)
    assert "self.logger = log.getLogger(" in written and "import logging" not in written


INNER = "if name is None:\n                self.logger = None\n" + (
    "            else:\n                self.logger = logging.getLogger('x')"
)
BRANCHES = """\
import logging
from multiprocessing import Process


class Job:
    def __init__(self, name):
        if name:
            self.logger = logging.getLogger(name)
        else:
            OTHER

    def run(self):
        self.logger.info("x")


if __name__ == "__main__":
    Process(target=Job("a").run).start()
"""


@each_row(
    ("other", "reason"),
    [
        ("self.logger = logging.getLogger()", ""),
        ("self.logger = logging", "line 10 keeps a module in it instead"),
        ("self.size = 3", "not every object has it"),
        (INNER, ""),
    ],
)
def test_a_logger_in_each_branch(other: str, reason: str) -> None:
    files = {"a.py": BRANCHES.replace("OTHER", other), "setup.py": "setup(python_requires='>=3.6')\n"}
    if reason:
        assert [reason in each for each in set(reasons(files, "unpicklable-attributes"))] == [True]
    else:
        assert "logging.getLogger(state[" in migrated(files, "unpicklable-attributes")["a.py"]
