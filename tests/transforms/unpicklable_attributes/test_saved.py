"""The message names what pickles an object: a save that fails is no worker that stops."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence
from codemods.project import Project
from codemods.settings import Settings
from codemods.transforms.lambdas.rule import find as lambdas
from codemods.transforms.unpicklable_attributes.rule import find as attributes
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

RUN = """
import copy
import pickle
import threading
import torch
from multiprocessing import Process

class Cache:
    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()

def main(path):
    cache = Cache(path)
    {pickled}

if __name__ == "__main__":
    main("cache.pkl")
"""
WORKER = "a worker process under spawn or forkserver"


@each_row(
    ("pickled", "stops"),
    [
        ("torch.save(cache, path)", "`torch.save`"),
        ("pickle.dump(cache, open(path, 'wb'))", "`pickle.dump`"),
        ("copy.deepcopy(cache)", "`copy.deepcopy`"),
        ("Process(target=print, args=(cache,)).start()", WORKER),
    ],
)
def test_what_stops(pickled: str, stops: str) -> None:
    (found,) = attributes(Project(MemoryFiles({"a.py": RUN.format(pickled=pickled).encode()})))
    assert f"; {stops} stops with" in found.message


@each_row(
    ("pickled", "count"),
    [
        ("copy.deepcopy(cache)", 0),
        ("copy.deepcopy([cache])", 0),
        ("copy.deepcopy({'one': (cache, 1)})", 0),
        ("pickle.dumps([cache])", 1),
    ],
)
def test_an_object_that_copies_itself(pickled: str, count: int) -> None:
    copied = "\n    def __deepcopy__(self, memo):\n        return Cache(self.path)\n\ndef main("
    text = RUN.format(pickled=pickled).replace("\ndef main(", copied)
    found = attributes(Project(MemoryFiles({"a.py": text.encode()})))
    assert len([each for each in found if each.confidence is not Confidence.POSSIBLE]) == count


@pytest.mark.parametrize(
    ("pickled", "how"),
    [
        ("torch.save({'f': lambda x: x}, path)", "is pickled by torch.save"),
        ("pickle.dumps([lambda x: x])", "is pickled by pickle.dumps"),
        ("Process(target=lambda: None).start()", "reaches another process through multiprocessing.Process"),
    ],
)
def test_how_a_lambda_crosses(pickled: str, how: str) -> None:
    (found,) = lambdas(Project(MemoryFiles({"a.py": RUN.format(pickled=pickled).encode()})))
    assert f"this lambda {how}; " in found.message


def test_a_boundary_of_the_settings_says_what_it_does() -> None:
    journal = {"callable": "store.journal", "parameters": ["payload"], "pickles": ["payload"], "always": True}
    settings = Settings(boundaries=({**journal, "says": "writes it to the journal"},))
    text = RUN.format(pickled="store.journal([lambda x: x]); store.journal(cache)").replace("copy\n", "store\n", 1)
    project = Project(MemoryFiles({"a.py": text.encode()}), settings)
    assert [each.message for each in lambdas(project)] == [
        "this lambda is pickled by store.journal; pickle can't import it by name"
    ]
    (found,) = attributes(project)
    assert "; `store.journal` stops with" in found.message
