"""Locks and values of multiprocessing kept on an object: workers inherit them when they start, and not afterwards."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Lock, Pool, Process, Value

class Counter:
    def __init__(self):
        self.value = Value("i", 0)

def work(*parts):
    print(parts)

def main(rows):
    counter = Counter()
    {body}

if __name__ == "__main__":
    main([1, 2])
"""


@each_row(
    ("body", "count"),
    [
        ("Process(target=work, args=(counter,)).start()", 0),
        ("Pool(2, initializer=work, initargs=(counter,)).map(work, rows)", 0),
        ("ProcessPoolExecutor(2, initializer=work, initargs=(counter,)).submit(work, rows)", 0),
        ("Pool(2).map(work, [counter])", 1),
        ("Pool(2).starmap(work, [(row, counter) for row in rows])", 1),
        ("Pool(2).apply_async(work, (counter,))", 1),
        ("ProcessPoolExecutor(2).submit(work, counter)", 1),
    ],
)
def test_when_workers_get_it(body: str, count: int) -> None:
    found = reported({"run.py": PROGRAM.format(body=body)}, "unpicklable-attributes")
    assert [each.span.line for each in found] == [6] * count
    assert all("through inheritance" in each.message for each in found)


def test_bases_in_a_circle() -> None:
    files = {
        "train.py": "from torch.utils.data import DataLoader\nfrom data import Rows\n\n"
        "print(*DataLoader(Rows(), num_workers=2))\n",
        "data.py": "import threading\nfrom base import Base\n\n\nclass Rows(Base):\n    def __init__(self):\n"
        "        self.lock = threading.Lock()\n",
        "base.py": "from torch.utils.data import Dataset\nfrom data import Rows\n\n"
        "class Base(Rows, Dataset):\n    pass\n",
    }
    (finding,) = reported(files, "unpicklable-attributes")
    assert (finding.path, finding.span.line) == ("data.py", 7) and finding.fix is not None


def test_an_object_that_new_makes_of_no_class() -> None:
    text = "import pickle\nimport threading\n\n\nclass Rows:\n    def __init__(self):\n"
    text += "        self.lock = threading.Lock()\n\n\nmore = object.__new__()\npickle.dumps(Rows())\n"
    (finding,) = reported({"train.py": text}, "unpicklable-attributes")
    assert finding.span.line == 7 and finding.fix is not None
