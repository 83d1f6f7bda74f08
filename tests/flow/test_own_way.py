"""The trace of what one of several siblings keeps, which all keep objects of one class, goes over that sibling."""

from __future__ import annotations

from codemods.flow.answers.crossings import flow_of
from codemods.project import Project
from codemods.tree.files import MemoryFiles
from harness.marks import KINDS

SIBLINGS = """\
import engine
from torch.utils.data import DataLoader, Dataset

class Mask:
    def __init__(self, fix):
        self.fix = fix

class Base(Dataset):
    def __init__(self):
        self.mask = Mask(str)

    def __getitem__(self, index):
        return self.mask.fix(index)

class First(Base):
    pass

class Second(Base):
    def __init__(self):
        super().__init__()
        self.mask = Mask(lambda x: x)

class Third(Base):
    def __init__(self):
        super().__init__()
        self.mask = Mask(lambda x: x + 1)

def main():
    for rows in (First(), Third(), Second()):
        engine.train(rows)
"""


def test_a_trace_goes_over_the_class_that_makes_the_hazard() -> None:
    found = flow_of(Project(MemoryFiles({"data.py": SIBLINGS.encode()}))).crossings(KINDS)
    told = {each.line: [hop.what for hop in each.trace][-2:] for each in found}
    assert told[21][0] == "stored as `mask` on `Second`"
    assert told[21][1].startswith("`Second` is a `Dataset`")
    assert told[26][0] == "stored as `mask` on `Third`"
    assert told[26][1].startswith("`Third` is a `Dataset`")
