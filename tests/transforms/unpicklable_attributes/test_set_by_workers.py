"""What only a worker sets on an object is not there when the object is sent."""

from __future__ import annotations

from codemods.finding import Confidence
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
