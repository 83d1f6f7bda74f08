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


SHARED = """\
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self):
        self.table = {"a": 1}
        self.kept, self.parts = None, {}
    def open(self):
        self.prepare()
    def prepare(self):
        STORE
    def __len__(self):
        return 3
    def __getitem__(self, index):
        if self.kept is None:
            self.open()
        return index
"""
MAIN = """\
from rows import Rows
from torch.utils.data import DataLoader
{above}

if __name__ == "__main__":
    rows = Rows()
    {first}
    for batch in DataLoader(rows, num_workers=2):
        print(batch)
"""


@each_row(
    ("store", "first", "above", "rules"),
    [
        ("self.kept = lambda row: row", "pass", "", []),
        ("self.kept = lambda row: row", "rows.open()", "", ["lambdas"]),
        ("self.kept = lambda row: row", "rows.prepare()", "", ["lambdas"]),
        ("self.kept = lambda row: row", "fill(rows)", "def fill(rows):\n    rows.open()\n", ["lambdas"]),
        ("self.kept = lambda row: row", "open('a').open()", "", []),
        ("self.kept = self.table.keys()", "pass", "", []),
        ("self.kept = self.table.keys()", "rows.open()", "", ["dict-views"]),
    ],
)
def test_a_method_that_the_main_process_calls_too(store: str, first: str, above: str, rules: list[str]) -> None:
    files = {"rows.py": SHARED.replace("STORE", store), "main.py": MAIN.format(first=first, above=above)}
    assert [each.rule for rule in ("lambdas", "dict-views") for each in reported(files, rule)] == rules


def test_a_test_that_calls_it_proves_nothing() -> None:
    files = {"rows.py": SHARED.replace("STORE", "self.kept = lambda row: row")}
    files["main.py"] = MAIN.format(first="pass", above="")
    files["tests/test_rows.py"] = "from rows import Rows\n\ndef test_open():\n    Rows().open()\n"
    assert not reported(files, "lambdas")
