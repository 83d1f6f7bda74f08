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
TRIED = "try:\n            self.guard()\n        except AttributeError:\n            pass"
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
        (DELETED.replace("return state", "state['lock'] = None\n        return state"), USED, "", None),
        (POPPED.replace("return state", "state.update(lock=None)\n        return state"), USED, "", None),
        (POPPED.replace("return state", "state.update(OTHER)\n        return state"), USED, "", Confidence.POSSIBLE),
        (f"if self.n:\n            return {{'lock': None}}\n        {DELETED}", USED, "", Confidence.POSSIBLE),
        (DELETED, "if self.n:\n            x += self.lock.locked()", "", Confidence.POSSIBLE),
        (DELETED, "x += self.n and self.lock.locked()", "", Confidence.POSSIBLE),
        (DELETED, "if not self.n:\n            return x\n        x += self.lock.locked()", "", Confidence.POSSIBLE),
        (DELETED, "x = [self.lock for _ in range(self.n)]", "", Confidence.POSSIBLE),
        (DELETED, "if self.n:\n            self.guard()", "", Confidence.POSSIBLE),
        (
            DELETED,
            "try:\n            self.guard()\n        except AttributeError:\n            pass",
            "",
            Confidence.POSSIBLE,
        ),
        (DELETED, "with suppress(AttributeError):\n            x += self.lock.locked()", "", Confidence.POSSIBLE),
        (DELETED, "with suppress(AttributeError):\n            self.guard()", "", Confidence.POSSIBLE),
        (DELETED, f"self.__init__()\n        {USED}", "", Confidence.POSSIBLE),
        (DELETED, f"self.__dict__.update(lock=threading.Lock())\n        {USED}", "", None),
        (DELETED, f"self.__dict__.update(OTHER)\n        {USED}", "", Confidence.POSSIBLE),
        (DELETED, f"setattr(self, NAME, threading.Lock())\n        {USED}", "", Confidence.POSSIBLE),
        (DELETED, "if self.lock.locked():\n            x += 1", "", Confidence.PROVEN),
        (DELETED, "return self.lock.locked() + x", "", Confidence.PROVEN),
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


@each_row(
    ("caller", "confidence"),
    [
        ("return self.rows(x)", Confidence.PROVEN),
        ("try:\n            return self.rows(x)\n        except Exception:\n            return x", Confidence.POSSIBLE),
        ("with suppress(AttributeError):\n            return self.rows(x)", Confidence.POSSIBLE),
        ("self.rows.__dict__['l' + 'ock'] = None\n        return x", Confidence.POSSIBLE),
    ],
)
def test_what_another_class_does_with_it(caller: str, confidence: Confidence) -> None:
    inner = PROGRAM.format(state=DELETED, read=USED, more="", sent="Outer()")
    init = "    def __init__(self):\n        self.rows = Counter()\n\n"
    outer = f"class Outer:\n{init}    def __call__(self, x):\n        {caller}\n\n\n"
    text = inner.replace("if __name__", f"{outer}if __name__").replace("    counter = Counter()\n", "")
    found = reported({"run.py": text}, RULE, confidence=Confidence.POSSIBLE)
    assert [each.confidence for each in found if "nothing makes it anew" in each.message] == [confidence]
