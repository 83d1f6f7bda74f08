"""Datasets of libraries that settings name a function of, `target: data.rows.load`, which no code calls by its name."""

from __future__ import annotations

from harness.each_row import each_row
from harness.marks import crossing, marked

ROWS = """
from datasets import load_dataset
from torchvision import datasets, transforms

def load(name, column):
    rows = load_dataset(name, split="train")
    def resized(batch):  # {hugging}
        return {{column: [image.resize((8, 8)) for image in batch[column]]}}
    rows.set_transform(resized)
    return rows

def folder(root):
    steps = transforms.Compose([
        lambda image: image.resize((8, 8)),  # {plain}
    ])
    return datasets.ImageFolder(root, transform=steps)
"""
RUN = """
import importlib
import sys

import yaml
from torch.utils.data import DataLoader

def made(settings):
    module, name = settings["target"].rsplit(".", 1)
    return getattr(importlib.import_module(module), name)(**settings["params"])

if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        settings = yaml.safe_load(file)
    for batch in DataLoader(made(settings), num_workers={workers}):
        print(batch)
"""


@each_row(
    ("target", "workers", "hugging", "plain"),
    [
        ("data.rows.load", 2, "likely", "-"),
        ("data.rows.folder", 2, "-", "likely"),
        ("data.rows.load", 0, "-", "-"),
        ("data.rows.other", 2, "-", "-"),
        ("data.others.load", 2, "-", "-"),
    ],
)
def test_datasets_of_functions_that_settings_name(target: str, workers: int, hugging: str, plain: str) -> None:
    files = {"data/__init__.py": "", "data/rows.py": ROWS.format(hugging=hugging, plain=plain)}
    files |= {"run.py": RUN.format(workers=workers), "settings.yaml": f"target: {target}\nparams: {{}}\n"}
    assert crossing(files) == marked(files)
