"""Tables that are emptied right above the start of a worker, and objects that workers bind anew themselves."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

TABLE = """
from multiprocessing import Process

TABLE = {{{first}}}

def note(x):
    TABLE.update(a=x)

def work(x):
    print(x, TABLE)

def main():
    note(1)
    {lines}
    process = Process(target=work, args=(3,))
    process.start()

if __name__ == "__main__":
    main()
"""


@each_row(
    ("first", "lines", "found"),
    [
        ("", "TABLE.clear()", False),
        ("", "pass", True),
        ("", "TABLE.clear(); note(2)", True),
        ("", "TABLE.clear(); TABLE['a'] = 2", True),
        ("0: 1", "TABLE.clear()", True),
        ("", "if note: TABLE.clear()", True),
    ],
)
def test_a_table_that_is_empty_again(first: str, lines: str, found: bool) -> None:
    assert bool(reported({"main.py": TABLE.format(first=first, lines=lines)}, "main-guard")) is found


@pytest.mark.parametrize(
    ("lines", "imported", "found"),
    [
        ("TABLE.clear(); process = Process(target=work)", "", False),
        ("TABLE.clear(); process = Process(target=work); TABLE['a'] = 1", "", True),
        ("TABLE.clear(); Process(target=work).start(); TABLE['a'] = 1\n    process = Process(target=work)", "", True),
        ("TABLE.clear(); Process(target=work).start()\n    TABLE.clear(); process = Process(target=work)", "", False),
        ("TABLE.clear(); process = Process(target=work)", "@note\ndef one():\n    pass\n", True),
        ("TABLE.clear(); process = Process(target=work)", "note(work)\n", True),
        ("TABLE.clear(); process = Process(target=work)", "def fill():\n    note(1)\n\nfill()\n", True),
        ("again(1); TABLE.clear(); process = Process(target=work)", "def again(x):\n    note(x) or again(x)\n", False),
        ("TABLE.clear(); process = Process(target=work)", "TABLE['x'] = 1\n", True),
        ("TABLE.clear()\n    Pool(1).apply(work)\n    TABLE.clear(); process = Process(target=print)", "", True),
    ],
)
def test_a_table_that_is_filled_again(lines: str, imported: str, found: bool) -> None:
    text = f"""
from multiprocessing import Pool, Process
import table
from table import TABLE, note

{imported}
def work():
    print(TABLE)

def main():
    {lines}
    process.start()

if __name__ == "__main__":
    main()
"""
    table = "TABLE = {}\n\ndef note(x):\n    TABLE[str(x)] = x\n    return x\n"
    assert bool(reported({"main.py": text, "table.py": table}, "main-guard")) is found


CLOCK = "import itertools\n\nTICKS = itertools.count()\n\ndef now():\n    return next(TICKS)\n"
MAIN = """
from multiprocessing import Process
import clock

def work():
    {first}
    print(clock.now())

def renew():
    clock.TICKS = iter([1, 2])

def other():
    clock.TICKS = iter([1, 2])
    print(clock.now())

def main():
    clock.now()
    Process(target=work).start()
    Process(target=other).start()

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("first", "found"),
    [
        ("clock.TICKS = iter([1, 2])", False),
        ("renew()", False),
        ("print(clock.now()); clock.TICKS = iter([1, 2])", True),
        ("clock.TICKS = clock.TICKS", True),
        ("pass", True),
    ],
)
def test_an_object_that_workers_make_anew(first: str, found: bool) -> None:
    files = {"main.py": MAIN.format(first=first), "clock.py": CLOCK}
    assert bool(reported(files, "main-guard")) is found


STEPS = """
from multiprocessing import Pool
from torch.utils.data import DataLoader, Dataset
import clock

class Rows(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, at):
        return clock.STEP

class Others(Rows):
    def __getitem__(self, at):
        return at

def init(*_):
    clock.STEP = 1

def read(at):
    return clock.STEP

def double(at):
    return 2 * at

def main():
    {lines}

if __name__ == "__main__":
    main()
"""
SET = "clock.STEP = 5"
BLOCK = "with Pool(1{how}) as pool: print(pool.map({run}, [1]))"
BEGINS = BLOCK.format(how=", initializer=init", run="read")
LOADER = "DataLoader(Rows(), num_workers=1, worker_init_fn=init)"


@each_row(
    ("lines", "found"),
    [
        ((SET, BEGINS), False),
        ((SET, BEGINS, BLOCK.format(how="", run="double")), False),
        ((SET, BEGINS, BLOCK.format(how="", run="read")), True),
        ((BLOCK.format(how="", run="read"), SET, BEGINS), False),
        ((SET, BEGINS, "pool = Pool(1)", "pool.map(read, [1])"), True),
        ((SET, BEGINS, "Pool(1).map(read, [1])"), True),
        ((SET, f"list({LOADER})", "list(DataLoader(Others(), num_workers=1))"), False),
        ((SET, f"list({LOADER})", "list(DataLoader(Rows(), num_workers=0))"), False),
        ((SET, f"list({LOADER})", "list(DataLoader(Rows(), num_workers=1))"), True),
        ((SET, f"list({LOADER})", "rows = Rows()", "list(DataLoader(rows, num_workers=1))"), True),
    ],
)
def test_workers_that_begin_without_the_function(lines: tuple[str, ...], found: bool) -> None:
    files = {"main.py": STEPS.format(lines="\n    ".join(lines)), "clock.py": "STEP = 0\n"}
    assert bool(reported(files, "main-guard")) is found
