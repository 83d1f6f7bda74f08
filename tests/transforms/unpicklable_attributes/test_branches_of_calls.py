"""What a function opens for one caller and not for another: the arguments of the call decide."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
from torch.utils.data import Dataset

def open_url(url, name_only=False, cache=True):
    if cache:
        return url if name_only else open(url, "rb")
    if name_only:
        return url
    return open(url, "rb")

class Rows(Dataset):
    def __init__(self, url, flag):
        self.file = {call}

    def open(self, url, name_only):
        return url if name_only else open(url, "rb")
"""


@each_row(
    ("call", "count"),
    [
        ("open_url(url)", 1),
        ("open_url(url, False)", 1),
        ("open_url(url, cache=False)", 1),
        ("open_url(url, flag)", 1),
        ("open_url(url, name_only=flag, cache=False)", 1),
        ("open_url(url, **flag)", 1),
        ("self.open(url, False)", 1),
        ("open_url(url, True)", 0),
        ("open_url(url, name_only=True)", 0),
        ("open_url(url, name_only=True, cache=False)", 0),
        ("self.open(url, True)", 0),
    ],
)
def test_the_arguments_decide_what_is_returned(call: str, count: int) -> None:
    found = reported({"data.py": PROGRAM.format(call=call)}, "unpicklable-attributes")
    assert [each.span.line for each in found] == [12] * count
