"""Objects that are a dict and keep a view of themselves: whoever has one may change it."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
from multiprocessing import Process


class Table(dict):
    def __init__(self, **more):
        super().__init__(**more)
        {kept}

    def whole(self):
        return self


class Keeper:
    def __init__(self, table):
        self.table = table
        {keeper}


def work(table):
    table["n"] = 1
    print(list(table.order))


if __name__ == "__main__":
    Process(target=work, args=({sent},)).start()
"""


@each_row(
    ("kept", "keeper", "sent"),
    [
        ("self.order = self.keys()", "pass", "Table(a=1)"),
        ("self.order = dict.items(self)", "pass", "Table(a=1)"),
        ("self.order = super().values()", "pass", "Table(a=1)"),
        ("me = self\n        self.order = me.keys()", "pass", "Table(a=1)"),
        ("pass", "self.order = table.whole().keys()", "Keeper(Table(a=1))"),
    ],
)
def test_refused(kept: str, keeper: str, sent: str) -> None:
    (found,) = reported({"run.py": PROGRAM.format(kept=kept, keeper=keeper, sent=sent)}, "dict-views")
    why = found.reason or (found.fix.unsafe if found.fix is not None else "")
    assert "whose view is taken: the view shows that, a list would not" in str(why)


def test_another_dict_of_the_object() -> None:
    program = PROGRAM.format(
        kept="names = {'a': 1}\n        self.order = names.keys()", keeper="pass", sent="Table(a=1)"
    )
    (found,) = reported({"run.py": program}, "dict-views")
    assert found.reason is None and found.fix is not None and found.fix.unsafe is None


def test_nothing_changes_it() -> None:
    program = PROGRAM.format(kept="self.order = self.keys()", keeper="pass", sent="Table(a=1)")
    (found,) = reported({"run.py": program.replace('table["n"] = 1', "pass")}, "dict-views")
    assert found.fix is not None and found.fix.unsafe is None
