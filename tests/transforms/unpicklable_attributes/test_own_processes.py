"""An object that starts its own methods as processes, and keeps them: the second start can't pickle the first."""

from __future__ import annotations

import pytest

from harness.small import reasons

RULE = "unpicklable-attributes"
TEXT = """\
import multiprocessing as mp


def work(rank):
    print(rank)


class Cluster:
    def __init__(self, n):
        self.n = n
        self.procs = []
        self.by_rank = {{}}
        self.last = None

    def loop(self, rank):
        print(rank * self.n)
{more}
    def start(self):
        {start}


if __name__ == "__main__":
    Cluster(3).start()
"""


def found(start: str, more: str = "") -> list[str]:
    text = TEXT.format(start=start.replace("\n", "\n        "), more=more)
    return [reason for reason in reasons({"train.py": text}, RULE) if "a function, and what that needs" in reason]


@pytest.mark.parametrize(
    "start",
    [
        "for i in range(2):\n    p = mp.Process(target=self.loop, args=(i,))\n    p.start()\n    self.procs.append(p)",
        "for i in 'ab':\n    self.procs.append(mp.Process(target=self.loop, args=(i,)))\n    self.procs[-1].start()",
        "for i in range(2):\n    p = mp.Process(target=work, args=(self,))\n    self.procs += [p]\n    p.start()",
        "for i in range(2):\n    p = mp.Process(target=self.loop, args=(i,))\n    self.by_rank[i] = p\n    p.start()",
        "self.procs = [mp.Process(target=self.loop, args=(i,)) for i in range(2)]\nfor p in self.procs:\n    p.start()",
    ],
)
def test_processes_that_get_those_before_them(start: str) -> None:
    assert len(found(start)) == 1


@pytest.mark.parametrize(
    "start",
    [
        "for i in range(2):\n    p = mp.Process(target=work, args=(i,))\n    p.start()\n    self.procs.append(p)",
        "p = mp.Process(target=self.loop, args=(0,))\nself.procs.append(p)\np.start()",
        "procs = [mp.Process(target=self.loop, args=(i,)) for i in range(2)]\nfor p in procs:\n    p.start()",
        "mp.set_start_method('fork')\nself.procs = [mp.Process(target=self.loop, args=(i,)) for i in range(2)]\n"
        "for p in self.procs:\n    p.start()",
    ],
)
def test_look_alikes(start: str) -> None:
    assert not found(start)


def test_a_class_that_says_what_crosses() -> None:
    start = (
        "self.procs = [mp.Process(target=self.loop, args=(i,)) for i in range(2)]\nfor p in self.procs:\n    p.start()"
    )
    assert found(start) and not found(start, "    def __getstate__(self):\n        return {'n': self.n}\n")
