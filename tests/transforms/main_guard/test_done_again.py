"""What an import does first, and the main process once more in another way; objects that a class keeps for all."""

from __future__ import annotations

from harness.each_row import each_row
from harness.main_changes import is_reported

FILLS = """\
table = {}
def fill(scale, more=1):
    for i in range(3):
        table[i] = i * scale
fill(1)
"""


@each_row(
    ("change", "found"),
    [
        ("fill(10)", True),
        ("fill(1, 2)", True),
        ("fill(1, more=2)", True),
        ("fill(1)", False),
        ("pass", False),
    ],
)
def test_a_table_that_is_filled_again(change: str, found: bool) -> None:
    assert is_reported(FILLS, "table[x]", change) == found


def test_a_table_that_workers_fill_too() -> None:
    assert not is_reported(FILLS, "fill(x) or table[x]", "fill(10)")


KEEPS = """\
class Cache:
    def __init__(self):
        self.rows = {}
    def put(self, name, value):
        self.rows[name] = value
    def get(self, name):
        return self.rows[name]
    def show(self):
        print(self.rows)
class Job:
    size = 3
    cache = Cache()
    def put(self, name):
        self.cache.put(name, 3)
    def run(self, x):
        return self.cache.get(x)
"""


@each_row(
    ("change", "found"),
    [
        ("Job.cache.put('a', 3)", True),
        ("Job().put('a')", True),
        ("Job.cache.get('a')", False),
        ("Job.cache.show()", False),
        ("Cache().put('a', 3)", False),
    ],
)
def test_an_object_that_a_class_keeps(change: str, found: bool) -> None:
    assert is_reported(KEEPS, "Job().run(x)", change) == found
