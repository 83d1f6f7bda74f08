"""Functions that make an object of a class and give it back: what is done with their result is done to the object."""

from __future__ import annotations

import ast

from codemods.syntax.outline import Outline
from codemods.transforms.unpicklable_attributes.remaking.containers import _lists_files
from codemods.transforms.unpicklable_attributes.uses.file_uses import FileUses
from codemods.transforms.unpicklable_attributes.uses.outside import _makers
from harness.each_row import each_row
from harness.small import reported

RULE = "unpicklable-attributes"


@each_row(
    "text, made",
    [
        ("first, second = Rows(), Other(make())\nfirst.lock = 1\n", [{"Rows", "Other", "make"}]),
        ("first = Rows()\nfirst.lock = 1\n", []),  # seen as one of the class
        ("first, second = 1, 2\nfirst.lock = 1\n", []),
        ("for first in Rows():\n    first.lock = 1\n", [None]),
        ("def f(first):\n    first.lock = 1\n", [None]),
        ("def f(first):\n    del first.lock\n", [None]),
        ("def f(first):\n    print(first.lock)\n", []),
        ("class A:\n    def f(self):\n        self.lock = 1\n", []),
    ],
)
def test_attributes_that_are_set_on_variables(text: str, made: list[set[str] | None]) -> None:
    assert [each for _, _, each in FileUses(Outline("a.py", ast.parse(text))).sets] == made


@each_row(
    "text, found",
    [
        ("def make():\n    return Rows()\n", True),
        ("def make():\n    rows = Rows()\n    return rows\n", True),
        ("def make(x):\n    if x:\n        return Rows()\n    return None\n", True),
        ("def make():\n    rows: Rows = Rows()\n    return rows\n", False),
        ("def make():\n    rows = Rows()\n    return rows.first\n", False),
        ("def make():\n    rows = [Rows()]\n    return rows\n", False),
        ("def make():\n    Rows()\n", False),
        ("def make():\n    return Other()\n", False),
        ("async def make():\n    return Rows()\n", False),  # a call gives a coroutine
        ("make = lambda: Rows()\n", False),
        ("class Makers:\n    def make(self):\n        return Rows()\n", False),
        ("def outer():\n    def make():\n        return Rows()\n    return make\n", False),
        ("rows = Rows()\n", False),
    ],
)
def test_who_makes_an_object(text: str, found: bool) -> None:
    outline = Outline("a.py", ast.parse(text))
    assert [*_makers(FileUses(outline), frozenset({"Rows"}))] == ["make"] * found


@each_row(
    "text, lists",
    [
        ("os.listdir(root)", True),
        ("glob.glob(root)", True),
        ("sorted(os.listdir(root))", True),
        ("list(Path(root).iterdir())", True),
        *((f"sorted(Path(root).{name}('*'))", True) for name in ("glob", "rglob")),
        ("list(glob.iglob(join(str(root), '*')))", True),
        ("glob.iglob(root)", False),  # no list
        ("Path(root).glob('*')", False),
        ("sorted(load(root))", False),
        ("sorted(str(root))", False),  # nothing looks at the disk
        ("list(map(load, os.listdir(root)))", False),
        ("[*os.listdir(root)]", False),
    ],
)
def test_lists_of_files(text: str, lists: bool) -> None:
    outline = Outline(
        "a.py", ast.parse(f"import os, glob\nfrom pathlib import Path\nfrom os.path import join\nx = {text}\n")
    )
    (value,) = (each.value for each in outline.nodes if isinstance(each, ast.Assign))
    assert _lists_files(outline, value) is lists


OWN = """\
import multiprocessing as mp
import threading
from dataclasses import dataclass


{marked}class Job:
{body}
    {method}

    def copy(self):
        return {again}


def work(job, queue):
    with job.lock:
        queue.put(job.name)


if __name__ == "__main__":
    mp.Process(target=work, args=(Job.make("a"), mp.Queue())).start()
"""
PLAIN = "    def __init__(self, name, lock):\n        self.name = name\n        self.lock = lock\n"
FIELDS = "    name: str\n    lock: threading.Lock\n"
MAKES = "@classmethod\n    def make(cls, name):\n        return cls(name, threading.Lock())"


@each_row(
    ("marked", "body", "method", "again", "line"),
    [
        ("", PLAIN, MAKES, "self", 13),
        ("@dataclass\n", FIELDS, MAKES, "self", 13),
        ("@dataclass(frozen=True)\n", "    __slots__ = ('name', 'lock')\n" + FIELDS, MAKES, "self", 14),
        ("", PLAIN, MAKES.replace("threading.Lock()", "None"), "type(self)('b', threading.Lock())", 16),
        ("", PLAIN, MAKES.replace("threading.Lock()", "None"), "self.__class__('b', lock=threading.Lock())", 16),
        ("", PLAIN, MAKES.replace("threading.Lock()", "None"), "type(other)('b', threading.Lock())", 0),
        ("", PLAIN, MAKES.replace("threading.Lock()", "None").replace("@classmethod", "@static"), "self", 0),
    ],
)
def test_a_class_makes_an_object_of_its_own(marked: str, body: str, method: str, again: str, line: int) -> None:
    found = reported({"run.py": OWN.format(marked=marked, body=body, method=method, again=again)}, RULE)
    assert [f"it is passed in (run.py:{line})" in (each.reason or "") for each in found] == [True] * bool(line)
