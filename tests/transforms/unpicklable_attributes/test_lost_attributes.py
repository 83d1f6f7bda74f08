"""Attributes that a `__getstate__` takes out and nothing makes anew, where a worker reads them."""

from __future__ import annotations

from codemods.finding import Confidence, Finding
from harness.each_row import each_row
from harness.small import reported

RULE = "unpicklable-attributes"
PROGRAM = """\
import threading
from multiprocessing import Pool


class Counter:
{more}
    def __init__(self):
        self.lock = threading.Lock()
        self.n = 0

    def __getstate__(self):
        {state}

    def guard(self):
        return self.lock

    def __call__(self, x):
        {read}
        return x


if __name__ == "__main__":
    counter = Counter()
    with Pool(2) as pool:
        print(pool.map({sent}, [1, 2]))
"""
DELETED = "state = self.__dict__.copy()\n        del state['lock']\n        return state"
POPPED = "state = dict(self.__dict__)\n        state.pop('lock', None)\n        return state"
FILTERED = "return {k: v for k, v in self.__dict__.items() if k != 'lock'}"
USED = "with self.lock:\n            x += self.n"
SET = "    def __setstate__(self, state):\n        self.__dict__.update(state)\n        self.lock = threading.Lock()\n"


def findings(state: str, read: str, more: str, sent: str = "counter") -> list[Finding]:
    text = PROGRAM.format(state=state, read=read, more=more, sent=sent)
    return reported({"run.py": text}, RULE, confidence=Confidence.POSSIBLE)


@each_row(
    ("state", "read", "more", "confidence"),
    [
        (DELETED, USED, "", Confidence.PROVEN),
        (POPPED, USED, "", Confidence.PROVEN),
        (FILTERED, USED, "", Confidence.PROVEN),
        (DELETED, "with self.guard():\n            x += 1", "", Confidence.PROVEN),
        (DELETED, "x += self.n", "", Confidence.POSSIBLE),
        (DELETED, USED, SET, None),
        (DELETED, USED, "    lock = None\n", None),
        (DELETED, USED, "    def __getattr__(self, name):\n        return threading.Lock()\n", None),
        (DELETED, "if hasattr(self, 'lock'):\n            x += self.lock.locked()", "", None),
        (DELETED, "self.lock = threading.Lock()\n        x += self.lock.locked()", "", None),
        (DELETED.replace("del state['lock']", "state['lock'] = None"), USED, "", None),
    ],
)
def test_what_a_copy_lacks(state: str, read: str, more: str, confidence: Confidence | None) -> None:
    found = [finding for finding in findings(state, read, more) if "nothing makes it anew" in finding.message]
    assert [finding.confidence for finding in found] == ([] if confidence is None else [confidence])
    assert all(finding.fix is None for finding in found)


def test_the_method_that_is_sent_reads_it() -> None:
    (found,) = findings(DELETED, "x += 1", "", sent="counter.guard")
    assert found.confidence is Confidence.PROVEN
    assert "`self.lock = threading.Lock()`" in (found.reason or "")
