"""Functions that an object collects itself: a method takes along what crosses anyway."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated

PUT = """\
from torch.utils.data import DataLoader


class Rows:
    def __init__(self, dataset):
        self.dataset = dataset
        self.steps = []
        self.size = 1

    def grow(self, count):
        self.size += 1

        def step(at):
            return self.size + count + at

        USE

    def __getitem__(self, at):
        return self.steps[0](at)


if __name__ == "__main__":
    rows = Rows([1])
    rows.grow(2)
    for row in DataLoader(rows, num_workers=2):
        print(row)
"""


@each_row(
    ("use", "alone"),
    [
        ("self.steps.append(step)", True),
        ("self.steps.insert(0, step)", True),
        ("self.steps.extend([step])", False),
        ("print(self.steps.append(step))", False),
    ],
)
def test_what_the_object_itself_collects_takes_nothing_along(use: str, alone: bool) -> None:
    """Nor does what may be elsewhere, too (not `alone`), where objects of the class are sent the same way."""
    text = PUT.replace("USE", use)
    assert "functools.partial(self._grow_step, count)" in migrated({"a.py": text}, "lambdas")["a.py"]
    elsewhere = text.replace("DataLoader(rows,", "DataLoader(rows.steps,")
    assert "self._grow_step" not in migrated({"a.py": elsewhere}, "lambdas").get("a.py", "")
