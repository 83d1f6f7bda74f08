"""A boundary in code that no program of the repository runs shows no crossing."""

from __future__ import annotations

from harness.each_row import each_row
from harness.marks import crossing, marked

LOADERS = """
from torch.utils.data import DataLoader

class MaskedLoader(DataLoader):
    def __init__(self, data, **kwargs):
        super().__init__(data, collate_fn=lambda rows: rows, **kwargs)  # {masked}

class PlainLoader(DataLoader):
    def __init__(self, data, **kwargs):
        super().__init__(data, collate_fn=lambda rows: rows[0], **kwargs)  # {plain}
"""
TRAIN = "\nfrom loaders import *\nfor batch in PlainLoader([1, 2], num_workers=2):\n    print(batch)\n"


def loaders(masked: str = "possible", plain: str = "proven") -> str:
    return LOADERS.format(masked=masked, plain=plain)


REPLACED = """
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self):
        self.fix = lambda row: row  # {fix}

    def __getitem__(self, index):
        return self.fix(index)

class Batches(Dataset):
    def __init__(self):
        self.rows = Rows()

    def __getitem__(self, index):
        return self.rows[index]

class Numbers(Batches):
    def __init__(self):
        {call}
        self.rows = [1, 2]
"""
NUMBERS = "from data import *\nfor row in DataLoader(Numbers(), num_workers=2):\n    print(row)\n"

PROGRAMS = {
    "only the constructor that another replaces makes it": {
        "data.py": REPLACED.format(fix="possible", call="pass"),
        "train.py": NUMBERS,
    },
    "the other constructor calls that one": {
        "data.py": REPLACED.format(fix="proven", call="super().__init__()"),
        "train.py": NUMBERS,
    },
    "the class is made too": {
        "data.py": REPLACED.format(fix="proven", call="pass"),
        "train.py": NUMBERS + "DataLoader(Batches(), num_workers=2)\n",
    },
    "a loader class that nobody makes": {"loaders.py": loaders(), "train.py": TRAIN},
    "made under the main guard": {
        "loaders.py": loaders("proven"),
        "train.py": TRAIN + "if __name__ == '__main__':\n    MaskedLoader([1], num_workers=1)\n",
    },
    "made by a class that derives from it": {
        "loaders.py": loaders("proven"),
        "train.py": TRAIN + "class Mine(MaskedLoader):\n    pass\n\nMine([1], num_workers=1)\n",
    },
    "made only by a test": {
        "loaders.py": loaders(),
        "train.py": TRAIN,
        "tests/test_loaders.py": "from loaders import MaskedLoader\nMaskedLoader([1], num_workers=1)\n",
    },
    "in a table of classes": {
        "loaders.py": loaders("proven"),
        "train.py": TRAIN + "TABLE = {'masked': MaskedLoader}\nTABLE[input()]([1], num_workers=1)\n",
    },
    "handed to a registry": {
        "loaders.py": loaders("proven"),
        "train.py": TRAIN + "import registry\nregistry.add(MaskedLoader)\n",
    },
    "looked up in its module": {
        "loaders.py": loaders("proven"),
        "train.py": TRAIN + "import loaders\ngetattr(loaders, input())([1], num_workers=1)\n",
    },
    "a function that is looked up by a name that is put together": {
        "rows.py": "from torch.utils.data import DataLoader\n"
        "def read(rows):\n    DataLoader(rows, num_workers=1, collate_fn=lambda x: x)  # proven\n"
        "def show(rows):\n    print(rows)\n",
        "train.py": "import rows\nname = 're' + input()\nrows.show([1])\ngetattr(rows, name)([1])\n",
    },
    "looked up in its module by a name that is known": {
        "loaders.py": loaders(),
        "train.py": TRAIN + "import loaders\nname = 'PlainLoader'\ngetattr(loaders, name)([1], num_workers=1)\n",
    },
    "modules are imported by name": {
        "loaders.py": loaders("proven"),
        "train.py": TRAIN + "import importlib\nimportlib.import_module(input())\n",
    },
    "public names of a package that is installed": {
        "setup.py": "from setuptools import setup\nsetup(packages=['kit'])\n",
        "kit/__init__.py": "",
        "kit/loaders.py": loaders("proven"),
        "train.py": TRAIN.replace("from loaders", "from kit.loaders"),
    },
    "a package that only the programs beside it use": {
        "kit/__init__.py": "from kit.loaders import MaskedLoader, PlainLoader\n",
        "kit/loaders.py": loaders(),
        "train.py": TRAIN.replace("from loaders", "from kit.loaders"),
    },
    "a package in which names are looked up": {
        "kit/__init__.py": "from kit.loaders import *\n",
        "kit/loaders.py": loaders("proven"),
        "train.py": TRAIN.replace("from loaders", "from kit.loaders")
        + "import kit\nkit.__dict__[input()]([1], num_workers=1)\n",
    },
    "the name of a module is put together": {
        "loaders.py": loaders(),
        "train.py": TRAIN + "import importlib\nimportlib.import_module('kit.load' + input())\n",
        "kit/loaders.py": loaders("proven").replace("row", "line"),
    },
    "subclasses are listed": {
        "loaders.py": loaders("proven"),
        "train.py": TRAIN + "for each in PlainLoader.__bases__[0].__subclasses__():\n    each([1], num_workers=1)\n",
    },
    "a base class keeps its subclasses": {
        "loaders.py": "class Noted:\n    def __init_subclass__(cls):\n        print(cls)\n"
        + loaders("proven").replace("MaskedLoader(", "MaskedLoader(Noted, "),
        "train.py": TRAIN,
    },
    "of modules in another folder": {
        "loaders.py": loaders(),
        "train.py": TRAIN + "import importlib\nimportlib.import_module('models.' + input())\n",
        "models/small.py": "",
    },
    "nothing calls what imports by name": {
        "loaders.py": loaders(),
        "train.py": TRAIN
        + "import importlib\n\ndef find():\n    return importlib.import_module(input())\n\n"
        + "def main():\n    pass\n\nmain()\n",
    },
    "a file that nothing imports": {
        "loaders.py": loaders(),
        "train.py": TRAIN,
        "old/loaders_old.py": loaders(plain="possible"),
    },
    "imported by a name that any folder may have": {
        "kit/loaders.py": loaders("proven"),
        "train.py": "import sys\nsys.path.append('kit')" + TRAIN,
        "old/loaders.py": loaders("proven").replace("row", "line"),
    },
    "no program in sight": {"loaders.py": loaders("proven")},
    "used by a function that nobody calls": {
        "loaders.py": loaders(),
        "train.py": TRAIN
        + "def other():\n    return MaskedLoader([1], num_workers=1)\n\ndef main():\n    pass\n\nmain()\n",
    },
    "a function that nobody calls": {
        "train.py": """
from multiprocessing import Pool

def old(rows):
    with Pool() as pool:
        return pool.map(lambda row: row, rows)  # possible

def new(rows):
    def inner():
        with Pool() as pool:
            return pool.map(lambda row: row + 1, rows)  # proven
    return inner()

def main():
    new([1])

if __name__ == "__main__":
    main()
""",
    },
    "a Dataset that nobody makes": {
        "data.py": """
from torch.utils.data import Dataset

class Old(Dataset):
    def __init__(self):
        self.load = lambda i: i  # possible

class New(Dataset):
    def __init__(self):
        self.load = lambda i: i + 1  # likely
""",
        "train.py": "from data import New\nfrom somewhere import train\ntrain(New())\n",
    },
    "two classes that keep what their base keeps": {
        "data.py": """
from torch.utils.data import DataLoader

class Base:
    def __init__(self, read):
        self.read = read

class Pairs(Base):
    def __init__(self, read):
        super().__init__(read)

class Labels(Base):
    def __init__(self, read=None):
        super().__init__(read)

    def __getitem__(self, i):
        return self.read(i)
""",
        "train.py": """
from data import *

def loader(rows):
    return DataLoader(rows, num_workers=2)

loader(Labels(read=lambda i: i))  # proven
""",
        "demo.py": "from data import *\npairs = Pairs(read=lambda i: i)  # possible\nprint(pairs.read(1))\n",
    },
}


@each_row("name", PROGRAMS)
def test_reached(name: str) -> None:
    files = PROGRAMS[name]
    assert crossing(files) == marked(files)


@each_row(
    ("line", "found"),
    [
        *(
            (f"import {name.partition('.')[0]}\n{name}(input())", True)
            for name in ("importlib.import_module", "pydoc.locate", "hydra.utils.instantiate", "hydra.utils.get_class",
                         "pkgutil.resolve_name", "runpy.run_path", "inspect.getmembers", "fire.Fire",
                         "hydra.utils.call", "hydra.utils.get_method", "hydra.utils.get_object",
                         "importlib.metadata.entry_points", "pkg_resources.iter_entry_points")
        ),
        *((f"{name}(input())", True) for name in ("__import__", "eval", "exec", "vars", "import_module")),
        ("globals()[input()]", True),
        ("locals()[input()]", True),
        ("import kit\nkit.load(input())", False),
        ("print(input())", False),
        ("isinstance(input(), MaskedLoader)", False),
        ("issubclass(input(), MaskedLoader)", False),
        ("print(MaskedLoader)", True),
        ("print(MaskedLoader.__doc__)", False),
        ("print(MaskedLoader.limit)", True),
    ],
)  # fmt: skip
def test_what_may_find_a_class_by_its_name(line: str, found: bool) -> None:
    files = {"loaders.py": loaders("proven" if found else "possible"), "train.py": f"{TRAIN}{line}\n"}
    assert crossing(files) == marked(files)


BY_PATH = """
    spec_from_file_location load_source SourceFileLoader run_module run_path fromfile import_file import_string
    load_object autodiscover_tasks
"""


@each_row(("name", "found"), [*((name, True) for name in BY_PATH.split()), ("load", False)])
def test_what_may_run_a_file_that_nothing_imports(name: str, found: bool) -> None:
    old = loaders("proven") if found else loaders(plain="possible")  # whoever loads it may use all of it
    files = {
        "loaders.py": loaders(),
        "train.py": f"{TRAIN}import kit\nkit.{name}(input())\n",
        "old/loaders_old.py": old,
    }
    assert crossing(files) == marked(files)
