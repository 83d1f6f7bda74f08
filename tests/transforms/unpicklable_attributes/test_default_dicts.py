"""Locks and handles that a `defaultdict` makes where a key is missing: a copy begins with none of them."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

RULE = "unpicklable-attributes"
PROGRAM = """\
import collections
import multiprocessing
import threading
from collections import defaultdict


class Table:
    def __init__(self):
        self.locks = {factory}
        self.rows = {{}}

    def put(self, key, value):
        with self.locks[key]:
            self.rows[key] = value

    def __call__(self, key):
        {call}


if __name__ == "__main__":
    table = Table()
    {first}
    with multiprocessing.Pool(2) as pool:
        print(pool.map(table, [1, 2]))
"""
READ = "with self.locks[key]:\n            return self.rows.get(key)"


def program(factory: str, call: str = READ, first: str = "table.put(1, 2)") -> dict[str, str]:
    return {"a.py": PROGRAM.format(factory=factory, call=call, first=first)}


@each_row(
    "factory",
    ["defaultdict(threading.Lock)", "collections.defaultdict(threading.RLock)", "defaultdict(threading.Condition, {})"],
)
def test_the_copy_of_a_default_dict_begins_empty(factory: str) -> None:
    after = migrated(program(factory), RULE)["a.py"]
    assert f'        state["locks"] = {factory}\n' in after and "__setstate__" not in after


@each_row(
    ("factory", "call", "first"),
    [
        ("defaultdict(threading.Lock)", READ, "print(len(table.rows))"),  # it is empty still
        ("defaultdict(list)", READ, "table.put(1, 2)"),
        ("{}", READ, "table.put(1, 2)"),
        ("defaultdict(threading.Lock)", "del self.locks[key]", "pass"),
    ],
)
def test_a_default_dict_without_such_things(factory: str, call: str, first: str) -> None:
    assert reported(program(factory, call, first), RULE) == []


def test_a_default_dict_that_is_read_as_a_whole() -> None:
    (reason,) = reasons(program("defaultdict(threading.Lock)", "return list(self.locks.values())"), RULE)
    assert "line 17 reads it without opening what is missing" in reason
