"""What `getattr(x, name)` gives: methods are among it, and nobody sends a method as data."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence
from harness.small import reported

PROGRAM = """
import threading
from multiprocessing import Pipe, Process

class Game:
    def __init__(self):
        self.lock = threading.Lock()
        self.best = 0

    def reset(self):
        return 0

    def score(self):
        return self.best

def work(pipe, make):
    game = make()
    while True:
        {line}

if __name__ == "__main__":
    here, there = Pipe()
    Process(target=work, args=(there, Game)).start()
"""


@pytest.mark.parametrize(
    ("line", "found"),
    [("pipe.send(getattr(game, pipe.recv()))", False), ("Process(target=getattr(game, pipe.recv())).start()", True)],
)
def test_a_method_by_a_computed_name(line: str, found: bool) -> None:
    files = {"play.py": PROGRAM.format(line=line)}
    assert bool(reported(files, "unpicklable-attributes")) is found
    assert reported(files, "unpicklable-attributes", confidence=Confidence.POSSIBLE)
