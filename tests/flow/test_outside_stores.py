"""What is stored on one object from outside of its class crosses with that object, and with no other of the class."""

from __future__ import annotations

from harness.each_row import each_row
from harness.marks import crossing, marked

TEXT = """
import copy
import torch
from torch.utils.data import ConcatDataset, DataLoader, Subset

class Once(type):
    made = {{}}

    def __call__(cls, *given):
        return cls.made.setdefault(cls, super().__call__(*given))

class Kept:
    one = None
    state = {{}}

    def __new__(cls, *given):
        cls.one = cls.one or super().__new__(cls)
        return cls.one

{head}
    def __init__(self, rows):
        self.rows = rows
        {first}
        self.crop = abs

    def __getitem__(self, index):
        return self.crop(self.rows[index])

    def __len__(self):
        return len(self.rows)

    def __repr__(self):
        return str(self.__dict__)

    def like(self, other):
        {like}
        return self

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
ITSELF = "DataLoader(self, num_workers=2)"


def confidence(
    use: str = "print(rows[0])",
    sent: str = "Rows([3])",
    shown: str = "shown = show()",
    own: str = "1",
    head: str = "class Rows:",
    first: str = "pass",
    like: str = "pass",
) -> str:
    """How sure it is that the lambda crosses."""
    text = TEXT.format(use=use, sent=sent, shown=shown, own=own, head=head, first=first, like=like)
    at = next(at for at, line in enumerate(text.splitlines()) if "rows.crop = lambda x: 2" in line)
    found = crossing({"a.py": text})
    (sure,) = {sure for _, line, sure in found if line == at}
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
        ({"head": "class Rows(metaclass=Once):"}, "proven"),
        ({"head": "class Rows(Kept):"}, "proven"),
        ({"head": "class Rows(torch.utils.data.Dataset):"}, "likely"),
        ({"head": "from elsewhere import Single\nclass Rows(Single):"}, "proven"),
        ({"first": "self.__dict__ = Kept.state"}, "proven"),
        ({"sent": "other", "shown": "other = Rows([4]); other.__dict__.update(show().__dict__)"}, "proven"),
        ({"sent": "other", "shown": "other = Rows([4]); vars(other).update(vars(show()))"}, "proven"),
        ({"sent": "Rows([4]).like(show())", "like": "self.__dict__.update(other.__dict__)"}, "proven"),
        ({"sent": "Rows([4]).like(show())", "like": "self.crop = getattr(other, self.name)"}, "proven"),
        ({"like": "print(getattr(self, other))"}, "possible"),
    ],
)
def test_a_store_on_another_object(changed: dict[str, str], sure: str) -> None:
    assert confidence(**changed) == sure


REGISTRY = """
class Registry:
    def __init__(self):
        self._classes = {}

    def get(self, name):
        return self._classes.get(name)

    def register(self, cls):
        self._classes[cls.__name__] = cls
        return cls

MODELS, DATASETS = Registry(), Registry()

def build(cfg, registry):
    args = dict(cfg)
    return registry.get(args.pop("type"))(**args)
"""
BUILT = """
import torch
from torch.utils.data import DataLoader, Dataset
from registry import DATASETS, MODELS, build

@DATASETS.register
class Rows(Dataset):
    def __init__(self, size):
        self.size = size

    def __getitem__(self, index):
        return index

@MODELS.register
class Net(torch.nn.Module):
    def forward(self, x):
        return x

def main(cfg):
    rows = build(cfg, DATASETS)
    built = build(cfg, {registry})
    built.hook = lambda x: x  # {found}
    return DataLoader(rows, num_workers=2)
"""


@each_row(("registry", "found"), [("MODELS", "possible"), ("DATASETS", "likely")])
def test_what_is_stored_on_what_a_registry_gives(registry: str, found: str) -> None:
    """One function makes the objects of all registries: the rows of one are none of the models of another."""
    files = {"registry.py": REGISTRY, "train.py": BUILT.format(registry=registry, found=found)}
    assert crossing(files) == marked(files)
