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


CHANGED = """\
from multiprocessing import Process


class Table(dict):
    def set(self, name):
        {above}

    def __init__(self, **more):
        super().__init__(**more)
        {early}
        self.order = self.keys()
        {late}

    def add(self, name):
        {method}


class Other(dict):
    def add(self, name):
        self[name] = 1


def work(table):
    {outside}
    print(list(table.order))


if __name__ == "__main__":
    Process(target=work, args=(Table(a=1),)).start()
"""


@each_row(
    ("where", "line", "changed"),
    [
        ("above", "self[name] = 1", True),
        ("early", "self['a'] = 1", False),
        ("late", "self['a'] = 1", True),
        ("late", "print(self['a'])", False),
        ("method", "self[name] = 1", True),
        ("method", "del self[name]", True),
        ("method", "super().update(name=1)", True),
        ("method", "self.get(name)", False),
        ("method", "self.other = {}; self.other[name] = 1", False),
        ("method", "self.other = name; self.other['a'] = 1", True),
        ("outside", "table.pop('a')", True),
        ("outside", "table['a'] += 1", True),
        ("outside", "table.get('a')", False),
        ("outside", "seen = {}; seen['a'] = 1", False),
        (
            "outside",
            "if 'a' in table:\n        seen = dict(a=1)\n    else:\n        seen = None\n    seen.clear()",
            False,
        ),
        ("outside", "seen = [1]; seen[0] = 2", False),
        ("outside", "seen = table; seen['a'] = 2", True),
        ("outside", "(lambda seen={}: seen.update(a=1))(table)", True),
        ("outside", "[table][0]['a'] = 2", True),
        ("outside", "print(table).update(a=1)", False),
        ("outside", "{}.update(a=1)", False),
    ],
)
def test_what_may_change_a_dict_that_has_its_own_view(where: str, line: str, changed: bool) -> None:
    text = CHANGED
    for place in ("above", "early", "late", "method", "outside"):
        text = text.replace(f"{{{place}}}", line if place == where else "pass")
    (found,) = reported({"run.py": text}, "dict-views")
    why = found.reason or (found.fix.unsafe if found.fix is not None else "")
    assert ("may change the `Table` whose view is taken" in str(why)) is changed
