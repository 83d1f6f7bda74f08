"""main-guard: loaders that a comprehension makes, and those that a trainer of a library is passed."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

RULE = "main-guard"
ROWS = (
    "from torch.utils.data import DataLoader\n\n\nclass Rows:\n    def __getitem__(self, at):\n        return at\n\n\n"
)
SOLVER = """\
class Solver:
    def __init__(self, loaders):
        self.train_loader, self.test_loader = loaders

    def train(self):
        print(next(iter(self.train_loader)))


"""


@each_row(
    "uses",
    [
        pytest.param("a, b = [LOADER for _ in range(2)]\nprint(next(iter(a)))\n", id="a pair"),
        pytest.param(
            "class Kept:\n    def __init__(self):\n        self.both = (LOADER, LOADER)\n\n\n"
            "kept = Kept()\na, b = kept.both\nfor row in a:\n    print(row)\n",
            id="an attribute",
        ),
        pytest.param("both = [LOADER for _ in range(2)]\nfor row in both[0]:\n    print(row)\n", id="an item"),
        pytest.param(f"{SOLVER}Solver([LOADER for _ in range(2)]).train()\n", id="kept by an object"),
        pytest.param(
            f"{SOLVER}def make(n):\n    return tuple(LOADER for _ in range(n))\n\n\nsolver = Solver(make(2))\n"
            "solver.train()\n",
            id="made by a function",
        ),
        pytest.param(
            "class Data:\n    def __init__(self):\n        self.train = LOADER\n\n\n"
            "class Solver:\n    def __init__(self, data):\n        self.rows = data.train\n\n"
            "    def run(self):\n        print(next(iter(self.rows)))\n\n\nsolver = Solver(Data())\nsolver.run()\n",
            id="of an object that the constructor gets",
        ),
        pytest.param("for each in [LOADER for _ in range(2)]:\n    for row in each:\n        print(row)\n", id="each"),
        pytest.param("from catalyst import dl\ndl.Runner().train(loaders={'train': LOADER})\n", id="trainer"),
    ],
)
def test_loaders_of_a_comprehension_and_of_trainers(uses: str) -> None:
    for number, found in ((3, 1), (0, 0)):
        text = ROWS + uses.replace("LOADER", f"DataLoader(Rows(), num_workers={number})")
        assert len(reported({"a.py": text}, RULE)) == found


def test_a_list_of_loaders_that_nothing_iterates() -> None:
    text = ROWS + "made = [DataLoader(Rows(), num_workers=3) for _ in range(2)]\nfor each in made:\n    print(each)\n"
    assert not reported({"a.py": text}, RULE)


BATCHES = """\
class Batches:
    def __init__(self, start):
        self.loader = LOADER

    def train(self):
        for row in self.loader:
            yield row


class Experiment:
    def __init__(self, data):
        self.data = KEPT

    def run(self):
        for row in self.data.train():
            print(row)


"""


@pytest.mark.parametrize(
    ("kept", "given"), [("data", "Batches(1)"), ("data(start=2)", "Batches")], ids=["an object", "a class"]
)
def test_a_method_of_what_a_constructor_is_given(kept: str, given: str) -> None:
    for number, found in ((3, 1), (0, 0)):
        text = ROWS + BATCHES.replace("LOADER", f"DataLoader(Rows(), num_workers={number})").replace("KEPT", kept)
        assert len(reported({"a.py": f"{text}data = {given}\nExperiment(data).run()\n"}, RULE)) == found


ANOTHER = """\
class Batches:
    def all(self):
        return LOADER

    def train(self):
        for row in self.all():
            yield row


class Base:
    def __init__(self, data):
        self.data = data


"""


@each_row(
    "uses",
    [
        "def run(data):\n    for row in data.train():\n        print(row)\n\n\nrun(Batches())\n",
        "def run(data):\n    print(next(iter(data.all())))\n\n\nrows = Batches()\nrun(data=rows)\n",
        "class Run(Base):\n    def go(self):\n        for row in self.data.train():\n            print(row)\n\n\n"
        "Run(Batches()).go()\n",
        "class Run(Base):\n    def __init__(self, size, data):\n        super().__init__(data)\n\n"
        "    def go(self):\n        for row in self.data.all():\n            print(row)\n\n\nRun(1, Batches()).go()\n",
        "class Run(Base):\n    def go(self):\n        data = self.data\n        print(list(data.all()))\n\n\n"
        "Run(Batches()).go()\n",
        "class Run:\n    def __init__(self, data):\n        self.rows = iter(data.all())\n\n"
        "    def go(self):\n        print(next(self.rows))\n\n\nRun(Batches()).go()\n",
    ],
)
def test_objects_by_other_ways(uses: str) -> None:
    for number, found in ((3, 1), (0, 0)):
        text = ROWS + ANOTHER.replace("LOADER", f"DataLoader(Rows(), num_workers={number})") + uses
        assert len(reported({"a.py": text}, RULE)) == found


OTHERS = """
class Kept:
    def __init__(self):
        self.loader = LOADER


class Slow:
    def all(self):
        return DataLoader(Rows())

    def train(self):
        return iter(self.all())


class SlowKept:
    def __init__(self):
        self.loader = DataLoader(Rows())


class Trainer(Base):
    def fit(self):
        for row in self.data.all():
            print(row)


def run(data):
    for row in data.all():
        print(row)


def train(data):
    for row in data.train():
        print(row)


def inner(data):
    for row in data.loader:
        print(row)


def outer(data):
    inner(data)
"""


@pytest.mark.parametrize(
    ("use", "own", "slow"),
    [
        ("run({})", "Fast()", "Slow()"),
        ("train({})", "Fast()", "Slow()"),
        ("Trainer({}).fit()", "Fast()", "Slow()"),
        ("outer({})", "Kept()", "SlowKept()"),
    ],
)
def test_what_another_program_gives_is_none_of_this_one(use: str, own: str, slow: str) -> None:
    lib = ROWS + ANOTHER.replace("class Batches", "class Fast") + OTHERS
    start = "from lib import *\n\n"
    files = {
        "lib.py": lib.replace("LOADER", "DataLoader(Rows(), num_workers=3)"),
        "a.py": f"{start}if __name__ == '__main__':\n    {use.format(own)}\n",
    }
    for other in (slow, "__import__('other').make()"):
        assert not reported({**files, "b.py": f"{start}{use.format(other)}\n"}, RULE)
    assert reported({**files, "b.py": f"{start}{use.format(own)}\n"}, RULE)


@each_row(
    ("made", "called", "found"),
    [
        ("DataLoader, num_workers=2", "Rows()", 1),
        ("DataLoader, Rows(), num_workers=2", "", 1),
        ("DataLoader", "Rows(), num_workers=2", 1),
        ("DataLoader, num_workers=2", "Rows(), num_workers=0", 0),
        ("DataLoader, batch_size=2", "Rows()", 0),
        ("list, num_workers=2", "Rows()", 0),
    ],
)
def test_a_partial_of_a_loader(made: str, called: str, found: int) -> None:
    text = f"{ROWS}make = partial({made})\nfor row in make({called}):\n    print(row)\n"
    assert len(reported({"a.py": f"from functools import partial\n{text}"}, RULE)) == found
