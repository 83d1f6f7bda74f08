"""The rule `lambdas`: what an initialiser keeps that a decorator of classes gives to all of them, or to some."""

from __future__ import annotations

from codemods.finding import Confidence
from codemods.project import Project
from codemods.transforms.lambdas.rule import find
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

CODE = """
import multiprocessing as mp

def make():
    return lambda: 1

MADE = lambda: 2

def counted(cls):
    def other(self, size):
        self.size = size

    def init(self, size):
        self.size = size
        self.lock = {value}

    {given}
    return cls

@counted
class Plain:
    def __init__(self, size):
        self.size = size

    def work(self):
        print(self.size)

if __name__ == "__main__":
    mp.set_start_method("spawn", force=True)
    mp.Process(target=Plain(2).work).start()
"""


@each_row(
    ("value", "given", "sure"),
    [
        ("lambda: 1", "cls.__init__ = init", True),
        ("make()", "cls.__init__ = init", True),
        ("lambda: 1", "if cls.__name__ != 'Plain':\n        cls.__init__ = init", False),
        ("MADE", "if cls.__name__ != 'Plain':\n        cls.__init__ = init", False),
        ("make()", "if cls.__name__ != 'Plain':\n        cls.__init__ = init", False),
        ("lambda: 1", "if cls.__name__ == 'Plain':\n        return cls\n    cls.__init__ = init", False),
        ("lambda: 1", "cls.__init__ = init\n    cls.__init__ = other", False),
    ],
)
def test_an_initialiser_that_only_some_classes_get(value: str, given: str, sure: bool) -> None:
    code = CODE.format(value=value, given=given)
    (finding,) = find(Project(MemoryFiles({"main.py": code.encode()})))
    assert finding.confidence is (Confidence.PROVEN if sure else Confidence.POSSIBLE)
