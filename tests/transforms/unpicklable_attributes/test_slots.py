"""unpicklable-attributes: objects with slots and no `__dict__` keep what they have, and get a new lock."""

from __future__ import annotations

import pickle

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

PROGRAM = """\
import threading
from multiprocessing import Process


class Point:
    __slots__ = ("x", "y")


class Shared(Point):
    __slots__ = {slots}

    def __init__(self, x):
        self.x = x
        self._lock = threading.Lock()

    def run(self):
        with self._lock:
            return self.x
{more}

if __name__ == "__main__":
    Process(target=Shared(1).run).start()
"""


def test_a_copy_has_what_the_original_has(monkeypatch: pytest.MonkeyPatch) -> None:
    text = PROGRAM.format(slots='("_lock", "tag")', more="")
    changed = migrated({"run.py": text}, "unpicklable-attributes")["run.py"]
    space: dict[str, object] = {"__name__": "run"}
    exec(changed, space)
    shared = space["Shared"]
    assert isinstance(shared, type)
    module = type(pickle)("run")
    vars(module).update(space)
    monkeypatch.setitem(__import__("sys").modules, "run", module)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        one = shared(3)
        two = pickle.loads(pickle.dumps(one, protocol))
        assert two.run() == 3 and two._lock is not one._lock
        assert not hasattr(two, "y") and not hasattr(two, "tag")
        one.y, one.tag = 4, "a"
        three = pickle.loads(pickle.dumps(one, protocol))
        assert (three.x, three.y, three.tag) == (3, 4, "a")


@each_row(
    ("slots", "more"),
    [
        ('("_lock", "__dict__")', ""),
        ('("_lock", "__weakref__")', ""),
        ('["_lock"] + [str()]', ""),
        ('("_lock",)', "\n    def __setattr__(self, name, value):\n        object.__setattr__(self, name, value)\n"),
        ('("_lock",)', "\n\nclass Below(Shared):\n    pass\n"),
    ],
)
def test_objects_that_may_have_more(slots: str, more: str) -> None:
    (reason,) = reasons({"run.py": PROGRAM.format(slots=slots, more=more)}, "unpicklable-attributes")
    assert "`__slots__`" in reason


def test_objects_that_are_copied_share_what_cannot_be_pickled() -> None:
    text = PROGRAM.format(slots='("_lock",)', more="").replace("import threading", "import copy\nimport threading")
    text = text.replace("Process(target=Shared(1).run)", "Process(target=copy.copy(Shared(1)).run)")
    (reason,) = reasons({"run.py": text}, "unpicklable-attributes")
    assert "the class has `__slots__`, so its state is no plain dict" in reason
