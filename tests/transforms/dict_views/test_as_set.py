"""dict-views: keys of which only members are asked become a set; keys that are found by their hash stay found so."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

PROGRAM = """\
import multiprocessing as mp


class Plain:
    def __init__(self, name):
        self.name = name

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        return self.name == other.name


class Loose(Plain):
    def __eq__(self, other):
        return self.name.lower() == other.name.lower()

    __hash__ = Plain.__hash__


class Schema:
    def __init__(self, columns):
        self.names = columns.keys()

    def check(self, row, other):
        {use}


def work(schema):
    return schema.check([], schema)


if __name__ == "__main__":
    with mp.Pool(1) as pool:
        pool.map(work, [Schema({{}})])
"""

AS_SETS = [
    "return self.names - set(row) == other.names",
    "return sorted(self.names & other.names), self.names >= {'a'}, self.names.isdisjoint({'b'})",
    "wanted = set(row)\n        return len(wanted & self.names) if self.names else 0",
    "return row[0] in self.names, sorted(self.names | {'a'}), hasattr(self.names, 'append')",
    "return Loose('a') in self.names",
    "return self.names.isdisjoint(other.names)",
    "return set(row).issubset(self.names), {1}.issuperset(self.names), self.names - set(row) == {1}",
]


@each_row("use", AS_SETS)
def test_a_set_where_the_order_is_nowhere_seen(use: str) -> None:
    text = migrated({"run.py": PROGRAM.format(use=use)}, "dict-views")["run.py"]
    assert "self.names = set(columns.keys())" in text


@each_row(
    ("use", "reason"),
    [
        ("return [name for name in self.names if name], self.names - set(row)", "uses it with `-`"),
        ("return list(self.names & set(row))", "uses it with `&`"),
        ("return self.names | row", "uses it with `|`"),
        ("return row.issubset(self.names), self.names - {'a'}", "uses it with `-`"),
        ("return list({1}.union(self.names)), self.names - {'a'}", "uses it with `-`"),
        ("return hasattr(row, self.names), self.names - {'a'}", "uses it with `-`"),
        ("return sorted(self.names, row), self.names - {'a'}", "uses it with `-`"),
        ("return sorted(self.names, key=len), self.names - {'a'}", "uses it with `-`"),
        ("names = self.names\n        return names - set(row)", "uses it with `-`"),
        ("return hasattr(self.names, 'mapping'), self.names == set(row)", "asks for its type"),
        ("self.names = [*row]\n        return self.names == row", "compares it with `==`"),
        ("return [name for name in self.names], Loose('a') in self.names", "asks whether a `Loose` is in it"),
    ],
)
def test_what_shows_the_order_is_refused(use: str, reason: str) -> None:
    (found,) = reasons({"run.py": PROGRAM.format(use=use)}, "dict-views")
    assert reason in found


def test_keys_whose_hash_and_comparison_agree_become_a_list() -> None:
    text = PROGRAM.format(use="return [name for name in self.names], Plain('a') in self.names")
    assert "self.names = list(columns.keys())" in migrated({"run.py": text}, "dict-views")["run.py"]


KEY = """\
class Key:
    def __init__(self, name, size):
        self.name, self.size = name, size
{methods}


"""
EQ = "def __eq__(self, other):\n"
HASH = "def __hash__(self):\n"
AGREES = {
    "only __eq__": (EQ + "    return self.name.lower() == other.name.lower()\n", True),  # it has no hash
    "only __hash__": (HASH + "    return hash(self.name)\n", True),
    "one part": (EQ + "    return self.name == other.name\n" + HASH + "    return hash(self.name)\n", True),
    "the other way round": (EQ + "    return other.name == self.name\n" + HASH + "    return hash(self.name)\n", True),
    "other names": (
        "def __eq__(this, that):\n    return this.name == that.name\ndef __hash__(me):\n    return hash(me.name)\n",
        True,
    ),
    "fewer parts in the hash": (
        EQ + "    return self.name == other.name and self.size == other.size\n" + HASH + "    return hash(self.name)\n",
        True,
    ),
    "tuples": (
        EQ
        + "    return (self.name, self.size) == (other.name, other.size)\n"
        + HASH
        + "    return hash((self.name, self.size))\n",
        True,
    ),
    "more parts in the hash": (
        EQ + "    return self.name == other.name\n" + HASH + "    return hash((self.name, self.size))\n",
        False,
    ),
    "another part": (EQ + "    return self.name == other.name\n" + HASH + "    return hash(self.size)\n", False),
    "crosswise": (EQ + "    return self.name == other.size\n" + HASH + "    return hash(self.name)\n", False),
    "unequal": (EQ + "    return not self.name != other.name\n" + HASH + "    return hash(self.name)\n", False),
    "a chain": (EQ + "    return self.name == other.name == 1\n" + HASH + "    return hash(self.name)\n", False),
    "no hash is asked": (EQ + "    return self.name == other.name\n" + HASH + "    return len(self.name)\n", False),
    "of the object itself": (EQ + "    return self is other\n" + HASH + "    return hash(id(self))\n", False),
}


IN = "Key('a', 1) in self.names"


@each_row(
    ("name", "use"),
    [
        *((name, IN) for name in AGREES),
        ("another part", "Key('a', 1) not in self.names"),
        ("another part", "(Key('a', 1), 3) in self.names"),
        ("one part", "(Key('a', 1), 3) in self.names"),
    ],
)
def test_whether_hash_and_comparison_agree(name: str, use: str) -> None:
    methods, agree = AGREES[name]
    key = KEY.format(methods="".join(f"    {line}\n" for line in methods.splitlines()))
    text = PROGRAM.format(use=f"return [name for name in self.names], {use}").replace(
        "class Plain", f"{key}class Plain"
    )
    (finding,) = reported({"run.py": text}, "dict-views")
    assert (finding.fix is not None) is agree
    assert agree or "asks whether a `Key` is in it" in (finding.reason or "")
    (finding,) = reported({"run.py": text.replace("columns.keys()", "columns.values()")}, "dict-views")
    assert finding.fix is not None  # values are found by `==` as it is


@each_row(
    "use",
    [
        "self.names in Loose('a').rows",  # the view is asked for
        "[] if Loose('a') == self.names else 1",
        "Loose('a') in row",
        "'a' in self.names",
    ],
)
def test_what_asks_for_no_key_by_its_hash(use: str) -> None:
    (finding,) = reported({"run.py": PROGRAM.format(use=f"return [name for name in self.names], {use}")}, "dict-views")
    assert (finding.fix is None) is ("==" in use), finding.reason
    assert "asks whether a `Loose` is in it" not in (finding.reason or "")


@pytest.mark.parametrize(("later", "told"), [("columns.update(b=1)\n", True), ("print(columns)\n", False)])
def test_no_copy_is_advised_where_the_dict_changes(later: str, told: bool) -> None:
    run = (
        "from multiprocessing import Process\nclass Table:\n    def __init__(self, columns):\n"
        "        self.columns = {{'a': columns}}\n        self.names = self.columns.keys()\n"
        "    def add(self, name):\n        {}        return list(self.names & {{name}})\n"
        "if __name__ == '__main__':\n    Process(target=Table(1).add, args=('a',)).start()\n"
    ).format(later.replace("columns", "self.columns"))
    (found,) = reasons({"run.py": run}, "dict-views")
    assert "line 8 uses it with `&`" in found
    assert ("line 7 calls `.update()`" in found) is told and ("store `set(...)`" in found) is not told
