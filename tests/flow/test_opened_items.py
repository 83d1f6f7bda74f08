"""An item of a nested dict crosses as such a dict only where some code looks into it."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
import os

import numpy as np
from elsewhere import build
from torch.utils.data import DataLoader, Dataset


class Options(dict):
    __getattr__ = dict.__getitem__

    def __init__(self, values):
        self.find = lambda key: self[key]
        for key, value in values.items():
            if isinstance(value, dict):
                value = Options(value)
            self[key] = value


class Rows(Dataset):
    def __init__(self, folder):
        self.folder = folder

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return {use}


def main(values):
    options = Options(values)
    for batch in DataLoader(Rows({taken}), num_workers=2):
        print(batch)


main({{}})
"""


@each_row(
    ("taken", "use", "crosses"),
    [
        ("options.data.folder", "self.folder + str(i)", False),
        ("options['data']['folder']", "np.load(os.path.join(self.folder, str(i)))", False),
        ("options.data.folder", "f'{self.folder}/{i}'", False),
        ("options.data.folder", "np.load(self.folder), print(self.folder)", False),
        ("options.data", "len(str(self.folder))", True),
        ("options.data.folder", "self.folder.root", True),
        ("options.data.folder", "self.folder['root']", True),
        ("options['data']", "[each for each in self.folder]", True),
        ("options.data", "self.folder.get(i)", True),
        ("options.data", "build(self.folder)", True),
        ("options.data", "dict(**self.folder)", True),
        ("options", "i", True),
    ],
)
def test_items(taken: str, use: str, crosses: bool) -> None:
    assert bool(reported({"a.py": TEXT.format(taken=taken, use=use)}, "lambdas")) is crosses
