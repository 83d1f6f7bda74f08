"""What some workers set for themselves says nothing of others, unless these may be the same processes."""

from __future__ import annotations

import pytest

from codemods.engine.migrate import check
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

OPTIONS = """\
options = {}

def setup(size):
    options["size"] = size
"""
OTHERS = """\
import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor

import options
from torch.utils.data import DataLoader

def begin(size):
    options.setup(size)

def loop(tasks, size):
    options.setup(size)
    tasks.get()()

def start(tasks, pool):
    {start}
"""
TRAIN = """\
import multiprocessing as mp

import options
import others

def show(number=1):
    print(options.options["size"])

def main():
    options.setup(3)
    tasks = mp.Queue()
    with mp.Pool(2) as pool:
        others.start(tasks, pool)
        {send}

if __name__ == "__main__":
    main()
"""
SPAWN = "mp.get_context('spawn').Process(target=loop, args=(tasks, 3)).start()"
PROCESS = "mp.get_context('spawn').Process(target=show).start()"


@each_row(
    ("start", "send", "found"),
    [
        pytest.param("print(tasks)", "pool.map(show, [1])", True, id="nothing sets it"),
        pytest.param("mp.Pool(2, initializer=begin, initargs=(3,))", "pool.map(show, [1])", False, id="initializer"),
        pytest.param("ProcessPoolExecutor(2, None, begin, (3,))", "pool.map(show, [1])", False, id="by position"),
        pytest.param("DataLoader([1], num_workers=2, worker_init_fn=begin)", PROCESS, False, id="of a loader"),
        pytest.param("pool.map(begin, [3])", "pool.map(show, [1])", False, id="a task of the same pool"),
        pytest.param("pool.map(begin, [3])", PROCESS, True, id="a task of a pool, and a process"),
        pytest.param(SPAWN, "tasks.put(show)", False, id="runs what comes through a queue"),
        pytest.param("tasks.put(begin)", PROCESS, False, id="comes through a queue itself"),
        pytest.param(SPAWN, PROCESS, True, id="another process"),
        pytest.param(SPAWN, "pool.map(show, [1])", True, id="a process, and tasks of a pool"),
    ],
)
def test_who_may_have_what_others_set(start: str, send: str, found: bool) -> None:
    texts = {"options.py": OPTIONS, "others.py": OTHERS.format(start=start), "train.py": TRAIN.format(send=send)}
    report = check(MemoryFiles({path: text.encode() for path, text in texts.items()}), Settings(select=("main-guard",)))
    assert ["changes in the main process only" in each.message for each in report.findings] == [True] * found
