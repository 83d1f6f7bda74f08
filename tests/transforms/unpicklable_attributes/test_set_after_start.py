"""unpicklable-attributes: what is stored behind the start of the processes that get the object does not cross."""

from __future__ import annotations

import textwrap

import pytest

from harness.small import reported

RULE = "unpicklable-attributes"
PROGRAM = """\
import threading
from multiprocessing import Process

class Loader:
    def __init__(self, workers):
{body}

    def work(self):
        print(1)

{more}
if __name__ == '__main__':
    Loader(2)
"""
STORE = "self.lock = threading.Lock()"
MADE = "self.worker = Process(target=self.work)"
START = "self.worker.start()"
SEVERAL = "self.workers = [Process(target=self.work) for _ in range(workers)]"
EACH = "for worker in self.workers:\n    worker.start()"


def found(*lines: str, more: str = "") -> bool:
    """Something is reported of the lock."""
    text = PROGRAM.format(body=textwrap.indent("\n".join(lines), 8 * " "), more=more)
    return any("self.lock" in finding.message for finding in reported({"a.py": text}, RULE))


@pytest.mark.parametrize(
    "lines",
    [
        (MADE, START, STORE),
        (MADE, "self.worker.daemon = True", START, f"if workers > 1:\n    {STORE}"),
        ("worker = Process(target=self.work)", "worker.start()", STORE),
        ("Process(target=self.work).start()", STORE),
        (SEVERAL, EACH, STORE),
        (f"if workers > 1:\n    {MADE}\n    {START}", STORE),
    ],
)
def test_set_behind_the_start(lines: tuple[str, ...]) -> None:
    assert not found(*lines)


@pytest.mark.parametrize(
    "lines",
    [
        (STORE, MADE, START),
        (MADE, STORE, START),
        (MADE, "other.start()", STORE, START),
        (MADE, START, STORE, "Process(target=self.work).start()"),
        (SEVERAL, STORE, EACH),
        (f"for _ in range(workers):\n    {MADE}\n    {START}\n    {STORE}",),
    ],
)
def test_set_above_a_start(lines: tuple[str, ...]) -> None:
    assert found(*lines)


def test_another_method_starts_more() -> None:
    more = "    def more(self):\n        Process(target=self.work).start()\n"
    assert found(MADE, START, STORE, more=more)
