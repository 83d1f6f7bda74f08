"""A deep copy that a program tries, with another way where it fails, is no failure."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence
from harness.small import reported

TRAINER = """
import copy
import threading

class Trainer:
    def __init__(self):
        self.lock = threading.Lock()

def snapshot(trainer):
    try:
        return copy.deepcopy(trainer)
    except TypeError:
        {handler}

print(snapshot(Trainer()))
"""


@pytest.mark.parametrize(("handler", "found"), [("return trainer", False), ("raise", True)])
def test_a_copy_that_is_tried(handler: str, found: bool) -> None:
    files = {"main.py": TRAINER.format(handler=handler)}
    assert bool(reported(files, "unpicklable-attributes")) is found
    assert reported(files, "unpicklable-attributes", confidence=Confidence.POSSIBLE)
