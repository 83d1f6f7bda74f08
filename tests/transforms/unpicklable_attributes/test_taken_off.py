"""unpicklable-attributes: what the constructor of the object around deletes of a part does not cross."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

RULE = "unpicklable-attributes"
PROGRAM = """\
import threading
from torch.utils.data import DataLoader, Dataset
class Barrier:
    def __init__(self):
        self.lock = threading.Lock()
class Rows(Dataset):
    def __init__(self, quick):
        BEFORE
        self.barrier = Barrier()
        AFTER
    def __getitem__(self, at):
        return at
    def strip(self):
        del self.barrier.lock
if __name__ == '__main__':
    for row in DataLoader(Rows(True), num_workers=2):
        print(row)
"""


@each_row(
    ("before", "after", "found"),
    [
        pytest.param("pass", "del self.barrier.lock", False, id="it is deleted"),
        pytest.param("pass", "pass", True, id="it stays"),
        pytest.param("pass", "if quick: del self.barrier.lock", True, id="in a branch"),
        pytest.param("pass", "del self.other.lock", True, id="of something else"),
        pytest.param("pass", "del self.barrier.name", True, id="something else of it"),
        pytest.param("self.barrier = Barrier()\n        del self.barrier.lock", "pass", True, id="of the one before"),
    ],
)
def test_deleted_of_a_part(before: str, after: str, found: bool) -> None:
    assert bool(reported({"a.py": PROGRAM.replace("BEFORE", before).replace("AFTER", after)}, RULE)) == found
