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
    ],
)
def test_the_state_goes_along(kept: str, fixed: bool) -> None:
    (told,) = reported({"main.py": PROGRAM.format(kept=kept)}, "unpicklable-attributes")
    assert (told.fix is not None) is fixed
    if told.fix is not None:
        written = "".join(edit.text for edit in told.fix.edits)
        assert 'state["numbers"] = self.numbers.get_state().numpy()' in written
        assert 'self.numbers.set_state(torch.from_numpy(state["numbers"]))' in written
