"""What methods store that only workers call stays in them."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    {first}
    def ready(self):
        self.scale = lambda row: 2 * row
    def __len__(self):
        return 3
    def __getitem__(self, index):
        return {item}

rows = Rows()
for batch in DataLoader(rows, num_workers=2):
    print(batch)
"""


@each_row(
    ("first", "item", "found"),
    [
        ("", "self.ready()", False),  # it is the first function of the file
        ("size = lambda self: 3", "self.ready()", False),
        ("def start(self):\n        self.ready()", "self.start()", False),
        ("def start(self):\n        self.ready()", "self.ready()", True),  # others may call it
        ("def __init__(self):\n        self.ready()", "self.ready()", True),
        ("", "index", True),
    ],
)
def test_a_lambda_that_a_method_stores(first: str, item: str, found: bool) -> None:
    assert bool(reported({"rows.py": PROGRAM.format(first=first, item=item)}, "lambdas")) is found
