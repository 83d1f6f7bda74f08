"""Locks and handles of which code asks whether they are the same: copies of two objects would each have their own."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

RULE = "unpicklable-attributes"
PROGRAM = """\
import pickle
import sys
import threading


class Job:
    def __init__(self, name):
        self.name = name
        self.lock = threading.Lock()

    def same(self, other):
        return {asked}


pickle.dumps([Job("a"), Job("b")])
"""


@each_row(
    "asked", ["self.lock is other.lock", "other.lock != self.lock", "id(self.lock) == other.key", "hash(self.lock)"]
)
def test_it_is_asked(asked: str) -> None:
    (reason,) = reasons({"run.py": PROGRAM.format(asked=asked)}, RULE)
    assert (
        "(line 12) asks whether it is the same, and of two objects that are sent each would get one of its own"
        in reason
    )


@pytest.mark.parametrize(
    "asked",
    ["self.lock is not None", "self.lock is sys.stdout", "self.name == other.name", "self.lock in (None, False)"],
)
def test_something_else_is_asked(asked: str) -> None:
    assert "def __setstate__" in migrated({"run.py": PROGRAM.format(asked=asked)}, RULE)["run.py"]


EQUAL = """\
import copy
import threading
from multiprocessing import Process


class Point:
    def __init__(self, x):
        self.x = x
        self.lock = threading.Lock()

    def __eq__(self, other):
        return {same}


if __name__ == "__main__":
    one = Point(1)
    two = {made}
    Process(target=print, args=(one, two)).start()
"""


@each_row(
    ("same", "made", "refused"),
    [
        ("self.__dict__ == other.__dict__", "copy.copy(one)", True),
        ("vars(self) == vars(other)", "copy.copy(one)", True),
        ("self.__dict__ == other.__dict__", "Point(1)", False),
        ("self.x == other.x", "copy.copy(one)", False),
    ],
)
def test_copies_that_are_equal_as_they_share_it(same: str, made: str, refused: bool) -> None:
    (found,) = reported({"run.py": EQUAL.format(same=same, made=made)}, "unpicklable-attributes")
    assert ("compares all attributes" in (found.reason or "")) is refused


@pytest.mark.parametrize(
    ("more", "besides"),
    [
        ("    try:\n        copy.deepcopy(one)\n    except TypeError:\n        print('kept')\n", True),
        ("    copy.deepcopy(one)\n", False),
    ],
)
def test_a_refusal_tells_of_a_copy_that_is_tried(more: str, besides: bool) -> None:
    run = EQUAL.format(same="vars(self) == vars(other)", made="copy.copy(one)") + more
    (found,) = reported({"run.py": run}, "unpicklable-attributes")
    assert "compares all attributes" in (found.reason or "") and "`__getstate__`" in (found.reason or "")
    assert ("run.py:20 tries to pickle or copy it" in (found.reason or "")) is besides


OUTSIDE = """\
from multiprocessing import Process

from jobs import Job


def work(both):
    one, other = both
    print({asked})


if __name__ == "__main__":
    one = Job("a")
    Process(target=work, args=((one, {other}),)).start()
"""
JOBS = """\
import copy
import threading


class Job:
    def __init__(self, name):
        self.name = name
        self.lock = threading.Lock()

    def view(self):
        return copy.copy(self)
"""


@pytest.mark.parametrize("asked", ["one.lock is other.lock", "id(other.lock)"])
def test_it_is_asked_outside_of_the_class(asked: str) -> None:
    (reason,) = reasons({"run.py": OUTSIDE.format(asked=asked, other="one.view()"), "jobs.py": JOBS}, RULE)
    assert (
        f"`{asked}` (run.py:8) asks whether it is the same, and of two objects that are sent each would get one"
        in reason
    )


@pytest.mark.parametrize("asked", ["one.name is other.name", "one.lock is None", "one.lock.locked()"])
def test_something_else_is_asked_outside(asked: str) -> None:
    run = OUTSIDE.format(asked=asked, other="Job('b')")
    assert "def __setstate__" in migrated({"run.py": run, "jobs.py": JOBS}, RULE)["jobs.py"]


def test_the_same_is_asked_in_the_process_that_copies() -> None:
    run = OUTSIDE.format(asked="one.name", other="Job('b')") + "    print(one.lock is one.view().lock)\n"
    assert "def __copy__" in migrated({"run.py": run, "jobs.py": JOBS}, RULE)["jobs.py"]
