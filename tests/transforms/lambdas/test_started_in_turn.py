"""Targets that read the variable of a loop: where the process starts in the same turn, they have the value of that."""

from __future__ import annotations

import pytest

from harness.small import migrated, reported

TEXT = """\
import multiprocessing as mp


class Launcher:
    def __init__(self):
        self.results = mp.SimpleQueue()

    def loop(self, rank):
        self.results.put(rank)

    def launch(self, size, pool):
        processes = []
        for rank in range(size):
            {body}
        for p in processes:
            p.start()


if __name__ == "__main__":
    Launcher().launch(3, mp.Pool(2))
"""
MADE = "p = mp.Process(target=lambda: self.loop(rank))"
NEW = "mp.Process(target=self._launch_target, args=(rank,))"


def text(*body: str) -> str:
    return TEXT.format(body="\n            ".join(body))


@pytest.mark.parametrize(
    "body",
    [
        (MADE, "p.start()", "p.join()"),
        (MADE, "processes.append(p)", "name = p.name", "p.start()"),
        ("mp.Process(target=lambda: self.loop(rank)).start()",),
    ],
)
def test_it_starts_in_its_turn(body: tuple[str, ...]) -> None:
    """The queue that the method takes along is inherited by the process."""
    after = migrated({"a.py": text(*body)}, "lambdas")["a.py"]
    assert NEW in after and "def _launch_target(self, rank):\n        return self.loop(rank)" in after


@pytest.mark.parametrize(
    "body",
    [
        (MADE, "processes.append(p)"),
        (MADE, "if rank:", "    p.start()"),
        (MADE, "p = processes[0]", "p.start()"),
        (MADE, "p.join()", "processes[0].start()"),
        ("processes.append(mp.Process(target=lambda: self.loop(rank)))",),
    ],
)
def test_it_starts_later(body: tuple[str, ...]) -> None:
    """Each process would have the last rank, and has its own after the fix."""
    (finding,) = reported({"a.py": text(*body)}, "lambdas")
    assert finding.fix is not None
    assert finding.fix.unsafe is not None and "`rank` is a loop variable" in finding.fix.unsafe


def test_a_pool_does_not_inherit_the_queue() -> None:
    (finding,) = reported({"a.py": text("pool.map(lambda x: self.loop(x), [1])")}, "lambdas")
    assert finding.fix is None and "a multiprocessing object `self.results`" in (finding.reason or "")
