"""Globals to which only functions give a value: a spawned worker has none until one of them runs there."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

GROUPS = """\
{head}

def setup(rank):
    global groups
    groups = [rank]

def size():
    {own}
"""
DATA = """\
import groups as gr
from torch.utils.data import DataLoader


class Loader(DataLoader):
    def __init__(self, rows):
        print(gr.groups)
        super().__init__(rows, collate_fn=self.collate, num_workers=2)

    def collate(self, rows):
        {read}
"""
TRAIN = """\
from data import Loader
from groups import setup

if __name__ == "__main__":
    {first}
    for batch in Loader([1, 2, 3]):
        print(batch)
"""


@each_row(
    ("head", "own", "read", "first", "found"),
    [
        pytest.param("", "return 1", "return len(gr.groups)", "setup(1)", "data.py", id="of the module"),
        pytest.param("", "return len(groups)", "return gr.size()", "setup(1)", "groups.py", id="in the module"),
        pytest.param("", "return len(groups)", "return len(rows)", "setup(1)", "", id="no worker reads it"),
        pytest.param("", "return 1", "return len(gr.groups)", "print(1)", "", id="nobody sets it"),
        pytest.param("", "return 1", "gr.setup(2)\n        return len(gr.groups)", "setup(1)", "", id="set there too"),
        pytest.param(
            "",
            "return 1",
            "try:\n            return len(gr.groups)\n        except AttributeError:\n            return 1",
            "setup(1)",
            "",
            id="asked for",
        ),
        pytest.param(
            "",
            "try:\n        return len(groups)\n    except NameError:\n        return 1",
            "return gr.size()",
            "setup(1)",
            "",
            id="asked for by its name",
        ),
        pytest.param("from other import *", "return 1", "return len(gr.groups)", "setup(1)", "", id="perhaps imported"),
    ],
)
def test_what_only_functions_set(head: str, own: str, read: str, first: str, found: str) -> None:
    files = {
        "groups.py": GROUPS.format(head=head, own=own),
        "data.py": DATA.format(read=read),
        "train.py": TRAIN.format(first=first),
    }
    lost = [each for each in reported(files, "main-guard") if "has no `groups`" in each.message]
    assert [each.path for each in lost] == [found] * bool(found)


DECORATED = """\
from multiprocessing import Pool

{kind}

@decorate
def setup():
    global size
    size = 3


def work(x):
    return x * size


if __name__ == "__main__":
    setup()
    with Pool(2) as pool:
        print(pool.map(work, [1, 2]))
"""


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("def decorate(function):\n    function()\n    return function\n", False),
        ("def decorate(function):\n    return lambda: function()\n", True),
        ("def decorate(function):\n    print(function)\n    return function\n", True),
    ],
)
def test_a_decorator_that_calls_the_function(kind: str, found: bool) -> None:
    lost = reported({"a.py": DECORATED.format(kind=kind)}, "main-guard")
    assert any("has no `size`" in each.message for each in lost) is found


UNPICKLED = """\
from multiprocessing import Pool


class Runner:
    def __init__(self):
        self.size = 1
        self.begin()

    def begin(self):
        global size
        size = 3

    def {name}(self, state):
        self.__dict__.update(state)
        self.begin()

    def work(self, x):
        return x * size


if __name__ == "__main__":
    with Pool(2) as pool:
        print(pool.map(Runner().work, [1, 2]))
"""


@pytest.mark.parametrize(("name", "found"), [("__setstate__", False), ("restore", True)])
def test_what_an_object_sets_as_it_is_unpickled(name: str, found: bool) -> None:
    lost = reported({"a.py": UNPICKLED.format(name=name)}, "main-guard")
    assert any("has no `size`" in each.message for each in lost) is found


SET_BY_IMPORT = """\
from multiprocessing import Pool

def setup(number):
    global size
    size = number

def work(x):
    return x * size

def main():
    setup(4)
    with Pool(2) as pool:
        print(pool.map(work, [1, 2]))

{top}
if __name__ == "__main__":
    main()
"""


@each_row(
    ("top", "has"),
    [
        ("setup(3)", "has what a.py says"),
        ("if True:\n    setup(3)", "has what a.py says"),
        ("def unused():\n    setup(3)", "never gets it"),
        ("if __name__ == '__main__':\n    setup(3)", "never gets it"),
    ],
)
def test_what_an_import_sets_by_the_same_function(top: str, has: str) -> None:
    (lost,) = reported({"a.py": SET_BY_IMPORT.format(top=top)}, "main-guard")
    assert lost.message.endswith(f"in the main process only: a spawned worker {has}")


SCALED = """\
from multiprocessing import Pool

{above}
def work(row):
    return row * SCALE

def grow():
    global SCALE
    SCALE += 1

if __name__ == "__main__":
    {first}
    grow()
    with Pool(2) as pool:
        print(pool.map(work, [1]))
"""


@each_row("above, first, has", [
    ("", "SCALE = 1", "has no `SCALE`"),
    ("SCALE = 1", "print(SCALE)", "has what run.py says"),
])  # fmt: skip
def test_a_value_that_only_the_main_guard_gives(above: str, first: str, has: str) -> None:
    found = reported({"run.py": SCALED.format(above=above, first=first)}, "main-guard")
    changed = [each.message for each in found if "changes in the main process only" in each.message]
    assert changed and all(message.endswith(has) for message in changed)
