"""A view that the next statement replaces by what is in it is never stored for long."""

from __future__ import annotations

from codemods.finding import Confidence
from codemods.project import Project
from codemods.transforms.dict_views import RULE
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

PROGRAM = """\
from torch.utils.data import DataLoader, Dataset
{above}

class Rows(Dataset):
    def __init__(self, short):
        table = {{"b": 1, "a": 2}}
        {target} = table.keys()
        {below}
        self.names = {target}

    def __getitem__(self, at):
        return at

for row in DataLoader(Rows(input()), num_workers=2):
    print(row)
"""
BOTH = "if short:\n            {0} = {1}\n        else:\n            {0} = {2}"


def is_found(target: str, below: str, above: str = "") -> bool:
    files = {"a.py": PROGRAM.format(target=target, below=below, above=above).encode()}
    found = RULE.find(Project(MemoryFiles(files)))
    return any(each.confidence is not Confidence.POSSIBLE for each in found)


@each_row(
    ("below", "found"),
    [
        ("pass", True),
        ("X = sorted(X)", False),
        ("X = list(X)[:2]", False),
        ("X = [name for name in X]", False),
        ("X = {name: 1 for name in X}", False),
        ("X = sorted(X, key=len)", False),
        ("print(1)\n        X = sorted(X)", False),  # the flow of a local name sees that
        (BOTH.format("X", "sorted(X)", "list(X)"), False),
        (BOTH.format("X", "sorted(X)", "X"), True),
        (BOTH.format("X", "sorted(X)", "(X, 1)"), True),
        ("if short:\n            X = sorted(X)", True),
    ],
)
def test_a_view_of_a_local_name(below: str, found: bool) -> None:
    assert is_found("names", below.replace("X", "names")) is found


@each_row(
    ("below", "above", "found"),
    [
        (BOTH.format("X", "sorted(X)", "[a for a in X]"), "", False),
        (BOTH.format("X", "sorted(X)", "set(X)"), "", False),
        (BOTH.format("X", "sorted(X)", "[a for a in table if X]"), "", True),
        (BOTH.format("X", "sorted(X)", "[X for a in X]"), "", True),
        (BOTH.format("X", "sorted(X)", "wrap(X)"), "def wrap(names):\n    return names\n", True),
        (BOTH.format("X", "sorted(X)", "list(X)"), "from lists import list\n", True),
        (BOTH.format("X", "sorted(X)", "list(self.other)"), "", False),
        (BOTH.format("self.other", "sorted(X)", "list(X)"), "", True),
    ],
)
def test_a_view_of_an_attribute(below: str, above: str, found: bool) -> None:
    assert is_found("self.names", below.replace("X", "self.names"), above) is found
