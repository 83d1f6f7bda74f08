"""Classes whose attributes can't be set, and handles that stay closed."""

from __future__ import annotations

import dataclasses
import pickle
import sys
import types

import pytest

from codemods.finding import Confidence
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
SEND = "\n\nif __name__ == '__main__':\n    multiprocessing.Process(target=print, args=({value},)).start()\n"
FROZEN = """\
import multiprocessing
import threading
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Settings:
    name: str
    lock: threading.Lock = field(default_factory=threading.Lock, compare=False)
"""
CLOSED = """\
import multiprocessing


class Reader:
    def __init__(self, path):
        self.path = path
        self.file = None

    def first(self):
        if self.file is None:
            self.file = open(self.path)
        self.file.seek(0)
        return self.file.readline()

    def close(self):
        if self.file is not None:
            self.file.close()
"""


def test_a_frozen_dataclass(monkeypatch: pytest.MonkeyPatch) -> None:
    after = migrated({"a.py": FROZEN + SEND.format(value="Settings('a')")}, RULE)["a.py"]
    module = types.ModuleType("frozen_dataclass")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(after, "a.py", "exec"), module.__dict__)
    settings = module.Settings("a")
    copy = pickle.loads(pickle.dumps(settings))
    assert copy == settings and hash(copy) == hash(settings) and not copy.lock.locked()
    with pytest.raises(dataclasses.FrozenInstanceError):
        copy.name = "b"


def test_a_frozen_class_of_attrs() -> None:
    text = FROZEN.replace("from dataclasses import dataclass", "import attr").replace("@dataclass", "@attr.s")
    text = text.replace(", field", "").replace("field(default_factory", "attr.ib(factory")
    found = reasons({"a.py": text + SEND.format(value="Settings('a')")}, RULE, confidence=Confidence.POSSIBLE)
    assert all("write `__getstate__` and `__setstate__` by hand" in reason for reason in found)


def test_a_handle_that_stays_closed() -> None:
    sent = SEND.format(value="Reader('a.txt')")
    (reason,) = reasons({"a.py": CLOSED + sent}, RULE, confidence=Confidence.POSSIBLE)
    assert reason.startswith("line 17 closes it and keeps it, so that it stays closed")
    cleared = CLOSED + "            self.file = None\n"
    after = migrated({"a.py": cleared + sent}, RULE, confidence=Confidence.POSSIBLE)["a.py"]
    assert 'state["file"] = None' in after
