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
    ],
)
def test_the_attribute_is_read_where_it_is_the_same_object(above: str, below: str, made: str, same: bool) -> None:
    before = PROGRAM.format(above=above, below=below, made=made)
    after = migrated({"run.py": before}, "main-guard").get("run.py", before)
    assert ("return self.rows[at] * self.args" in after) is same
    if same:
        assert after.count("self.args = args") == 1
        assert after == before.replace("[at] * args", "[at] * self.args").replace("return args", "return self.args")
