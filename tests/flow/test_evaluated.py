"""Datasets that `eval` makes of a text for a loader: of the classes that its file has by a name."""

from __future__ import annotations

from harness.each_row import each_row
from harness.marks import crossing, marked

STEPS = """
def steps(size):
    def step(row):  # {mark}
        return row[:size]
    return step
"""
ROWS = """
from .steps import steps

class Plain:
    {methods}

class Rows(Plain):
    def __init__(self, path, step=None):
        if step == steps:
            step = steps(3)
        self.path, self.step = path, step

class Few(Rows):
    def __init__(self, *args, root, **options):
        self.root = root
        super().__init__(*args, **options)
"""
LOAD = """
from torch.utils.data import DataLoader
from .rows import {name}

def load(rows):
    if isinstance(rows, str):
        rows = {made}
    return DataLoader({given}, num_workers={workers})
"""
RUN = "import sys\nfrom data.load import load\n\nprint(*load(sys.argv[1]))\n"
BOTH = "def __getitem__(self, at): return at\n    def __len__(self): return 3"


@each_row(
    ("mark", "options"),
    [
        ("likely", {}),
        ("possible", {"made": "make(rows)"}),
        ("possible", {"made": "eval('Few(3)')"}),
        ("possible", {"workers": "0"}),
        ("possible", {"given": "[1], collate_fn=rows"}),
        ("possible", {"name": "Plain"}),
        ("possible", {"methods": "def __len__(self): return 3"}),
    ],
)
def test_what_a_text_may_make(mark: str, options: dict[str, str]) -> None:
    given = {"made": "eval(rows)", "workers": "2", "name": "Few", "methods": BOTH, "given": "rows"} | options
    files = {"data/steps.py": STEPS.format(mark=mark), "data/rows.py": ROWS.format(**given), "run.py": RUN}
    files |= {"data/__init__.py": "", "data/load.py": LOAD.format(**given)}
    assert crossing(files) == marked(files)


NAMED = """
from functools import partial
from torch.utils.data import DataLoader
from torchvision import transforms

class Rows:
    def __init__(self, names, steps):
        self.names, self.steps = list(names), steps
    def __getitem__(self, at):
        return [step(self.names[at]) for step in self.steps]
    def __len__(self):
        return 3

def load(folders):
    image = transforms.Compose([
        lambda pixels: pixels / 255,  # {mark}
    ])
    {other}
    listed = {listed}
    names, steps = zip(*listed)
    return DataLoader(partial(Rows, steps={steps})(names=names), num_workers=2)

def main(folders):
    for batch in load(folders):
        print(batch)

if __name__ == "__main__":
    main("[('a', image)]")
"""


@each_row(
    ("mark", "options"),
    [
        ("likely", {}),
        ("likely", {"listed": "eval(folders) + []"}),
        ("proven", {"listed": "[('a', image), ('b', image)]"}),  # the columns of rows
        ("", {"listed": "[('a', 1)]"}),
        ("", {"listed": "[('a', image), ('b', image)]", "steps": "names"}),  # another column
        ("", {"listed": "eval(folders, {})"}),  # it does not see the local one
        ("", {"other": "print(image)"}),  # that is what it is there for
    ],
)
def test_variables_that_only_a_text_names(mark: str, options: dict[str, str]) -> None:
    given = {"other": "pass", "listed": "eval(folders)", "steps": "steps"} | options
    files = {"run.py": NAMED.format(mark=mark or "-", **given)}
    assert crossing(files) == (marked(files) if mark else set())
