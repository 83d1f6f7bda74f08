"""State methods that a class has already: the forms that can be added to, each of them, and what is near to one."""

from __future__ import annotations

import ast

import pytest

from codemods.finding import Refused
from codemods.transforms.unpicklable_attributes.existing_state import holds_items, returned_state, updated_from
from harness.each_row import each_row
from harness.small import migrated, reported


def _method(text: str) -> ast.FunctionDef:
    (method,) = ast.parse(text).body
    assert isinstance(method, ast.FunctionDef)
    return method


@each_row(
    "copy",
    [
        "self.__dict__.copy()",
        "dict(self.__dict__)",
        "copy.copy(self.__dict__)",
        "copy(self.__dict__)",
        "{**self.__dict__}",
        "vars(self).copy()",
        "dict(vars(self))",
        "super().__getstate__()",
        "super().__getstate__().copy()",
        "dict(super().__getstate__())",
    ],
)
def test_a_copy_of_the_dict(copy: str) -> None:
    text = f'def __getstate__(self):\n    """Without f."""\n    state = {copy}\n    del state["f"]\n    return state\n'
    assert returned_state(_method(text)) == "state"


@each_row(
    "body",
    [
        "state = self.__dict__\n    return state",
        "state = copy.deepcopy(self.__dict__)\n    return state",
        "state = {}\n    return state",
        "state = self.__dict__.copy()\n    state = {}\n    return state",
        "state = self.__dict__.copy()\n    if 1:\n        return {}\n    return state",
        "other = 1\n    state = self.__dict__.copy()\n    return state",
        "state = self.__dict__.copy()\n    other = {}\n    return other",
        "state = self.__dict__.copy()\n    return state, 1",
        "state = self.__dict__.copy()\n    return state\n    print(1)",
        "return self.__dict__.copy()",
        '"""Nothing."""',
        "state: dict = self.__dict__.copy()\n    return state",
    ],
)
def test_no_plain_copy(body: str) -> None:
    with pytest.raises(Refused, match=r"its `__getstate__` \(line 1\) copies `__dict__` in a form that this rule does"):
        returned_state(_method(f"def __getstate__(self):\n    {body}\n"))


@each_row(
    "update",
    [
        "self.__dict__.update(state)",
        "vars(self).update(state)",
        "super().__setstate__(state)",
        "self.__dict__ = state",
    ],
)
def test_the_object_is_filled_from_the_parameter(update: str) -> None:
    assert updated_from(_method(f"def __setstate__(self, state):\n    print(1)\n    {update}\n")) == "state"


@each_row(
    "text",
    [
        "def __setstate__(self, state):\n    self.__dict__.update(other)",
        "def __setstate__(self, state):\n    if state:\n        self.__dict__.update(state)",
        "def __setstate__(self, state):\n    self.__dict__.update(state)\n    return",
        "def __setstate__(self, state, more):\n    self.__dict__.update(state)",
        "def __setstate__(self):\n    self.__dict__.update(state)",
    ],
)
def test_the_object_is_filled_in_another_way(text: str) -> None:
    with pytest.raises(Refused, match=r"its `__setstate__` \(line 1\) fills `__dict__` in a form that this rule does"):
        updated_from(_method(text))


@each_row(
    "base",
    [
        "dict", "OrderedDict", "defaultdict", "list", "deque", "Counter", "set", "frozenset", "tuple", "str", "bytes",
        "bytearray", "int", "float",
    ],
)  # fmt: skip
def test_containers_hold_more_than_attributes(base: str) -> None:
    assert holds_items(["torch.nn.Module", f"library.{base}", base]) == f"library.{base}"


def test_other_bases_hold_attributes_alone() -> None:
    assert holds_items(["torch.nn.Module", "threading.Thread", "UserDict"]) is None


@pytest.mark.parametrize(
    ("state", "fixed"),
    [
        ("{'rows': self.rows, 'lock': self.lock}", False),  # it keeps the lock, whatever its base class does
        ("{'rows': self.rows, 'lock': None}", True),
        ("{'rows': self.rows}", False),
    ],
)
def test_a_derived_class_that_writes_its_state(state: str, fixed: bool) -> None:
    text = (
        "import threading\nfrom multiprocessing import Process\n\nclass Base:\n    def __init__(self):\n"
        "        self.rows = []\n        self.lock = threading.Lock()\n\nclass Store(Base):\n"
        f"    def __getstate__(self):\n        return {state}\n\ndef work(store):\n    print(store.rows)\n\n"
        "if __name__ == '__main__':\n    Process(target=work, args=(Store(),)).start()\n"
    )
    assert bool(migrated({"a.py": text}, "unpicklable-attributes")) is fixed


TABLE = """\
import sqlite3
from torch.utils.data import DataLoader, Dataset

{module}


class Base(Dataset):
    {table}

    def __getstate__(self):
        state = self.__dict__.copy()
        for key in {over}:
            state[key] = None
        return state


class Rows(Base):
    {own}

    def __init__(self, path):
        self.path = path
        self.conn = sqlite3.connect(path)

    def __getitem__(self, i):
        return self.conn.execute("select v from r where k=?", (i,)).fetchone()


def main(path):
    return list(DataLoader(Rows(path), num_workers=2))
"""


@each_row(
    ("over", "parts", "left_out"),
    [
        ("self.own", {"table": "own = ('conn', 'log')"}, True),
        ("self.own", {"table": "own = ('log',)", "own": "own = ['conn']"}, True),
        ("self.own", {"table": "own = ('conn',)", "own": "own = ('log',)"}, False),
        ("self.own", {"table": "own: tuple = ('conn',)"}, True),
        ("OWN", {"module": "OWN = {'conn'}"}, True),
        ("OWN", {"module": "OWN = ('log',)"}, False),
        ("('conn',)", {}, True),
        ("self.own", {"table": "own = ('log',)"}, False),
    ],
)
def test_a_table_of_what_is_left_out(over: str, parts: dict[str, str], left_out: bool) -> None:
    text = TABLE.format(**{"module": "", "table": "pass", "own": "pass", "over": over} | parts)
    assert bool(reported({"rows.py": text}, "unpicklable-attributes")) is not left_out
