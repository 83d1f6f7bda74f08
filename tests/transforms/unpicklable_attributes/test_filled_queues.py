"""A queue is filled anew with its items; how many of them are not done yet is forgotten by that."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

MAILBOX = """\
import queue
from multiprocessing import Process

class Mailbox:
    def __init__(self):
        self.queue = queue.Queue()
        self.queue.put("a")

    def waiting(self):
        return self.queue.{asked}

def work(box):
    print(box.waiting())

if __name__ == "__main__":
    Process(target=work, args=(Mailbox(),)).start()
"""


@each_row(("asked", "fixed"), [("qsize()", True), ("empty()", True), ("unfinished_tasks", False)])
def test_tasks_that_are_not_done(asked: str, fixed: bool) -> None:
    files = {"box.py": MAILBOX.format(asked=asked)}
    if fixed:
        assert "list(self.queue.queue)" in migrated(files, "unpicklable-attributes")["box.py"]
    else:
        (reason,) = reasons(files, "unpicklable-attributes")
        assert reason.startswith("box.py:10 reads how many of its tasks are not done")
