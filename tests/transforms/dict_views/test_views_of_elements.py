"""Views of dicts that are in other containers, which code changes through those."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
from multiprocessing import Process


class Table:
    def __init__(self, rows):
        self.rows = rows
        {kept}


def work(table):
    {changed}
    print(table.by)


if __name__ == "__main__":
    rows = {{"a": {{"x": 1}}}}
    {before}
    Process(target=work, args=(Table(rows),)).start()
"""
OF_ITEMS = "self.by = {name: row.keys() for name, row in rows.items()}"
OF_VALUES = "self.by = [row.keys() for row in rows.values()]"
IN_A_LOOP = "self.by = []\n        for name, row in rows.items():\n            self.by.append(row.keys())"
BY_KEY = "self.by = rows['a'].keys()"


def _unsafe(kept: str, changed: str, before: str) -> bool:
    found = reported({"run.py": PROGRAM.format(kept=kept, changed=changed, before=before)}, "dict-views")
    assert found
    return not all(each.fix is not None and each.fix.unsafe is None for each in found)


@each_row(
    ("kept", "changed"),
    [
        (OF_ITEMS, "table.rows['a']['n'] = 1"),
        (OF_VALUES, "table.rows['a'].update(n=1)"),
        (IN_A_LOOP, "del table.rows['a']['x']"),
        (BY_KEY, "table.rows['a']['n'] = 1"),
        (OF_ITEMS, "for row in table.rows.values():\n        row['n'] = 1"),
        (OF_VALUES, "for name, row in table.rows.items():\n        row.pop('x')"),
        (OF_VALUES, "[row.clear() for row in table.rows.values()]"),
    ],
)
def test_they_are_changed_later(kept: str, changed: str) -> None:
    assert _unsafe(kept, changed, "pass")


@each_row(
    ("kept", "changed", "before"),
    [
        (OF_ITEMS, "pass", "pass"),
        (OF_ITEMS, "pass", "rows['a']['n'] = 1"),
        (OF_VALUES, "other = {'a': {}}\n    other['a']['n'] = 1", "pass"),
        (BY_KEY, "for row in [{}]:\n        row['n'] = 1", "pass"),
    ],
)
def test_they_are_not(kept: str, changed: str, before: str) -> None:
    assert not _unsafe(kept, changed, before)
