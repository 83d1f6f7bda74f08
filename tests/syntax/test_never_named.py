"""Datasets that no other code and no text names, in programs that find classes by names in their settings."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

FOUND = """
import importlib
import sys
import yaml
from torch.utils.data import DataLoader

def load(name):
    module, cls = name.rsplit(".", 1)
    return getattr(importlib.import_module(module), cls)()

print(*DataLoader(load(yaml.safe_load(open(sys.argv[1]))["target"]), num_workers=2))
"""
ROWS = """
import threading
from torch.utils.data import Dataset

class Rows(Dataset):
    def __init__(self):
        super(Rows, self).__init__()
        self.step = lambda row: row
        self.lock = threading.Lock()
"""


@each_row(
    ("more", "found"),
    [
        ({}, False),
        ({"conf/a.yaml": "target: data.rows.Rows\n"}, True),
        ({"README.md": "python train.py --target data.rows.Rows\n"}, True),
        ({"conf/a.json": '{"target": "data.rows.Rows"}'}, True),
        ({"conf/a.yaml": "target: data.rows.OtherRows\n"}, False),
        ({"more.py": "from data.rows import Rows\n"}, True),
        ({"setup.py": ""}, True),
        ({"more.py": "import importlib\nvars(importlib.import_module(name))\n"}, True),
        ({"more.py": "import importlib\ngetattr(importlib.import_module(name), name.title())\n"}, True),
    ],
)
def test_a_dataset_that_nothing_names(more: dict[str, str], found: bool) -> None:
    files = {"train.py": FOUND, "data/rows.py": ROWS, **more}
    for rule in ("lambdas", "unpicklable-attributes"):
        assert bool([each for each in reported(files, rule) if each.path == "data/rows.py"]) is found
