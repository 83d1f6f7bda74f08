"""A function that gives a dataset for one name and several things for another: the latter are no dataset."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.marks import crossing

PROGRAM = """
import torchvision
from torch.utils.data import DataLoader


class Field:
    def __init__(self, cut):
        self.cut = cut


def text(name):
    field = Field(lambda line: line.split())
    return {record}


def build(name):
    if name == "cifar":
        return {plain}
    return text(name)


def images(name):
    return DataLoader(build(name), num_workers=2)


def words(name):
    return {unpacked}


images("cifar")
words("ptb")
"""


def confidences(record: str, plain: str = "torchvision.datasets.CIFAR10(name)", unpacked: str = "None") -> list[str]:
    """Of the lambda."""
    program = PROGRAM.format(record=record, plain=plain, unpacked=unpacked)
    return [confidence for _, _, confidence in crossing({"main.py": program})]


@pytest.mark.parametrize(
    ("record", "unpacked"),
    [
        ("field, [1], [2]", "build(name)[0]"),
        ('{"field": field, "train": [1]}', 'build(name)["field"]'),
    ],
)
def test_several_things_are_no_samples(record: str, unpacked: str) -> None:
    assert confidences(record, unpacked=unpacked) == ["possible"]


@pytest.mark.parametrize("record", ["[field, field]", "{0: field, 1: field}"])
def test_what_goes_by_numbers_may_be_samples(record: str) -> None:
    assert confidences(record) == ["proven"]


def test_a_tuple_that_is_all_there_is_may_be_samples() -> None:
    assert confidences("field, field", plain="text(name)") == ["proven"]


SLICED = """
from torch.utils.data import DataLoader


class Part:
    def __init__(self, cut=None):
        self.cut = cut


class Rows:
    def __init__(self, cut=None):
        self.cut = cut

    def __getitem__(self, key):
        return Part(self.cut) if isinstance(key, slice) else 0


step = lambda row: row
state = ({made}, 2, 3)
data = {taken}
DataLoader(data, num_workers=2)
"""


@each_row(
    ("made", "taken", "found"),
    [
        ("[Rows(step), Rows(step)]", "state[:2][1]", False),
        ("[Rows(step), Rows(step)]", "state[:2][0][1]", True),
        ("Rows(step)", "state[0][:2]", True),  # what the class makes of a slice
        ("Rows(step)", "state[:1]", True),
    ],
)
def test_a_slice_gives_no_element(made: str, taken: str, found: bool) -> None:
    confidences = [confidence for _, _, confidence in crossing({"main.py": SLICED.format(made=made, taken=taken)})]
    assert any(each != "possible" for each in confidences) is found
