"""Generators of random numbers of torch that a dataset keeps: the copy goes on where the original stands."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """
import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler

class Rows(Dataset):
    def __init__(self, n, seed):
        {kept}

    def __getitem__(self, at):
        return torch.rand(1, generator=self.numbers)

if __name__ == "__main__":
    for row in DataLoader(Rows(2, 3), num_workers=1):
        print(row)
"""


@each_row(
    ("kept", "fixed"),
    [
        ("self.numbers = torch.Generator().manual_seed(seed)", True),
        ("self.numbers = torch.Generator(device='cpu'); self.numbers.manual_seed(seed)", True),
        ("self.numbers = torch.Generator('cuda')", False),
        ("self.numbers = torch.Generator() if n else None", False),
        ("self.numbers = torch.Generator(); self.order = RandomSampler([1], generator=self.numbers)", False),
        ("numbers = torch.Generator(); self.numbers = numbers", False),
        ("self.numbers = torch.Generator(); self.options = dict(generator=self.numbers)", False),
        ("self.numbers = torch.Generator(); self.draw = self.numbers.get_state", False),
        ("self.numbers = torch.Generator(); self.state = self.numbers.get_state()", True),
        ("self.numbers = torch.Generator(); self.device = self.numbers.device", True),
    ],
)
def test_the_state_goes_along(kept: str, fixed: bool) -> None:
    (told,) = reported({"main.py": PROGRAM.format(kept=kept)}, "unpicklable-attributes")
    assert (told.fix is not None) is fixed
    if told.fix is not None:
        written = "".join(edit.text for edit in told.fix.edits)
        assert 'state["numbers"] = self.numbers.get_state().numpy()' in written
        assert 'self.numbers.set_state(torch.from_numpy(state["numbers"]))' in written


BESIDE = """
import threading
import torch
from torch.utils.data import DataLoader

class Rows:
    def __init__(self):
        self.kept = {made}

    def get(self):
        return self.kept

class Noise:
    def __init__(self, rows):
        self.rows = rows
        self.mine = {noise}

class Apart:
    def __init__(self, rows):
        self.mine = rows.kept

class Both:
    def __init__(self):
        self.rows = Rows()
        self.noise = Noise(self.rows)
        self.mine = {both}

    def __getitem__(self, at):
        return at

if __name__ == "__main__":
    both = Both()
    apart = Apart(both.rows)
    for row in DataLoader(both, num_workers=1):
        print(row)
"""


@each_row(
    ("made", "noise", "both", "fixed"),
    [
        ("torch.Generator()", "1", "2", True),
        ("torch.Generator()", "1", "self.rows.kept", False),
        ("torch.Generator()", "rows.get()", "2", False),
        ("threading.Lock()", "1", "self.rows.kept", False),
        ("threading.Lock()", "rows.kept", "2", False),
        ("threading.Lock()", "1", "self.rows.get()", False),
        ("threading.Lock()", "1", "self.rows.kept.locked()", True),
    ],
)
def test_what_another_object_keeps_too(made: str, noise: str, both: str, fixed: bool) -> None:
    files = {"main.py": BESIDE.format(made=made, noise=noise, both=both)}
    told = [each for each in reported(files, "unpicklable-attributes") if "self.kept" in each.message]
    assert len(told) == 1 and (told[0].fix is not None) is fixed
    assert fixed or "keeps it too" in (told[0].reason or "")
