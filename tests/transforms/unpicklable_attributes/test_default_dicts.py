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
MORE = """\
kept = {}


def make():
    kept[len(kept)] = 1
    return threading.Lock()


"""
COUNT = "def count(table):\n    return len(table.locks)\n\n\n"
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


@each_row(
    ("factory", "call", "says"),
    [
        ("defaultdict(threading.Lock)", "return list(self.locks.values())", "line 17 of a.py may tell which keys"),
        ("defaultdict(threading.Lock)", "return key in self.locks", "line 17 of a.py may tell which keys"),
        ("defaultdict(threading.Lock)", "return count(self)", "line 29 of a.py may tell which keys"),
        ("defaultdict(threading.Lock)", "return len(getattr(self, 'locks'))", "read by its name as text"),
        ("defaultdict(threading.Lock)", "return self.locks[key].locked()", "line 17 asks for it without waiting"),
        ("defaultdict(threading.Lock, kept)", READ, "it does not begin empty"),
        ("defaultdict(threading.Semaphore)", READ, "keeps a semaphore for each key"),
        ("defaultdict(threading.Event)", "return self.locks[key].is_set()", "keeps an event for each key"),
        ("defaultdict(make)", READ, "give that `threading.Lock` itself"),
        ("defaultdict(lambda: {'lock': threading.Lock(), 'n': 0})", READ, "give that `threading.Lock` itself"),
    ],
)
def test_a_copy_that_begins_empty_would_lack_something(factory: str, call: str, says: str) -> None:
    first = "table.put(1, 2)" if "locked" not in call else "table.locks[1].acquire()\n    table.put(2, 2)"
    files = program(factory, call, first)
    files["a.py"] = files["a.py"].replace("if __name__", MORE + (COUNT if "count" in call else "") + "if __name__")
    (reason,) = reasons(files, RULE)
    assert says in reason


def test_it_is_found_where_a_process_gets_a_method() -> None:
    files = program("defaultdict(threading.Lock)")
    head, _, _ = files["a.py"].partition("    with multiprocessing.Pool")
    files["a.py"] = f"{head}    Process(target=table.put, args=(1, 2)).start()\n".replace(
        "import multiprocessing\n", "from multiprocessing import Process\n"
    )
    assert len(reported(files, RULE)) == 1
    assert '        state["locks"] = defaultdict(threading.Lock)\n' in migrated(files, RULE)["a.py"]


def test_it_is_told_once_however_often_it_is_read() -> None:
    text = "self.locks[key].acquire()\n        self.locks[key].release()"
    files = program("defaultdict(threading.Lock)", first="table.put(1, 2)\n    table.swap(1)")
    files["a.py"] = files["a.py"].replace(
        "    def __call__", f"    def swap(self, key):\n        {text}\n\n    def __call__"
    )
    assert len(reported(files, RULE)) == 1
