"""unpicklable-attributes: one lock for which an object has several names; the copy has one for them as well."""

from __future__ import annotations

import pickle
from typing import Any

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
PROGRAM = """\
import multiprocessing as mp
import threading


class Buffer:
    def __init__(self):
        {init}

    def other(self):
        {other}


def work(buf, queue):
    queue.put({asked})


if __name__ == "__main__":
    mp.Process(target=work, args=(Buffer(), mp.Queue())).start()
"""
BOTH = "self.lock = self.mutex = threading.Lock()"


def program(init: str, asked: str = "1", other: str = "pass") -> dict[str, str]:
    return {"run.py": PROGRAM.format(init=init.replace("\n", "\n        "), asked=asked, other=other)}


@each_row(
    ("init", "asked"),
    [
        (BOTH, "buf.lock is buf.mutex"),
        ("self.mutex = self.lock = self.third = threading.RLock()", "buf.third is buf.mutex and buf.lock is buf.mutex"),
        ("self.lock = threading.Lock()\nself.mutex = self.lock", "buf.lock is buf.mutex"),
        ("self.lock = threading.Lock()\nself.mutex = threading.Lock()", "buf.lock is not buf.mutex"),
        (
            "self.lock = threading.RLock()\nself.full = threading.Condition(self.lock)\n"
            "self.guards = {'a': self.lock, 'b': self.full}",
            "buf.guards['a'] is buf.lock and buf.guards['b'] is buf.full",
        ),
    ],
)
def test_a_copy_has_one_for_all_names(init: str, asked: str) -> None:
    after = migrated(program(init, asked), RULE)["run.py"]
    space: dict[str, Any] = {"__name__": "__mp_main__"}
    exec(compile(after, "run.py", "exec"), space)
    buf = space["Buffer"]()
    state = buf.__getstate__()
    pickle.dumps(state)
    other = space["Buffer"].__new__(space["Buffer"])
    other.__setstate__(state)
    assert eval(asked, {"buf": buf}) and eval(asked, {"buf": other})
    assert [*vars(other)] == [*vars(buf)] or {*vars(other)} == {*vars(buf)}


@each_row(
    ("init", "asked", "other", "reason"),
    [
        (BOTH, "1", "self.mutex = None", "keeps one thing under two names"),
        ("self.lock = self.file = open('a.txt')", "1", "pass", "keeps one thing under two names"),
        (BOTH, "buf.lock is Buffer().lock", "pass", "asks whether it is the same"),
    ],
)
def test_more_than_one(init: str, asked: str, other: str, reason: str) -> None:
    assert any(reason in each for each in reasons(program(init, asked, other), RULE))
