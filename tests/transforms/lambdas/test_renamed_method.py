"""Methods with two leading underscores that a process gets: pickle can't find them by the name in the class."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

ROWS = """\
from multiprocessing import Process
from torch.utils.data import Dataset


class Rows({base}):
    def start(self):
        Process(target=self.__read, args=(3,)).start()
        self.__read(1)

    {mark}def __read(self, n):
        return n


{below}
if __name__ == "__main__":
    Rows().start()
"""


def rows(base: str = "Dataset", below: str = "", mark: str = "") -> str:
    return ROWS.format(base=base, below=below, mark=mark)


@each_row(
    ("base", "below", "name"),
    [
        ("Dataset", "", "_read"),
        ("Other", "", "_rows_read"),
        ("Dataset", "def f(x):\n    return x._read\n", "_rows_read"),
        ("Dataset", "class Heir(Rows):\n    _read = None\n", "_rows_read"),
        ("Dataset", "class Heir(Rows):\n    _read: int = 3\n", "_rows_read"),
        ("Dataset", "class Heir(Rows):\n    from os import read as _read\n", "_rows_read"),
        ("Dataset", "def f(x):\n    _read = x\n    return _read\n", "_read"),
        ("Other", "def f(x):\n    x._rows_read = 1\n    return x._rows_read_2\n", "_rows_read_3"),
        ("Dataset", "class Apart:\n    def __read(self, n):\n        return -n\n", "_read"),
        ("Dataset", "class Heir(Rows):\n    def __read(self, n):\n        return -n\n", "_rows_read"),
    ],
)
def test_it_gets_one_underscore_less_where_no_other_class_has_that_name(base: str, below: str, name: str) -> None:
    text = rows(base, below)
    after = migrated({"a.py": text.replace("import Dataset", "import Dataset, Other")}, "lambdas")["a.py"]
    head, _, _ = after.partition("\n\n\nif" if not below else f"\n\n\n{below}")
    assert head.count(f"self.{name}") == 2
    assert f"def {name}(self, n):" in head
    assert "__read" not in head
    assert not below or after.endswith(below + text.partition(below)[2])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(rows(below="print(Rows()._Rows__read(2))\n"), id="asked for from outside"),
        pytest.param(rows(mark='name = "__read"\n\n    '), id="its name in a text"),
        pytest.param(rows(mark="def __read(self):\n        return 2\n\n    "), id="twice"),
    ],
)
def test_it_keeps_its_name_where_something_else_asks_for_it(text: str) -> None:
    assert {*reasons({"a.py": text}, "lambdas")} == {
        "give the method a name that does not begin with two underscores: `_read`"
    }
