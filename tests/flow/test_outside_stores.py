"""What is stored on one object from outside of its class crosses with that object, and with no other of the class."""

from __future__ import annotations

from harness.each_row import each_row
from harness.marks import crossing

TEXT = """
import copy
import torch
from torch.utils.data import ConcatDataset, DataLoader, Subset

class Rows:
    def __init__(self, rows):
        self.rows = rows
        self.crop = abs

    def __getitem__(self, index):
        return self.crop(self.rows[index])

    def __len__(self):
        return len(self.rows)

    def loader(self):
        return {own}

class Trainer:
    def __init__(self, rows):
        self.rows = rows

    def loader(self):
        return DataLoader(self.rows, num_workers=2)

KEPT = []

def load(rows):
    return DataLoader(rows, num_workers=2)

def show():
    rows = Rows([1, 2])
    rows.crop = lambda x: 2 * x
    {use}
    return rows

def main():
    {shown}
    return DataLoader({sent}, num_workers=2)
"""
LINE = TEXT.splitlines().index("    rows.crop = lambda x: 2 * x") + 1
ITSELF = "DataLoader(self, num_workers=2)"


def confidence(
    use: str = "print(rows[0])", sent: str = "Rows([3])", shown: str = "shown = show()", own: str = "1"
) -> str:
    """How sure it is that the lambda crosses."""
    found = crossing({"a.py": TEXT.format(use=use, sent=sent, shown=shown, own=own)})
    (sure,) = {sure for _, line, sure in found if line == LINE - 1}
    return sure


@each_row(
    ("changed", "sure"),
    [
        ({}, "possible"),
        ({"use": "KEPT.append(rows)"}, "possible"),
        ({"use": "Trainer(rows)"}, "proven"),
        ({"use": "[*load(Rows([4]))]"}, "possible"),
        ({"sent": "show()"}, "proven"),
        ({"sent": "shown"}, "proven"),
        ({"sent": "copy.copy(shown)"}, "proven"),
        ({"sent": "copy.deepcopy(shown)"}, "proven"),
        ({"sent": "Subset(shown, [0])"}, "proven"),
        ({"sent": "ConcatDataset([shown])"}, "proven"),
        ({"use": "KEPT.append(rows)", "sent": "KEPT[0]"}, "proven"),
        ({"use": "[*load(rows)]"}, "proven"),
        ({"use": "[*Trainer(rows).loader()]"}, "proven"),
        ({"use": "[*rows.loader()]", "own": ITSELF}, "proven"),
        ({"use": "[*rows.loader()]", "own": "load(self)"}, "proven"),
        ({"use": "[*DataLoader(rows, num_workers=2)]"}, "proven"),
        ({"shown": "shown = Rows([1])\n    shown.crop = lambda x: 3 * x"}, "possible"),
    ],
)
def test_a_store_on_another_object(changed: dict[str, str], sure: str) -> None:
    assert confidence(**changed) == sure
