"""What a `with` sets ends with its block: workers that are started below it have what was there before."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
import contextlib
import io
import multiprocessing as mp


def load():
    return [1, 2]


def work(row):
    print("row", row)
    return row


def run(rows):
    with mp.Pool(2) as pool:
        pool.map(work, rows)


def begin(rows):
    run(rows)


def main():
    with contextlib.redirect_stdout(io.StringIO()):
        rows = {inside}
    {below}


if __name__ == "__main__":
    {guarded}
"""


@each_row(
    "inside, below, guarded, found",
    [
        ("load()", "run(rows)", "main()", False),
        ("load()", "begin(rows)", "main()", False),
        ("load()", "print(rows)", "main()\n    run([1])", False),
        ("run(load())", "print(rows)", "main()", True),
        ("begin(load())", "print(rows)", "main()", True),
        ("load()", "run(rows)", "with contextlib.redirect_stdout(io.StringIO()):\n        main()", True),
    ],
)
def test_where_the_workers_are_started(inside: str, below: str, guarded: str, found: bool) -> None:
    text = TEXT.format(inside=inside, below=below, guarded=guarded)
    assert bool(reported({"a.py": text}, "main-guard")) == found
