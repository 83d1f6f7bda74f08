"""unpicklable-attributes: what the constructor stores first and always replaces by what it opens is no second kind."""

from __future__ import annotations

import pytest

from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
PROGRAM = """\
import lmdb
from multiprocessing import Pool
{head}
class Rows({base}):
    def __init__(self, path, rows=None):
        self.path = path
        {first}
        super().__init__()
        {then}

    def row(self, n):
        return n

    {more}
if __name__ == '__main__':
    rows = Rows('a')
    print(Pool(2).map(rows.row, [1]))
"""
FIRST, OPENED = "self.rows = rows", "self.rows = lmdb.open(path)"


def program(first: str = FIRST, then: str = OPENED, head: str = "", base: str = "object", more: str = "") -> str:
    return PROGRAM.format(first=first, then=then, head=head, base=base, more=more)


@pytest.mark.parametrize("first", [FIRST, "if rows:\n            self.rows = rows", "self.rows = self.first = rows"])
def test_is_replaced(first: str) -> None:
    after = migrated({"a.py": program(first)}, RULE)["a.py"]
    assert '        del state["rows"]\n' in after
    assert "        self.__dict__.update(state)\n        self.rows = lmdb.open(self.path)\n" in after
    assert "__copy__" not in after


@pytest.mark.parametrize(
    "changed",
    [
        program(then=f"if not rows:\n            {OPENED}"),
        program(then=f"if rows:\n            return\n        {OPENED}"),
        program(first=OPENED, then=FIRST),
        program(more="def start(self):\n        Pool(2).map(self.row, [1])"),
        program(more="def use(self, rows):\n        self.rows = rows"),
        program(then="self.rows = lmdb.open(self.rows)"),
        program(then="path = self.rows\n        self.rows = lmdb.open(path)"),
    ],
    ids=[
        "only sometimes",
        "after a return",
        "by what it gets",
        "while it may be sent",
        "in another method",
        "and read for that",
        "and read before",
    ],
)
def test_is_not_always_replaced(changed: str) -> None:
    assert any("assigns something else to it" in (reason or "") for reason in reasons({"a.py": changed}, RULE))


def test_a_dataset_whose_base_class_copies_it() -> None:
    head = "from torch_geometric.data import Dataset"
    after = migrated({"a.py": program(head=head, base="Dataset")}, RULE)["a.py"]
    assert "        self.rows = lmdb.open(self.path)\n\n    def __copy__(self):\n" in after
