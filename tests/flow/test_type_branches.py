"""Values that go by a branch for objects of another type only: they get nowhere by it."""

from __future__ import annotations

import ast

from test_flow import crossings

from codemods.finding import Confidence
from codemods.flow.facts.collector import facts_of
from harness.each_row import each_row

PROGRAM = """\
from collections.abc import Mapping
from torch.utils.data import DataLoader, Dataset
from elsewhere import Unknown


class Rows(Dataset):
    def __init__(self, source):
        self.source = None
        {keep}

    def __getitem__(self, at):
        return at


class Sized:
    def __init__(self):
        self.size = lambda row: 1


class Longer(Sized):
    pass


class Named(Unknown):
    def __init__(self):
        self.size = lambda row: 1


class Other:
    def __init__(self):
        self.size = lambda row: 1


KINDS = (Sized, Other)
for row in DataLoader(Rows({given}), num_workers=2):
    print(row)
"""


@each_row(
    ("test", "given", "crosses"),
    [
        ("if isinstance(source, Sized): ", "Other()", False),
        ("if isinstance(source, Sized): ", "Sized()", True),
        ("if isinstance(source, Sized): ", "Longer()", True),
        ("if isinstance(source, Longer): ", "Sized()", False),
        ("if isinstance(source, (Sized, Other)): ", "Other()", True),
        ("if isinstance(source, (Sized, Longer)): ", "Other()", False),
        ("if isinstance(source, Sized) and input(): ", "Other()", False),
        ("if isinstance(source, Sized) or input(): ", "Other()", True),
        ("if not isinstance(source, Sized): ", "Longer()", False),
        ("if not isinstance(source, Sized): ", "Other()", True),
        ("if isinstance(source, Sized): pass\n        else: ", "Longer()", False),
        ("if not isinstance(source, Sized): return\n        ", "Other()", False),
        ("if not isinstance(source, Sized): return\n        ", "Sized()", True),
        ("if isinstance(source, Sized): print(1)\n        ", "Other()", True),
        ("if isinstance(source, Dataset): ", "Other()", False),
        ("if isinstance(source, Dataset): ", "Rows(lambda row: row)", False),
        ("if isinstance(source, Sized): ", "Named()", False),
        ("if isinstance(source, Dataset): ", "Named()", True),  # its base may be one
        ("if isinstance(source, dict): ", "Other()", False),
        ("if isinstance(source, dict): ", "[lambda row: row]", False),
        ("if isinstance(source, dict): ", "{'a': lambda row: row}", True),
        ("if isinstance(source, (list, tuple)): ", "[lambda row: row]", True),
        ("if not isinstance(source, list): ", "[lambda row: row]", False),
        ("if isinstance(source, Mapping): ", "{'a': lambda row: row}", True),
        ("if isinstance(source, Unknown): ", "[lambda row: row]", False),
        ("if isinstance(source, dict): ", "lambda row: row", False),
        ("if isinstance(source, Sized): ", "lambda row: row", False),
        ("if isinstance(source, KINDS): ", "Other()", True),
        ("if isinstance(source.inner, Sized): ", "Other()", True),
    ],
)
def test_what_is_kept(test: str, given: str, crosses: bool) -> None:
    keep = f"{test}self.source = source"
    text = PROGRAM.format(keep=keep, given=given).replace("self.source = None", "self.source = 1")
    found = crossings({"train.py": text})
    assert any(each.confidence is Confidence.PROVEN for each in found) is crosses


def test_types_that_are_other_names_here() -> None:
    text = "def f(a):\n    if isinstance(a, dict):\n        return 1\n"
    assert facts_of("a.py", ast.parse(text)).typed[0].types == (("dict", -1),)
    assert facts_of("a.py", ast.parse(f"from b import dict\n{text}")).typed[0].types[0][0] == ""
