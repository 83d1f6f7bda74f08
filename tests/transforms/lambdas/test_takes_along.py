"""A function that would take along what can't be pickled gets no fix, as it would not be picklable after it."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

PROGRAM = """\
import multiprocessing as mp

def scaled(size):
    def scale(x):
        {changes}
        return x * size
    return scale

def work(fn, queue):
    queue.put(fn({{"a": 2}}))

class Env:
    def __init__(self):
        scale = scaled(3)
        self.fn = lambda row: {{"a": scale(row["a"])}}

    def run(self, queue):
        mp.Process(target=work, args=(self.fn, queue)).start()
"""


@each_row(("changes", "fixed"), [("pass", True), ("nonlocal size; size += 1", False)])
def test_both_or_none(changes: str, fixed: bool) -> None:
    files = {"env.py": PROGRAM.format(changes=changes)}
    if fixed:
        assert "lambda" not in migrated(files, "lambdas")["env.py"]
    else:
        first, second = reasons(files, "lambdas")
        assert "nonlocal" in first and second.startswith("it takes along what env.py:4 defines")
