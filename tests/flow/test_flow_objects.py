"""Which object keeps a value, and when: siblings of one base class, tables, what happens before the workers start."""

from __future__ import annotations

import pytest

from harness.marks import crossing, marked

LOADER = "from torch.utils.data import DataLoader, Dataset\n"

PROGRAMS = {
    "made in the worker by a method that tries again": {
        "data.py": LOADER
        + """
class Images(Dataset):
    def __getitem__(self, index):
        return self.read(index)

    def read(self, index):
        self.fix = lambda x: x
        if not index:
            return self.read(index + 1)
        return self.fix(index)

loader = DataLoader(Images(), num_workers=2)
"""
    },
    "a method that only calls itself is not run by the worker": {
        "data.py": LOADER
        + """
class Images(Dataset):
    def __getitem__(self, index):
        return self.fix(index)

    def read(self, index):
        self.fix = lambda x: x  # proven
        return self.read(index + 1)

loader = DataLoader(Images(), num_workers=2)
"""
    },
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    assert crossing(PROGRAMS[name]) == marked(PROGRAMS[name])
