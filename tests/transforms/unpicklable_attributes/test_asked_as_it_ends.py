"""unpicklable-attributes: a class that asks `hasattr(self, "x")`, as a `__del__` does for an `__init__` that failed."""

from __future__ import annotations

import pytest

from harness.small import migrated

RULE = "unpicklable-attributes"
PROGRAM = """\
import tarfile
from torch.utils.data import DataLoader, Dataset
class Frames(Dataset):
    def __init__(self, path):
        self.path = path
        {opens}
    def __len__(self):
        return 3
    def __getitem__(self, at):
        {reads}
    def __del__(self):
        if {asked}:
            self.tar.close()
            self.tar = None
def main():
    frames = Frames("frames.tar")
    print(frames[0])
    for batch in DataLoader(frames, num_workers=2):
        print(batch)
if __name__ == "__main__":
    main()
"""
AT_ONCE = "self.tar = None\n        if path.endswith('.tar'):\n            self.tar = tarfile.open(path)"
ONLY_SOME = "if path.endswith('.tar'):\n            self.tar = tarfile.open(path)"
READS = "return at if self.tar is None else self.tar.extractfile(str(at)).read()"
ON_DEMAND = (
    "if self.tar is None:\n            self.tar = tarfile.open(self.path)\n"
    "        return self.tar.extractfile(str(at)).read()"
)
BOTH = 'hasattr(self, "tar") and self.tar is not None'


@pytest.mark.parametrize("asked", ["self.tar is not None", BOTH, 'getattr(self, "tar", None) is not None'])
def test_every_object_has_it(asked: str) -> None:
    """The copy has it too, so that the question has the same answer in both."""
    text = PROGRAM.format(opens=AT_ONCE, reads=READS, asked=asked)
    (after,) = migrated({"main.py": text}, RULE).values()
    assert 'state["tar"] = self.tar is not None' in after
    assert 'self.tar = tarfile.open(self.path) if state["tar"] else None' in after


@pytest.mark.parametrize("asked", ["self.tar is not None", BOTH])
def test_the_class_opens_it_on_demand(asked: str) -> None:
    """Who closes it where it is open does not need it open."""
    text = PROGRAM.format(opens="self.tar = None", reads=ON_DEMAND, asked=asked)
    (after,) = migrated({"main.py": text}, RULE).values()
    assert 'state["tar"] = None' in after
    assert "__setstate__" not in after


def test_another_branch_may_need_it() -> None:
    """Where only one of two conditions fails, it may be open."""
    also = (
        "if self.tar is not None and at:\n            return at\n        else:\n            return self.tar.getnames()"
    )
    opens = f"self.tar = None\n    def peek(self, at):\n        {also}"
    (after,) = migrated({"main.py": PROGRAM.format(opens=opens, reads=ON_DEMAND, asked=BOTH)}, RULE).values()
    assert "tarfile.open(self.path) if state" in after


@pytest.mark.parametrize("asked", ['hasattr(self, "tar")', 'getattr(self, "tar", None)'])
def test_some_objects_lack_it(asked: str) -> None:
    """Their copies lack it too, so that the question has the same answer in both."""
    text = PROGRAM.format(opens=ONLY_SOME, reads="return at", asked=asked)
    (after,) = migrated({"main.py": text}, RULE).values()
    assert 'if "tar" in state:\n            state["tar"] = self.tar is not None' in after
    assert 'if "tar" in state:\n            self.tar = tarfile.open(self.path) if state["tar"] else None' in after


@pytest.mark.parametrize("asked", ['isinstance(self, Frames) and "tar"', 'hasattr(self, "path")'])
def test_nobody_asks_for_it(asked: str) -> None:
    text = PROGRAM.format(opens=ONLY_SOME, reads="return at", asked=asked)
    assert migrated({"main.py": text}, RULE)


def test_a_class_below_lacks_it() -> None:
    """So does a copy of its objects."""
    text = PROGRAM.format(opens=AT_ONCE, reads=READS, asked=BOTH)
    below = "class Empty(Frames):\n    def __init__(self):\n        self.path = ''\ndef main():"
    (after,) = migrated({"main.py": text.replace("def main():", below)}, RULE).values()
    assert 'if "tar" in state:\n            state["tar"] = self.tar is not None' in after
    assert 'if "tar" in state:\n            self.tar = tarfile.open(self._tar_path) if state["tar"] else None' in after
