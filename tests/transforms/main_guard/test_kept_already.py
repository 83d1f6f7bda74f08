"""main-guard: a global that a worker lacks, where the object that is sent keeps the same value under the same name."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated

PROGRAM = """\
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, rows, args):
        {above}
        self.args = args
        self.rows = rows{below}

    def __len__(self):
        return len(self.rows)

    def size(self):
        return args

    def __getitem__(self, at):
        return self.rows[at] * args


if __name__ == "__main__":
    args = int(input())
    other = args + 1
    loader = DataLoader({made}, num_workers=1)
    for row in loader:
        print(row)
"""


@each_row(
    ("above", "below", "made", "same"),
    [
        ("super().__init__()", "", "Rows([1, 2], args)", True),
        ("self.first = rows[0]", "", "Rows(rows=[1, 2], args=args)", True),
        ("pass", "", "Rows([1, 2], other)", False),
        ("pass", "", "Rows([1, 2], args + 1)", False),
        ("self.first = self.size()", "", "Rows([1, 2], args)", False),  # before it is there
        ("args = args + 1", "", "Rows([1, 2], args)", False),
        ("pass", "\n        self.args = 3", "Rows([1, 2], args)", False),
        ("pass", "\n\n    def scale(self):\n        self.args = 2 * self.args", "Rows([1, 2], args)", False),
        ("pass", "\n\n    args = 1", "Rows([1, 2], args)", False),
        ("pass", "\n        setattr(self, 'args', None)", "Rows([1, 2], args)", False),
        ("pass", "\n        setattr(self, 'other', None)", "Rows([1, 2], args)", True),
        ("if not rows:\n            return", "", "Rows([1, 2], args)", False),
    ],
)
def test_the_attribute_is_read_where_it_is_the_same_object(above: str, below: str, made: str, same: bool) -> None:
    before = PROGRAM.format(above=above, below=below, made=made)
    after = migrated({"run.py": before}, "main-guard").get("run.py", before)
    assert ("return self.rows[at] * self.args" in after) is same
    if same:
        assert after.count("self.args = args") == 1
        assert after == before.replace("[at] * args", "[at] * self.args").replace("return args", "return self.args")


PASSED = """\
import argparse

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, options):
        self.args = options

    def __len__(self):
        return 4

    def __getitem__(self, at):
        return at * args.scale


def completed(given, scale):
    given.scale = scale
    {end}


def changed(given):
    return argparse.Namespace(**vars(given))


def load(options):
    {first}
    for row in DataLoader(Rows(options), num_workers=1):
        print(row)


if __name__ == "__main__":
    args = argparse.ArgumentParser().parse_args()
    load({passed})
"""


@each_row(
    ("end", "first", "passed", "same"),
    [
        ("return given", "options = completed(options, 3)", "args", True),
        ("return given", "completed(options, 3)", "args", True),
        ("return given", "options = completed(given=options, scale=2)", "args", True),
        ("return given", "options = completed(options, 3)", "argparse.Namespace(scale=3)", False),
        ("return given", "options = changed(options)", "args", False),
        ("return changed(given)", "options = completed(options, 3)", "args", False),
        ("given = changed(given)\n    return given", "options = completed(options, 3)", "args", False),
        ("if scale:\n        return given", "options = completed(options, 3)", "args", False),
        ("yield given\n    return given", "options = next(completed(options, 3))", "args", False),
    ],
)
def test_the_global_comes_as_a_parameter(end: str, first: str, passed: str, same: bool) -> None:
    before = PASSED.format(end=end, first=first, passed=passed)
    after = migrated({"run.py": before}, "main-guard", unsafe_fixes=True).get("run.py", before)
    assert (after == before.replace("at * args.scale", "at * self.args.scale")) is same
