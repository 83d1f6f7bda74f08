"""Datasets that no other code and no text names, in programs that find classes by names in their settings."""

from __future__ import annotations

from codemods.engine.migrate import check
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
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
        self.table = {"a": self}
        self.names = self.table.keys()
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
        ({"data/rows.py": f"{ROWS}\nKEPT = [Rows]\n"}, True),
        ({"setup.py": ""}, True),
        ({"more.py": "import importlib\nvars(importlib.import_module(name))\n"}, True),
        ({"more.py": "import importlib\ngetattr(importlib.import_module(name), name.title())\n"}, True),
        ({"data/rows.py": ROWS.replace("(Dataset)", "(Dataset, metaclass=kept)")}, True),
        ({"data/rows.py": ROWS.replace("class", "@kept\nclass")}, True),
    ],
)
def test_a_dataset_that_nothing_names(more: dict[str, str], found: bool) -> None:
    files = {"train.py": FOUND, "data/rows.py": ROWS, **more}
    for rule in ("lambdas", "unpicklable-attributes", "dict-views"):
        assert bool([each for each in reported(files, rule) if each.path == "data/rows.py"]) is found


PLAIN = """
from torch.utils.data import DataLoader
from data.rows import *

class Numbers:
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return index

def main():
    rows = Numbers()
    MORE
    print(*DataLoader(rows, num_workers=2))

if __name__ == "__main__":
    main()
"""


@each_row(
    ("more", "files", "found"),
    [
        ("# rows = Rows()", {}, False),
        ("rows = Rows()", {}, True),
        ("print('not Rows')", {}, True),  # a text may be where its name comes from
        ("rows = globals()[rows.name]()", {}, True),
        ("rows = eval(rows.name)()", {}, True),
        ("pass", {"data/more.py": "from data.rows import Rows\nclass More(Rows): pass\n"}, True),
        ("pass", {"README.md": "Rows\n"}, True),
        ("pass", {"pyproject.toml": ""}, True),
    ],
)
def test_a_dataset_that_is_made_nowhere(more: str, files: dict[str, str], found: bool) -> None:
    files = {"train.py": PLAIN.replace("MORE", more), "data/rows.py": ROWS, **files}
    for rule in ("lambdas", "unpicklable-attributes", "dict-views"):
        assert bool([each for each in reported(files, rule) if each.path == "data/rows.py"]) is found


@each_row(("text", "found"), [("print 1 +  # Rows\n", False), ("print 1, 'Rows\n", True), ("(Rows\n", True)])
def test_a_file_that_is_not_read_may_name_it(text: str, found: bool) -> None:
    files = {"train.py": PLAIN.replace("MORE", "pass"), "data/rows.py": ROWS, "old.py": text}
    report = check(MemoryFiles({path: each.encode() for path, each in files.items()}), Settings(select=("lambdas",)))
    assert bool(report.findings) is found


def test_datasets_of_files_without_a_program() -> None:
    files = {"data/rows.py": ROWS, "data/load.py": "from torch.utils.data import DataLoader\n"}
    assert [each.path for each in reported(files, "lambdas")] == ["data/rows.py"]
