"""A factory takes the class of a data set by a name of the configuration: samplers and models beside it are none."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

FACTORY = """\
import importlib
import os

from torch.utils.data import DataLoader

folder = os.path.dirname(os.path.abspath(__file__))
names = [name[:-3] for name in os.listdir(folder) if name.endswith("_rows.py")]
modules = [importlib.import_module(f"data.{name}") for name in names]


def create(options):
    for module in modules:
        found = getattr(module, options["type"], None)
        if found is not None:
            break
    return found(options)


def load(dataset, options, sampler=None):
    if options["phase"] == "train":
        given = dict(dataset=dataset, num_workers=2, sampler=sampler)
    else:
        given = dict(dataset=dataset, batch_size=1, num_workers=0)
    return DataLoader(**given)
"""
ROWS = """\
from torch.utils.data import Dataset

from data.client import Client


class Rows(Dataset):
    def __init__(self, options):
        self.options, self.client = options, {client}

    def __len__(self):
        return 4

    def __getitem__(self, at):
        if self.client is None:
            self.client = Client(self.options)
        return self.client.get(at)
"""
CLIENT = """\
import threading


class Client:
    def __init__(self, options):
        self.lock = threading.Lock()

    def get(self, at):
        with self.lock:
            return at
"""
OTHER = """\
import torch
from torch.utils.data import BatchSampler, Sampler
from torch.utils.data.distributed import DistributedSampler


class Enlarged({base}):
    def __init__(self, dataset):
        self.dataset = dataset

    def __iter__(self):
        return iter(range(len(self.dataset)))
"""
MAIN = """\
import json

from data import create, load
from data.enlarged import Enlarged

if __name__ == "__main__":
    for phase, options in json.load(open("options.json")).items():
        if phase == "train":
            rows = create(options)
            sampler = Enlarged(rows)
            for batch in load(rows, options, sampler=sampler):
                print(batch)
"""


def files(base: str, client: str) -> dict[str, str]:
    return {
        "data/__init__.py": FACTORY,
        "data/some_rows.py": ROWS.format(client=client),
        "data/client.py": CLIENT,
        "data/enlarged.py": OTHER.format(base=base),
        "main.py": MAIN,
    }


@each_row("base", ["Sampler", "BatchSampler", "DistributedSampler", "torch.nn.Module"])
def test_what_is_made_in_workers_alone(base: str) -> None:
    assert not reported(files(base, "None"), "unpicklable-attributes")


@each_row("base", ["Sampler", "BatchSampler", "DistributedSampler", "torch.nn.Module"])
def test_what_the_data_set_keeps_from_the_beginning(base: str) -> None:
    (found,) = reported(files(base, "Client(options)"), "unpicklable-attributes")
    assert found.path == "data/client.py"
