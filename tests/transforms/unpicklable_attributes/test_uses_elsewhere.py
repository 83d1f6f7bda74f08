"""What code that does not name the class does to its objects: set, read, copy and list attributes."""

from __future__ import annotations

from harness.small import migrated, reasons

KEEPER = """\
import threading


class Keeper:
    def __init__(self, path):
        self.first = 1
        self.lock = threading.Lock()
        self.last = 2
"""
READER = """\
class Keeper:
    def __init__(self, path):
        self.path = path
        self.file = open(path)

    def next(self):
        return self.file.readline()
"""
LOGS = """\
import logging


class Keeper:
    def __init__(self, path):
        self.logger = logging.getLogger(path)
        self.handler = logging.StreamHandler()
        self.logger.addHandler(self.handler)
        self.logger.setLevel(logging.INFO)
        self.logger.propagate = False
"""
TRAIN = """\
import multiprocessing
from keeper import Keeper
import helper


def work(keeper):
    print(keeper)


if __name__ == '__main__':
    keeper = Keeper('a.txt')
    helper.use(keeper)
    multiprocessing.Process(target=work, args=(keeper,)).start()
"""


def files(helper: str, keeper: str = KEEPER) -> dict[str, str]:
    return {"keeper.py": keeper, "helper.py": f"import copy\n\n\ndef use(it):\n    {helper}\n", "train.py": TRAIN}


def test_set_elsewhere() -> None:
    for change, says in (
        ("it.lock = None; it.lock = 3", "sets it"),
        ("it.lock = 3", "sets it"),
        ("it.lock = it", "sets it"),
        ("setattr(it, 'lock', None)", "sets it"),
        ("del it.lock", "deletes it"),
    ):
        start = TRAIN.splitlines()[-1]
        behind = TRAIN.replace(f"    helper.use(keeper)\n{start}\n", f"{start}\n    helper.use(keeper)\n")
        (reason,) = reasons({**files(change), "train.py": behind}, "unpicklable-attributes")
        assert reason.startswith(f"helper.py:5 {says} from outside"), change


def test_taken_off_before_the_object_is_sent() -> None:
    for change in ("it.lock = None", "del it.lock"):
        assert not reasons(files(change), "unpicklable-attributes"), change


def test_copied_elsewhere() -> None:
    assert "def __copy__(self):" in migrated(files("return copy.copy(it)"), "unpicklable-attributes")["keeper.py"]
    assert "def __copy__(self):" not in migrated(files("return copy.copy(3)"), "unpicklable-attributes")["keeper.py"]


def test_read_elsewhere() -> None:
    after = migrated(files("return it.file.readline()", READER), "unpicklable-attributes")
    assert "self.file.seek(state" in after["keeper.py"]
    assert reasons(files("return next(it.file)", READER), "unpicklable-attributes")


def test_listed_elsewhere() -> None:
    kept = migrated(files("return list(vars(it))"), "unpicklable-attributes")["keeper.py"]
    assert 'state["lock"] = None' in kept, "the copy has its attributes in the same order"
    assert 'del state["lock"]' in migrated(files("return it.first"), "unpicklable-attributes")["keeper.py"]
    stash = READER.replace("        self.path = path\n", "")
    (reason,) = reasons(files("return it.__dict__", stash), "unpicklable-attributes")
    assert reason.startswith("it needs another attribute for `path`, and helper.py:5 lists all attributes")


def test_logger_is_set_up_as_it_was() -> None:
    after = migrated(files("pass", LOGS), "unpicklable-attributes")["keeper.py"]
    for line in ("addHandler(self.handler)", "setLevel(logging.INFO)", "propagate = False"):
        assert after.count(f"self.logger.{line}") == 2, line
    branch = LOGS.replace("        self.logger.setLevel", "        if path:\n            self.logger.setLevel")
    (reason,) = reasons(files("pass", branch), "unpicklable-attributes")
    assert reason.startswith("line 10 sets up the logger `self.logger`, which another process would not have")
    off = LOGS + "        self.logger.removeHandler(self.handler)\n"
    (reason,) = reasons(files("pass", off), "unpicklable-attributes")
    assert reason.startswith("line 11 takes it off again")


def test_semaphore_that_is_taken() -> None:
    keeper = KEEPER.replace("Lock()", "Semaphore(2)")
    train = TRAIN.replace("    helper.use(keeper)\n", "    keeper.lock.acquire()\n")
    (reason,) = reasons({"keeper.py": keeper, "helper.py": "", "train.py": train}, "unpicklable-attributes")
    assert reason.startswith("train.py:12 calls `acquire` on it")
