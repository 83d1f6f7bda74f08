"""What is in `tuple(locks)` and in `list(threading.Lock() for ...)` can't be pickled either."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reported

TEXT = """\
import multiprocessing as mp
import threading


class Table:
    def __init__(self):
        {body}

    def __len__(self):
        return 1


def work(table):
    return len(table)


if __name__ == "__main__":
    with mp.Pool(2) as pool:
        print(pool.map(work, [Table(), Table()]))
"""
LOCKS = "[threading.Lock() for _ in range(3)]"
FILES = '[open("a"), open("b")]'


@each_row(
    "body, found",
    [
        (f"self.locks = {LOCKS}", True),
        (f"self.locks = tuple({LOCKS})", True),
        ("self.locks = tuple(threading.Lock() for _ in range(3))", True),
        ("self.locks = dict({'a': threading.Lock()})", True),
        (f"locks = {LOCKS}\n        locks = tuple(locks)\n        self.locks = locks", True),
        (f"locks = {LOCKS}\n        self.locks = frozenset(locks)", True),
        ("self.files = tuple(open(name) for name in ('a', 'b'))", True),
        ("self.files = tuple(open('a'))", False),  # its lines
        ("self.files = [line.strip() for line in tuple(open('a'))]", False),
        (f"files = {FILES}\n        self.rows = list(zip(*files))", False),
        ("locks = {'a': threading.Lock()}\n        self.names = tuple(locks)", False),  # its keys
        ("locks = {'a': threading.Lock()}\n        self.names = sorted(locks)", False),
        (f"locks = {LOCKS}\n        self.count = len(tuple(locks))", False),
        (f"tuple = len\n        self.count = tuple({LOCKS})", False),
    ],
)
def test_what_is_in_it(body: str, found: bool) -> None:
    assert bool(reported({"a.py": TEXT.format(body=body)}, "unpicklable-attributes")) == found


def test_it_is_made_anew_as_it_was() -> None:
    made = "self.locks = tuple(threading.Lock() for _ in range(3))"
    after = migrated({"a.py": TEXT.format(body=made)}, "unpicklable-attributes")["a.py"]
    assert after.count(made) == 2 and 'del state["locks"]' in after
