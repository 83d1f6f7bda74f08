"""A copy in a worker ends there: a `__del__` that does more than to close its own things would run once more."""

from __future__ import annotations

import pytest

from harness.small import migrated, reasons

TEXT = """\
import multiprocessing as mp
import os
import shutil
import threading


class Scratch:
    def __init__(self, folder):
        self.folder = folder
        self.file = {file}
        self.pid = os.getpid()

    def close(self):
        {close}

    def __del__(self):
        {ends}


class Holder:
    def __init__(self, folder, rows):
        self.scratch = Scratch(folder)
        {kept}

    def run(self, queue):
        queue.put(1)


def main(folder, rows):
    holder = Holder(folder, rows)
    process = mp.Process(target=holder.run, args=(mp.Queue(),))
    process.start()
    process.join()
"""
KEPT = {
    "lambdas": "self.double = lambda x: x * 2",
    "dict-views": "self.names = rows.keys()",
    "unpicklable-attributes": "self.lock = threading.Lock()",
}


def text(rule: str, ends: str, close: str = "self.file.close()") -> dict[str, str]:
    file = "open(os.path.join(folder, 'rows'))" if rule == "unpicklable-attributes" else "0"
    return {"train.py": TEXT.format(file=file, close=close, ends=ends, kept=KEPT[rule])}


@pytest.mark.parametrize("rule", sorted(KEPT))
@pytest.mark.parametrize(
    "ends", ["shutil.rmtree(self.folder)", "print('done')", "self.close()\n        os.remove('x')"]
)
def test_a_copy_that_would_remove_what_the_parent_has(rule: str, ends: str) -> None:
    assert any("Scratch.__del__` (train.py:16) calls" in reason for reason in reasons(text(rule, ends), rule))


@pytest.mark.parametrize("rule", sorted(KEPT))
@pytest.mark.parametrize(
    "ends",
    [
        "self.close()",
        "self.file = None",
        "if self.pid == os.getpid():\n            shutil.rmtree(self.folder)",
    ],
)
def test_what_lets_go_of_its_own_things(rule: str, ends: str) -> None:
    files = text(rule, ends)
    assert migrated(files, rule)["train.py"] != files["train.py"]


def test_a_method_that_it_calls() -> None:
    (reason,) = reasons(text("lambdas", "self.close()", "shutil.rmtree(self.folder)"), "lambdas")
    assert "calls `shutil.rmtree`" in reason
