"""unpicklable-attributes: where a file was read before it crosses, and is read on from there, nothing is left out."""

from __future__ import annotations

import pytest

from codemods.project import Project
from codemods.transforms.unpicklable_attributes import RULE
from codemods.tree.files import MemoryFiles

PROGRAM = """
from torch.utils.data import DataLoader, Dataset


class Lines(Dataset):
    def __init__(self, path, skip):
        self.path = path
        self.file = open(path)
        {early}

    def __len__(self):
        return 100

    def __getitem__(self, index):
        {late}


def load(path):
    return DataLoader(Lines(path, 5), num_workers=2)
"""


def reason(early: str, late: str) -> str | None:
    """Why the file of `Lines` isn't left out of the pickle; None where it is."""
    text = PROGRAM.format(early=early, late=late)
    (finding,) = RULE.find(Project(MemoryFiles({"train.py": text.encode()})))
    return finding.reason


@pytest.mark.parametrize(
    "early",
    [
        pytest.param("for _ in range(skip):\n            self.file.__next__()", id="the method of next()"),
        pytest.param("head = self.file.__iter__().__next__()", id="the method of iter()"),
        pytest.param("self.head, *rest = [*self.file]", id="star"),
        pytest.param("next(self.file)", id="next"),
    ],
)
@pytest.mark.parametrize(
    "late", ["return self.file.__next__()", "return next(self.file)", "return self.file.readline()"]
)
def test_lines_that_were_skipped_are_not_read_again(early: str, late: str) -> None:
    assert "reads from it before it is sent" in (reason(early, late) or "")


@pytest.mark.parametrize("late", ["return self.file.__next__()", "return next(self.file)"])
def test_a_file_at_its_start_is_opened_again(late: str) -> None:
    assert reason("self.skip = skip", late) is None
