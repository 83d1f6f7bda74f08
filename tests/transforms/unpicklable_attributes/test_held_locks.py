"""Locks that are taken when a process starts: a new lock in the copy is free."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

TEXT = """\
import threading
from multiprocessing import Process


class Store:
    def __init__(self):
        self.{attribute} = threading.{kind}()

{methods}

def work(store):
    print(store.ask())


if __name__ == "__main__":
    store = Store()
    worker = Process(target=work, args=(store,))
{main}
    worker.join()
"""
START = "    worker.start()\n"
BUSY = "    def ask(self):\n        return self.gate.acquire(blocking=False)\n"
LOCKED = "    def ask(self):\n        return self.gate.locked()\n"
SOON = "    def ask(self):\n        return self.gate.acquire(timeout=0.1)\n"
WAITS = "    def ask(self):\n        with self.gate:\n            return 1\n"
TRIES = (
    "    def ask(self):\n        if not self.gate.acquire(False):\n            return 0\n"
    "        try:\n            return 1\n        finally:\n            self.gate.release()\n"
)
HELD = "    with store.gate:\n        worker.start()\n"
ENTERS = (
    "    def enter(self):\n        self.gate.acquire()\n\n    def leave(self):\n        self.gate.release()\n\n" + BUSY
)
TAKEN = "    store.gate.acquire()\n    worker.start()\n    store.gate.release()\n"


def _text(methods: str, main: str, kind: str = "Lock") -> str:
    return TEXT.format(attribute="gate", kind=kind, methods=methods, main=main.rstrip("\n"))


@pytest.mark.parametrize("kind", ["Lock", "RLock", "Semaphore"])
@pytest.mark.parametrize("main", [HELD, TAKEN], ids=["with", "acquire"])
@pytest.mark.parametrize("methods", [BUSY, SOON, TRIES], ids=["at once", "soon", "given back"])
def test_a_lock_that_may_be_taken_is_not_a_new_one(methods: str, main: str, kind: str) -> None:
    (reason,) = reasons({"a.py": _text(methods, main, kind)}, "unpicklable-attributes")
    assert "without waiting" in reason or "fills or sets it" in reason


def test_a_lock_that_one_method_takes_and_another_gives_back() -> None:
    (reason,) = reasons(
        {"a.py": _text(ENTERS, "    store.enter()\n    worker.start()\n    store.leave()\n")}, "unpicklable-attributes"
    )
    assert "without waiting" in reason


def test_what_a_worker_takes_is_not_taken_at_the_start() -> None:
    text = _text(WAITS, START).replace("print(store.ask())", "print(store.ask(), store.gate.acquire(False))")
    (after,) = migrated({"a.py": text}, "unpicklable-attributes").values()
    assert after.count("threading.Lock()") == 2


def test_locked_is_a_question_too() -> None:
    (reason,) = reasons({"a.py": _text(LOCKED, HELD)}, "unpicklable-attributes")
    assert "line 10 asks for it without waiting, and it may be taken (line 20)" in reason


@each_row(
    ("methods", "main"),
    [
        pytest.param(WAITS, HELD, id="a child of fork would wait forever"),
        pytest.param(WAITS, START, id="only waited for"),
        pytest.param(TRIES, START, id="free when the process starts"),
        pytest.param(LOCKED, START, id="asked, never taken"),
        pytest.param(TRIES, "    with store.gate:\n        print(1)\n" + START, id="given back before"),
    ],
)
def test_a_lock_that_is_free_or_waited_for_is_made_again(methods: str, main: str) -> None:
    (after,) = migrated({"a.py": _text(methods, main)}, "unpicklable-attributes").values()
    assert after.count("threading.Lock()") == 2


@pytest.mark.parametrize(
    "held",
    [
        "    with store.gate:\n        go(store)\n",
        "    store.gate.acquire()\n    go(store)\n    store.gate.release()\n",
    ],
)
def test_a_function_that_starts_the_process(held: str) -> None:
    text = (
        _text(BUSY, held)
        .replace("    worker = Process(target=work, args=(store,))\n", "")
        .replace("    worker.join()\n", "")
    )
    go = "def go(store):\n    worker = Process(target=work, args=(store,))\n    worker.start()\n\n\nif __name__"
    (reason,) = reasons({"a.py": text.replace("if __name__", go)}, "unpicklable-attributes")
    assert "asks for it without waiting" in reason
