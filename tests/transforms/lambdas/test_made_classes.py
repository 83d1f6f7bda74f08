"""Classes that calls make (`namedtuple`, `Enum`, `type`): reported where pickle finds no class of their name."""

from __future__ import annotations

import pickle
import sys
from types import ModuleType

import pytest

from codemods.finding import Finding
from codemods.project import Project
from codemods.transforms.lambdas.rule import find
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row
from harness.small import migrated

PROGRAM = """\
import sys
from collections import namedtuple
from dataclasses import make_dataclass
from enum import Enum
from torch.utils.data import DataLoader, Dataset
{above}

class Rows(Dataset):
    {body}

    def __init__(self):
        self.rows = [{row}]

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return index

{loader}
"""
LOADER = "for row in DataLoader(Rows(), num_workers=2):\n    print(row)"
MAKE = """\
def make(name="Row"):
    made = namedtuple(name, "a b")
    return made
"""


def found(above: str, row: str, body: str) -> list[Finding]:
    """The findings about the program that keeps this row."""
    text = PROGRAM.format(above=above, row=row, body=body, loader=LOADER)
    return [each for each in find(Project(MemoryFiles({"run.py": text.encode()}))) if each.confidence.value == "proven"]


def pickles(above: str, row: str, body: str) -> bool:
    """What pickle itself says of the row."""
    text = PROGRAM.replace("torch.utils.data import DataLoader, Dataset", "builtins import object as Dataset")
    module = ModuleType("rows_of_a_test")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(__import__("sys").modules, module.__name__, module)
        exec(text.format(above=above, row=row, body=body, loader=""), module.__dict__)
        try:
            pickle.dumps(module.Rows().rows)
        except (pickle.PicklingError, AttributeError):
            return False
    return True


@pytest.mark.parametrize(
    ("above", "row", "body"),
    [
        ("", "namedtuple('Row', 'a b')(1, 2)", "pass"),
        (MAKE, "make()(1, 2)", "pass"),
        (MAKE + "Row = str('Row')", "make()(1, 2)", "pass"),
        ("", "self.Row(1, 2)", "Row = namedtuple('Entity', 'a b')"),
        ("Row = namedtuple('Rwo', 'a b')", "Row(1, 2)", "pass"),
        ("", "Enum('Kinds', 'a b')", "pass"),
        ("", "type('Row', (object,), {})()", "pass"),
        ("def make():\n    return make_dataclass('Row', ['a'])", "make()(1)", "pass"),
        ("import typing", "typing.NamedTuple('Row', [('a', int)])(1)", "pass"),
        ("import enum", "enum.IntEnum('Kinds', 'a b')", "pass"),
        ("import enum", "enum.Flag('Kinds', 'a b')", "pass"),
        ("import enum", "enum.IntFlag('Kinds', 'a b')", "pass"),
        pytest.param(
            "import enum", "enum.StrEnum('Kinds', 'a b')", "pass",
            marks=pytest.mark.skipif(sys.version_info < (3, 11), reason="not there"),
        ),
    ],
)  # fmt: skip
def test_no_class_of_its_name(above: str, row: str, body: str) -> None:
    (finding,) = found(above, row, body)
    assert finding.fix is None and "at the top of the module" in (finding.reason or "")
    assert not pickles(above, row, body)


@each_row(
    ("above", "row", "body"),
    [
        ("Row = namedtuple('Row', 'a b')", "Row(1, 2)", "pass"),
        ("class Row(namedtuple('Base', 'a b')):\n    pass", "Row(1, 2)", "pass"),
        (MAKE, "make()(1, 2).a", "pass"),
        (MAKE + "Row = make()", "Row(1, 2)", "pass"),
        ("def make():\n    global Row\n    Row = namedtuple('Row', 'a b')\n    return Row\n", "make()(1, 2)", "pass"),
        ("def make():\n    globals()['Row'] = namedtuple('Row', 'a b')\n    return Row\n", "make()(1, 2)", "pass"),
        ("Kinds = Enum('Kinds', 'a b')", "Kinds.a", "pass"),
        ("", "type(3)(4)", "pass"),
        ("", "self.Row(1, 2)", "Row = namedtuple('Row', 'a b')\n    Row.__qualname__ = 'Rows.Row'"),
    ],
)
def test_look_alikes(above: str, row: str, body: str) -> None:
    assert found(above, row, body) == []
    assert pickles(above, row, body)


def test_a_file_without_a_nested_def_is_looked_at() -> None:
    """The bytes by which a run leaves the rule out know these calls."""
    text = (
        "import multiprocessing as mp\nfrom collections import namedtuple\n\n\ndef work(task):\n    print(task)\n\n\n"
        "def main():\n    Task = namedtuple('Task', 'index')\n    mp.Process(target=work, args=(Task(1),)).start()\n"
    )
    assert "run.py" in migrated({"run.py": text}, "lambdas")


LOCAL = """\
import multiprocessing as mp
from collections import namedtuple


def work(task):
    print(task)


def main():
    {made}
    mp.Process(target=work, args=({sent},)).start()


{more}
"""
MADE = "Task = namedtuple('Task', 'index')"


@each_row(
    ("made", "sent", "more", "moves"),
    [
        (MADE, "Task(1)", "", True),
        (MADE, "Task(Task._make([1]))", "", True),
        ("Task = namedtuple('Task', ['index', 'b'], defaults=(3, 4))", "Task(1)", "", True),
        ("size = 'index'\n    Task = namedtuple('Task', size)", "Task(1)", "", False),
        (MADE, "Task", "", False),  # the class itself, which somebody may look at
        (MADE, "Task(1)", "Task = 3", False),
        (MADE, "Task(1)", "def other():\n    return Task", False),
        (MADE, "Task(1)", "def other(Task):\n    return Task", False),
        (MADE, "Task(1)", "def other(x, y):\n    return type(x) is type(y)", False),
        (MADE, "Task(1)", "def other(x):\n    return type(x).__name__", True),
        (MADE, "Task(1)", "def other(x):\n    return globals()", False),
        (MADE + "; print(3)", "Task(1)", "", False),
        ("if mp:\n        " + MADE, "Task(1)", "", False),  # it alone stands there
        (MADE + "\n    Task.index.__doc__ = 'a'", "Task(1)", "", False),
        (MADE, "Task(1)", "namedtuple = 3", False),
    ],
)
def test_a_tuple_of_a_function_moves_above_it(made: str, sent: str, more: str, moves: bool) -> None:
    text = LOCAL.format(made=made, sent=sent, more=more)
    changed = migrated({"run.py": text}, "lambdas")
    assert bool(changed) == moves
    if moves:
        above = "\n\n\ndef main():\n"
        assert changed["run.py"] == text.replace(f"    {made}\n", "").replace(above, f"\n\n\n{made}{above}")


def test_not_where_another_file_takes_all_names() -> None:
    text = LOCAL.format(made=MADE, sent="Task(1)", more="")
    assert migrated({"run.py": text, "other.py": "from run import *\n"}, "lambdas") == {}


HIDDEN = """\
from torch.utils.data import DataLoader


def single(cls):
    made = {}

    def get(*given):
        if cls not in made:
            made[cls] = cls(*given)
        return made[cls]

    return get


def noted(cls):
    def show(self):
        return "noted"

    cls.show = show
    return cls


@DECORATOR
class Rows:
    def __len__(self):
        return 1

    def __getitem__(self, at):
        return at

    BODY


for row in DataLoader(Rows(), num_workers=2):
    print(row)
"""


@each_row(
    ("decorator", "body", "hides"),
    [
        ("single", "size = 3", True),
        ("single", "def __reduce__(self): return Rows, ()", False),
        ("noted", "size = 3", False),
        ("print", "size = 3", False),
    ],
)
def test_a_decorator_that_puts_a_function_in_the_place_of_the_class(decorator: str, body: str, hides: bool) -> None:
    text = HIDDEN.replace("DECORATOR", decorator).replace("BODY", body)
    findings = [*find(Project(MemoryFiles({"run.py": text.encode()})))]
    assert [each.span.line for each in findings] == [23] * hides
    assert all(
        each.fix is None and f"`class _Rows` and `Rows = {decorator}(_Rows)`" in (each.reason or "")
        for each in findings
    )
