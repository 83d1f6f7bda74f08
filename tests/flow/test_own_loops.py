"""Loaders that derive from torch's and go over their samples themselves start no workers, whatever they are told."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence
from codemods.flow.answers.crossings import flow_of
from codemods.hazard_kind import HazardKind
from harness.each_row import each_row
from harness.marks import project_of

PROGRAM = """\
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.dataloader import _MultiProcessingDataLoaderIter
from elsewhere import prefetch

class Rows(Dataset):
    def __init__(self):
        self.fn = lambda x: x + 1

class Steps:
    def __init__(self, loader):
        self.loader, self.at = loader, -1

    def __next__(self):
        self.at += 1
        return self.loader.dataset[self.at]

class Own(DataLoader):
    def __init__(self, data, count):
        super().__init__(data, batch_size=2, num_workers=count)
        self.rounds = None

    def __iter__(self):
        {loop}

{more}
"""


def sure(loop: str, more: str = "", call: str = "Own(Rows(), 4)") -> bool:
    """Whether the lambda of `Rows` is seen to cross, or its class is one that nearly every program sends."""
    text = PROGRAM.format(loop=loop, more=more) + call
    crossings = flow_of(project_of({"run.py": text})).crossings(frozenset({HazardKind.LAMBDA}))
    return any(each.line == 7 and each.confidence is not Confidence.POSSIBLE for each in crossings)


@each_row(
    ("loop", "more"),
    [
        ("yield from (self.dataset[at] for at in range(len(self)))", ""),
        ("return Steps(self)", ""),
        ("return iter([self.collate_fn([self.dataset[at] for at in batch]) for batch in self.batch_sampler])", ""),
        ("yield self.dataset[0]", "class Named(Own):\n    name = 'own'\nNamed(Rows(), 2)"),
    ],
)
def test_a_loader_that_goes_over_its_samples_itself(loop: str, more: str) -> None:
    assert not sure(loop, more)


@each_row(
    ("loop", "more"),
    [
        ("yield from super().__iter__()", ""),
        ("return prefetch(super(Own, self).__iter__())", ""),
        ("yield from DataLoader.__iter__(self)", ""),
        ("return _MultiProcessingDataLoaderIter(self)", ""),
        ("return self._get_iterator()", ""),
        ("return Faster(self)", "class Faster(_MultiProcessingDataLoaderIter):\n    pass"),
        ("yield from DataLoader(self.dataset, num_workers=self.num_workers)", ""),
        ("yield from DataLoader(num_workers=2, dataset=self.dataset)", ""),
        ("return prefetch(loader=self)", ""),
        ("return prefetch(self)", ""),  # of another file, which may do any of these
        ("yield from self.rounds", "class Long(Own):\n    def start(self):\n        self.rounds = super().__iter__()"),
        ("yield self.dataset[0]", "for batch in DataLoader(Rows(), num_workers=2):\n    print(batch)"),
    ],
)
def test_a_loader_whose_loop_may_be_that_of_torch(loop: str, more: str) -> None:
    assert sure(loop, more)


@pytest.mark.parametrize("taken", ["Own(rows, 4)", "Own(dataset=rows, count=4)"])
def test_what_another_loader_gets_as_well_crosses(taken: str) -> None:
    assert sure("yield self.dataset[0]", call=f"rows = Rows()\n{taken}\nDataLoader(rows, num_workers=4)")
