"""unpicklable-attributes: a folder that is listed while the object is made may as well be a list of paths."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reported

TEXT = """\
import glob
import os
from pathlib import Path

from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, root):
        self.root = Path(root)
        self.paths = {value}
        self.rows = []
        {walk}

    def load(self):
        {load}

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, at):
        return self.rows[at]


{below}


for row in DataLoader({made}("images"), num_workers=2):
    print(row)
"""
ITERDIR = "self.root.iterdir()"
LOOP = "for path in self.paths:\n            self.rows.append(path)"
DERIVED = """\
class Small(Images):
    def __init__(self, root):
        super().__init__(root)
        self.rows = self.read()

    def read(self):
        return [str(path) for path in self.paths]


class Large(Images):
    def __init__(self, root):
        super().__init__(root)
        self.rows = self.read()

    def read(self):
        found = []
        for path in list(self.paths):
            found.append(path)
        return found
"""


def _text(value: str = ITERDIR, walk: str = LOOP, load: str = "pass", below: str = "", made: str = "Images") -> str:
    return TEXT.format(value=value, walk=walk, load=load, below=below, made=made)


@each_row("value, walk, load, below, made", [
    (ITERDIR, LOOP, "pass", "", "Images"),
    ('self.root.glob("*.png")', "self.rows = sorted(self.paths)", "pass", "", "Images"),
    ('glob.iglob(f"{root}/*.png")', "self.rows = [str(path) for path in self.paths]", "pass", "", "Images"),
    ('self.root.rglob("*.png")', "for row in zip(set(self.paths)):\n            print(row)", "pass", "", "Images"),
    (ITERDIR, "self.load()", LOOP, "", "Images"),
    (ITERDIR, "pass", "pass", DERIVED, "Small"),
])  # fmt: skip
def test_a_folder_that_the_constructor_goes_through(value: str, walk: str, load: str, below: str, made: str) -> None:
    changed = migrated({"run.py": _text(value, walk, load, below, made)}, "unpicklable-attributes")["run.py"]
    assert changed == _text(f"list({value})", walk, load, below, made)


@each_row("value, walk, load, below", [
    ("os.walk(root)", LOOP, "pass", ""),
    ("map(str, self.root.iterdir())", LOOP, "pass", ""),
    (ITERDIR, f"{LOOP}\n        {LOOP}", "pass", ""),  # the second time there is nothing
    (ITERDIR, "pass", "pass", ""),
    (ITERDIR, "pass", LOOP, ""),
    (ITERDIR, "if root:\n            self.rows = list(self.paths)", "pass", ""),
    (ITERDIR, "self.load()\n        self.load()", LOOP, ""),
    (ITERDIR, "for _ in root:\n            self.load()", LOOP, ""),
    (ITERDIR, "self.load()", LOOP, "def again(images):\n    images.load()"),
    (ITERDIR, LOOP, "pass", "def again(images):\n    print(*images.paths)"),
    (ITERDIR, LOOP, "pass", DERIVED),
    (ITERDIR, "self.lazy = self.load()", "for path in self.paths:\n            yield path", ""),
    (ITERDIR, "self.lazy = (path for path in self.paths)", "pass", ""),
    (ITERDIR, "self.rows = zip(self.paths, root)", "pass", ""),
])  # fmt: skip
def test_what_may_be_gone_through_later_or_again(value: str, walk: str, load: str, below: str) -> None:
    files = {"run.py": _text(value, walk, load, below)}
    assert not migrated(files, "unpicklable-attributes")
    assert reported(files, "unpicklable-attributes")
