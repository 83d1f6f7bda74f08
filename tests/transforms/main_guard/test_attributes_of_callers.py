"""A start behind `if self.plot:`, which the method that calls this one has set from its own argument."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

TRAINER = """\
from multiprocessing import Process


class Plotter:
    def begin(self):
        self.process = Process(target=print)
        self.process.start()


class Trainer:
    def __init__(self):
        self.plot = False

    def start(self):
        {first}
        if self.plot:
            Plotter().begin()

    def enable(self):
        self.plot = True

    def train(self, epochs, plot=False):
        self.plot = plot
        {before}
        self.start()
        {after}
"""
SCRIPT = "from trainer import Trainer\n\ntrainer = Trainer()\ntrainer.train({given})\n"


@each_row(
    ("given", "first", "before", "after", "found"),
    [
        pytest.param("4", "pass", "pass", "pass", False, id="the default"),
        pytest.param("4, plot=False", "pass", "pass", "pass", False, id="off"),
        pytest.param("4, plot=True", "pass", "pass", "pass", True, id="on"),
        pytest.param("4, plot=len(trainer.rows)", "pass", "pass", "pass", True, id="not known"),
        pytest.param("4", "pass", "print(epochs)", "pass", False, id="what sets nothing of it"),
        pytest.param("4", "pass", "self.enable()", "pass", True, id="another method before"),
        pytest.param("4", "self.enable()", "pass", "pass", True, id="another method in it"),
        pytest.param("4", "self.plot = True", "pass", "pass", True, id="set again in it"),
        pytest.param("4", "pass", "self.plot = epochs > 3", "pass", True, id="set again before"),
        pytest.param("4", "pass", "if epochs > 3:\n            self.plot = True", "pass", True, id="perhaps set again"),
        pytest.param("4", "pass", "pass", "self.enable()", False, id="another method below"),
        pytest.param("4", "pass", "pass", "self.plot = True\n        self.start()", True, id="on, called again"),
    ],
)
def test_what_the_calling_method_sets(given: str, first: str, before: str, after: str, found: bool) -> None:
    trainer = TRAINER.format(first=first, before=before, after=after)
    files = {"trainer.py": trainer, "train.py": SCRIPT.format(given=given)}
    assert bool(reported(files, "main-guard")) is found


def test_a_property_may_give_something_else() -> None:
    trainer = TRAINER.format(first="pass", before="pass", after="pass")
    trainer += "\n    @property\n    def plot(self):\n        return self.always\n"
    trainer += "\n    @plot.setter\n    def plot(self, value):\n        self.always = True\n"
    assert reported({"trainer.py": trainer, "train.py": SCRIPT.format(given="4")}, "main-guard")


def test_another_method_later_in_the_loop_may_set_it() -> None:
    start = "        if self.plot:\n            Plotter().begin()\n"
    again = "        for _ in range(2):\n            if self.plot:\n                Plotter().begin()\n"
    again += "            self.enable()\n"
    trainer = TRAINER.format(first="pass", before="pass", after="pass")
    assert start in trainer
    files = {"trainer.py": trainer.replace(start, again), "train.py": SCRIPT.format(given="4")}
    assert reported(files, "main-guard")
