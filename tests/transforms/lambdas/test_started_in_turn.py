"""Targets that read the variable of a loop: where the process starts in the same turn, they have the value of that."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
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
NEW = "mp.Process(target=self.loop, args=(rank,))"


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
    assert NEW in after


@each_row(
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


LOADER = """\
import numpy as np
from torch.utils.data import DataLoader
from tqdm import tqdm


def run(rows, keep):
    for fold in range(3):
        seed = keep.seed + fold
        if seed > 5:
            continue
        loader = DataLoader(rows, num_workers=2, worker_init_fn=lambda worker: np.random.seed(seed + worker))
        {body}
    {behind}


if __name__ == "__main__":
    run([1, 2], np)
"""
PARTIAL = "worker_init_fn=functools.partial(_run_worker_init_fn, seed))"


@pytest.mark.parametrize(
    "body",
    [
        "for row in loader: print(row)",
        "for at, row in enumerate(tqdm(loader, desc='x')): print(at, len(loader), loader.dataset)",
        "with open('x') as out: rows = [out.write(str(row)) for row in tqdm(loader)]",
    ],
)
def test_a_loader_that_is_used_up_in_its_turn(body: str) -> None:
    after = migrated({"a.py": LOADER.format(body=body, behind="pass")}, "lambdas")["a.py"]
    assert (
        PARTIAL in after and "def _run_worker_init_fn(seed, worker):\n    return np.random.seed(seed + worker)" in after
    )


@each_row(
    ("body", "behind"),
    [
        pytest.param("keep.append(loader)", "pass", id="kept"),
        pytest.param("batches = iter(loader)", "print(next(batches))", id="an iterator is kept"),
        pytest.param("bar = tqdm(loader)", "print(list(bar))", id="a bar is kept"),
        pytest.param("for row in loader: print(row)", "print(len(loader))", id="used behind the loop"),
        pytest.param("keep.fn = loader.worker_init_fn", "pass", id="its function is kept"),
        pytest.param("print([lambda: loader])", "pass", id="in a function"),
        pytest.param("for row in loader: print(row)\n        loader = None", "pass", id="bound again"),
        pytest.param("for row in loader: seed = row", "pass", id="the value changes behind it"),
        pytest.param("keep.train(loader)", "pass", id="handed on"),
    ],
)
def test_a_loader_that_may_outlive_its_turn(body: str, behind: str) -> None:
    (found,) = reported({"a.py": LOADER.format(body=body, behind=behind)}, "lambdas")
    assert (found.fix is None or found.fix.unsafe is not None) and "seed" in (found.reason or found.fix.unsafe or "")


POOLS = """\
import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor


def setup(rate, tag):
    print(rate, tag)


def sweep(rates, tag):
    for rate in rates:
        tag = tag + "+"
        with {pool}:
            {body}
    return tag
"""


@each_row(
    ("pool", "body", "safe"),
    [
        ("mp.Pool(1, initializer=lambda: setup(rate, tag)) as pool", "print(pool.map(len, ['ab']))", True),
        ("ProcessPoolExecutor(initializer=lambda: setup(rate, tag)) as ex", "print(list(ex.map(len, ['a'])))", True),
        ("mp.Pool(1, initializer=lambda: setup(rate, tag)) as pool", "rate = 3; print(pool.map(len, ['ab']))", False),
        ("mp.Pool(1, initializer=lambda: setup(rate, tag)) as pool", "print([pool.map(len, [r]) for r in 'ab'])", True),
        ("mp.Pool(1, initializer=lambda: setup(rate, tag)) as rate", "pass", False),
        ("open(tag) as f", "pool = mp.Pool(1, initializer=lambda: setup(rate, tag))", False),
    ],
)
def test_a_pool_that_does_not_outlive_its_turn(pool: str, body: str, safe: bool) -> None:
    (found,) = reported({"a.py": POOLS.format(pool=pool, body=body)}, "lambdas")
    unsafe = found.fix is None or found.fix.unsafe is not None
    assert unsafe is not safe
