"""What a function assigns to its own parameter is no default, whatever its callers give."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
from torch.utils.data import DataLoader


class Rows:
    def __init__(self, at):
        self.step = STEP


def make(name=DEFAULT):
    BODY
    return name


for row in DataLoader(make("train"), num_workers=2):
    print(row)
"""


@each_row(
    ("default", "body", "found"),
    [
        ("None", "name = Rows(name)", True),
        ("None", "if name == 'a':\n        name = Rows(name)", True),
        ("Rows('a')", "print(name)", False),
    ],
)
def test_a_parameter_that_is_assigned(default: str, body: str, found: bool) -> None:
    text = TEXT.replace("STEP", "lambda x: x").replace("DEFAULT", default).replace("BODY", body)
    assert bool(reported({"a.py": text}, "lambdas")) == found
