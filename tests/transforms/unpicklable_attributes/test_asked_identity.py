"""Locks and handles of which code asks whether they are the same: copies of two objects would each have their own."""

from __future__ import annotations

import pytest

from harness.small import migrated, reasons

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


@pytest.mark.parametrize(
    "asked", ["self.lock is other.lock", "other.lock != self.lock", "id(self.lock) == other.key", "hash(self.lock)"]
)
def test_it_is_asked(asked: str) -> None:
    (reason,) = reasons({"run.py": PROGRAM.format(asked=asked)}, RULE)
    assert "(line 12) asks whether it is the same, and each copy would have one of its own" in reason


@pytest.mark.parametrize("asked", ["self.lock is not None", "self.lock is sys.stdout", "self.name == other.name"])
def test_something_else_is_asked(asked: str) -> None:
    assert "def __setstate__" in migrated({"run.py": PROGRAM.format(asked=asked)}, RULE)["run.py"]
