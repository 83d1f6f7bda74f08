"""Views in whose place a list is put before the object is sent."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
from multiprocessing import Process


class Rows:
    def __init__(self, table):
        self.table = table
        self.names = table.keys()

    def settle(self):
        self.names = {value}

    def work(self):
        print(self.names)


if __name__ == "__main__":
    rows = Rows({{"b": 1, "a": 2}})
    {before}
    Process(target=rows.work).start()
    {behind}
"""


def _confidence(value: str, before: str, behind: str = "pass") -> list[str]:
    program = PROGRAM.format(value=value, before=before, behind=behind)
    return [found.confidence.value for found in reported({"run.py": program}, "dict-views")]


@each_row(
    ("value", "before"),
    [
        ("sorted(self.names)", "rows.settle()"),
        ("list(self.names)", "rows.settle()"),
        ("[name for name in self.names]", "rows.settle()"),
        ("[]", "rows.settle()"),
        ("", "rows.names = tuple(rows.names)"),
        ("", "rows.names = {name: 1 for name in rows.names}"),
        ("", "rows.names = [*rows.names]"),
    ],
)
def test_the_view_is_gone(value: str, before: str) -> None:
    assert "proven" not in _confidence(value or "self.names", before)


@each_row(
    ("value", "before", "behind"),
    [
        ("sorted(self.names)", "pass", "rows.settle()"),
        ("sorted(self.names)", "if rows.table: rows.settle()", "pass"),
        ("sorted(self.names)", "other = Rows({})\n    other.settle()", "pass"),
        ("[self.names]", "rows.settle()", "pass"),
        ("list([self.table.keys()])", "rows.settle()", "pass"),
        ("sorted(self.names)", "rows.settle()\n    rows.names = rows.table.keys()", "pass"),
    ],
)
def test_it_is_there(value: str, before: str, behind: str) -> None:
    assert "proven" in _confidence(value, before, behind)
