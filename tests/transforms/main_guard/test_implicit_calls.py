"""What Python itself calls for the code of a worker, which then reads what the main process alone has changed."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
from functools import cached_property
from multiprocessing import Process

import conf

sizes = {{"n": 1}}


class Kept:
    def __get__(self, obj, owner):
        return sizes["n"]


class Plain:
    def __get__(self, obj, owner):
        return 3


class Table:
    kept = Kept()
    plain = Plain()

    def __init__(self):
        self.inner = Inner()

    @property
    def size(self):
        return sizes["n"]

    @cached_property
    def once(self):
        return sizes["n"]

    def method(self):
        return sizes["n"]

    def __len__(self):
        return sizes["n"]

    def __add__(self, other):
        return sizes["n"]

    def __rsub__(self, other):
        return sizes["n"]

    def __imul__(self, other):
        return sizes["n"]

    def __eq__(self, other):
        return sizes["n"] == 1

    def __contains__(self, name):
        return name in sizes

    def __neg__(self):
        return sizes["n"]

    def __str__(self):
        return str(sizes["n"])

    def __enter__(self):
        return sizes["n"]

    def __exit__(self, *error):
        pass

    def __delitem__(self, name):
        print(sizes["n"])

    def run(self, other):
        {inside}


class Inner:
    @property
    def size(self):
        return sizes["n"]


def work(table, other):
    {read}


if __name__ == "__main__":
    sizes["n"] = 4
    conf.table["n"] = 5
    Process(target=work, args=(Table(), 3)).start()
    Process(target=Table().run, args=(3,)).start()
"""
CONF = """\
table = {"n": 1}
plain = 3


def __getattr__(name):
    return table["n"]
"""


def told(read: str, inside: str = "pass") -> bool:
    """Whether the worker is said to read what the main process alone changes."""
    files = {"train.py": TEXT.format(read=read, inside=inside), "conf.py": CONF}
    findings = reported(files, "main-guard")
    assert all("changes in the main process only" in each.message for each in findings)
    return bool(findings)


@each_row(
    ("read", "found"),
    [
        ("print(table.size)", True),
        ("print(table.once)", True),
        ("print(table.kept)", True),
        ("print(table.plain)", False),
        ("print(table.method)", False),
        ("print(table.other)", False),
        ("print(other.size)", True),  # it may be the table as well
        ("table.size = 3", False),
        ("print(len(table))", True),
        ("print(len([table]))", False),
        ("print(table + 3)", True),
        ("print(3 + 3)", False),
        ("print(3 - table)", True),
        ("table *= 3", True),
        ("print(table == 3)", True),
        ("print(table < 3)", False),
        ("print(3 in table)", True),
        ("print(3 in [3])", False),
        ("print(-table)", True),
        ("print(+table)", False),
        ("print(not table)", True),
        ("if table: print(3)", True),
        ("print(3 if table else 4)", True),
        ("print(str(table))", True),
        ("print(f'{table}')", True),
        ("with table: pass", True),
        ("del table[3]", True),
        ("table[3] = 3", False),
        ("print(conf.anything)", True),
        ("print(conf.plain)", False),
    ],
)
def test_of_what_a_worker_gets(read: str, found: bool) -> None:
    assert told(read) == found


@each_row(
    ("inside", "found"),
    [
        ("print(self.size)", True),
        ("print(self.kept)", True),
        ("print(len(self))", True),
        ("print(self + 3)", True),
        ("print(self.inner.size)", True),
        ("print(self.inner)", False),
        ("print(self.run)", False),
    ],
)
def test_of_the_object_itself(inside: str, found: bool) -> None:
    assert told("pass", inside) == found
