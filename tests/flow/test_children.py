"""What children put on the objects that they get is not on those that the parent sends."""

from __future__ import annotations

import pytest
from test_flow import crossings

from codemods.finding import Confidence
from codemods.flow.answers.children import Children
from harness.each_row import each_row
from harness.small import reported

RUNNER = """
import multiprocessing as mp
import threading

class Client:
    def __init__(self):
        self.score = lambda x: 2 * x

class Runner:
    def __init__(self, count):
        self.count = count
        self.clients = dict()
        self.main = None

    def setup(self):
        {fill}

    def run(self):
        {run}

def work(runner):
    {work}

def start(count):
    runner = Runner(count)
    {early}
    process = mp.Process(target=work, args=(runner,))
    process.start()

def alone():
    client = Client()
    print(client.score(2))

if __name__ == "__main__":
    start(2)
    alone()
"""
FILL = "for at in range(self.count):\n            self.clients[at] = Client()"


def sure(text: str) -> bool:
    """A lambda of the program is seen to cross."""
    return any(found.confidence is not Confidence.POSSIBLE for found in crossings({"a.py": text}))


@each_row(
    ("fill", "run", "work", "early", "found"),
    [
        (FILL, "print(self.clients)", "runner.setup()\n    runner.run()", "", False),
        (FILL, "print(self.clients)", "runner.setup()\n    runner.run()", "runner.setup()", True),
        (FILL, "print(self.clients)", "runner.run()", "runner.setup()", True),
        ("self.main = Client()", "self.setup()", "runner.run()", "", False),
        ("self.main = Client()", "threading.Thread(target=self.setup).start()", "runner.run()", "", False),
        ("self.main = Client()", "threading.Thread(target=self.setup).start()", "runner.run()", "runner.run()", True),
        ("self.main = Client()", "print(self.main)", "runner.run()", "runner.main = Client()", True),
    ],
)  # fmt: skip
def test_what_children_put_on_what_they_get(fill: str, run: str, work: str, early: str, found: bool) -> None:
    assert sure(RUNNER.format(fill=fill, run=run, work=work, early=early or "pass")) is found


def test_what_a_function_captures_is_the_parents() -> None:
    text = """
import multiprocessing as mp

class Options:
    def __init__(self):
        self.make = lambda: 3

def bench(options):
    def train(index):
        print(options.make(), index)
    mp.Process(target=train, args=(0,)).start()

if __name__ == "__main__":
    bench(Options())
"""
    places = {(found.line, found.confidence) for found in crossings({"a.py": text})}
    assert places == {(6, Confidence.PROVEN), (9, Confidence.PROVEN)}


BESIDE = """
import multiprocessing as mp
import os

JOBS = len(os.environ)

class Bench:
    def prepare(self):
        self.pick = lambda x: x + 1

    def work(self, at):
        self.prepare()
        return self.pick(at)

if __name__ == "__main__":
    bench = Bench()
    {start}
"""


@pytest.mark.parametrize(
    ("start", "found"),
    [
        ("if JOBS == 1:\n        bench.work(0)\n    else:\n        child.start()", False),
        ("bench.work(0)\n    child.start()", True),
        ("if JOBS == 1:\n        bench.work(0)\n    child.start()", True),
    ],
)  # fmt: skip
def test_what_a_script_makes_only_where_it_starts_no_children(start: str, found: bool) -> None:
    assert (
        bool(
            reported(
                {"a.py": BESIDE.format(start=start.replace("child", "mp.Process(target=bench.work, args=(1,))"))},
                "lambdas",
            )
        )
        is found
    )


def test_the_call_graph_is_walked_once_for_all_that_a_boundary_sends(monkeypatch: pytest.MonkeyPatch) -> None:
    walks: list[int | None] = []
    reached_from = Children._reached_from

    def counted(children: Children, roots: set[int], without: int | None = None) -> set[int]:
        walks.append(without)
        return reached_from(children, roots, without)

    monkeypatch.setattr(Children, "_reached_from", counted)
    made = "\n".join(f"    steps.append(lambda x: x + {at})" for at in range(6))
    text = (
        "import multiprocessing as mp\n\n"
        f"def build(steps):\n{made}\n\n"
        "def work(steps):\n    build([])\n\n"
        "def start():\n    steps = []\n    build(steps)\n    mp.Process(target=work, args=(steps,)).start()\n\n"
        "if __name__ == '__main__':\n    start()\n"
    )
    crossings({"a.py": text})
    of_boundaries = [without for without in walks if without is not None]
    assert len(of_boundaries) == len(set(of_boundaries)), of_boundaries
    assert of_boundaries
