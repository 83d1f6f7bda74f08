"""dict-views: keys of which only members are asked become a set; keys that are found by their hash stay found so."""

from __future__ import annotations

import pytest

from harness.small import migrated, reasons

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
]


@pytest.mark.parametrize("use", AS_SETS)
def test_a_set_where_the_order_is_nowhere_seen(use: str) -> None:
    text = migrated({"run.py": PROGRAM.format(use=use)}, "dict-views")["run.py"]
    assert "self.names = set(columns.keys())" in text


@pytest.mark.parametrize(
    ("use", "reason"),
    [
        ("return [name for name in self.names if name], self.names - set(row)", "uses it with `-`"),
        ("return list(self.names & set(row))", "uses it with `&`"),
        ("return self.names | row", "uses it with `|`"),
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
