"""What only a worker sets on an object is not there when the object is sent."""

from __future__ import annotations

from codemods.finding import Confidence
from harness.each_row import each_row
from harness.small import reported

RULE = "unpicklable-attributes"
WATCHED = """\
import threading
from torch.utils.data import DataLoader, Dataset

class Watched(Dataset):
    def __init__(self, rows):
        self.rows, self.thread = rows, None
        if hasattr(rows, "__getitems__"):
            def NAME(self, index):
                self.watch()
                return self.rows.__getitems__(index)
            self.__getitems__ = NAME

    def __getitem__(self, index):
        self.watch()
        return self.rows[index]

    def __del__(self):
        if self.thread:
            self.thread.join()

    def watch(self):
        if self.thread is None:
            self.thread = threading.Thread(target=print)
            self.thread.start()

loader = DataLoader(Watched([1]), num_workers=2)
"""


def sure(text: str) -> list[str]:
    found = reported({"a.py": text}, RULE)
    return [each.message for each in found if each.confidence is not Confidence.POSSIBLE]


def test_a_thread_that_only_workers_start_is_not_sent() -> None:
    assert sure(WATCHED.replace("NAME", "__getitems__")) == []


def test_a_thread_that_is_started_before_is_sent() -> None:
    [message] = sure(
        WATCHED.replace("NAME", "__getitems__").replace(
            "        if hasattr", "        self.watch()\n        if hasattr"
        )
    )
    assert "`self.thread` is a thread" in message


def test_another_function_in_the_constructor_may_run_there() -> None:
    assert len(sure(WATCHED.replace("NAME", "several"))) == 1


FLAGGED = """\
import lmdb
from torch.utils.data import DataLoader, Dataset

class Records(Dataset):
    def __init__(self, path):
        self.path = path
        env = self.connect(path)
        self.keys = list(env.begin().cursor().iternext(values=False))

    def connect(self, path, keep=False):
        env = lmdb.open(path, readonly=True, lock=False)
        if not keep:
            return env
        else:
            self.env = env

    def __getitem__(self, index):
        if not hasattr(self, "env"):
            self.connect(self.path, keep=True)
        return self.env.begin().get(self.keys[index])

loader = DataLoader(Records("data.lmdb"), num_workers=2)
"""
EARLY = FLAGGED.replace("        else:\n            self.env = env\n", "        self.env = env\n")


@each_row(
    "text",
    [
        FLAGGED,
        EARLY,
        FLAGGED.replace("(path)\n        self.keys", "(path, keep=False)\n        self.keys"),
        FLAGGED.replace("self.path, keep=True", "self.path, True"),
        FLAGGED.replace("path, keep=False", "path, *, keep=0"),
        FLAGGED.replace("if not keep:\n            return env\n        else:\n", "if keep and path:\n").replace(
            "self.env = env\n", "self.env = env\n        return env\n"
        ),
    ],
)
def test_kept_where_only_workers_ask_for_it(text: str) -> None:
    assert sure(text) == []


@each_row(
    "text",
    [
        FLAGGED.replace("keep=False", "keep=True"),
        FLAGGED.replace("(path)\n        self.keys", "(path, keep=True)\n        self.keys"),
        FLAGGED.replace("(path)\n        self.keys", "(path, bool(path))\n        self.keys"),
        FLAGGED.replace("(path)\n        self.keys", "(*path)\n        self.keys"),
        FLAGGED.replace("(path)\n        self.keys", "(path, **path)\n        self.keys"),
        FLAGGED.replace("if not keep", "keep = not keep\n        if not keep"),
        FLAGGED.replace("if not keep", "if keep"),
        FLAGGED.replace("self.connect(path)", "(self.connect)(path) or map(self.connect, path)"),
    ],
)
def test_kept_where_the_constructor_may_ask_for_it(text: str) -> None:
    assert len(sure(text)) == 1
