"""A Dataset that a program only loops over, indexes or measures stays; others of its class may cross."""

from __future__ import annotations

from harness.each_row import each_row
from harness.marks import crossing, marked

ROWS = """
from torch.utils.data import DataLoader, Dataset
from tqdm import tqdm

class Rows(Dataset):
    def __init__(self, root, load=None):
        self.root, self.load = root, load

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.load(index)
"""
LOADS = """
from data import *
rows = Rows(".", load=lambda i: i + 1)  # proven
batches = DataLoader(rows, num_workers=2)
"""
CHOICE = (
    ROWS.replace("return self.load(index)", "return self.root[0].other(index)")
    + """
class Choice:
    def __init__(self, one, other=lambda x: x):
        self.one, self.other = one, other

"""
)
MADE = (
    ROWS
    + """
def make(root, load=lambda i: i):
    return DataLoader(Rows(root, load), num_workers=2)

make(".", str)
make(".", load=None)
"""
)
OFFERED = MADE.replace("lambda i: i):", "lambda i: i):  # proven")

PROGRAMS = {
    "looped over": {
        "data.py": ROWS,
        "dump.py": "from data import *\nfor row in Rows('.', lambda i: i):\n    print(row)\n",
    },
    "with a progress bar, counted, indexed": {
        "data.py": ROWS,
        "dump.py": """
from data import *
def main():
    rows = Rows(".", load=lambda i: i)
    print(len(rows), rows[0])
    with tqdm(rows) as bar:
        for at, row in enumerate(bar):
            print(at, row)
main()
""",
    },
    "handed to a function that loops over it": {
        "data.py": ROWS,
        "dump.py": """
from data import *
def show(rows):
    for row in rows:
        print(row)
show(Rows(".", load=lambda i: i))
""",
    },
    "loaded without workers": {
        "data.py": ROWS,
        "dump.py": "from data import *\nfor row in DataLoader(Rows('.', lambda i: i), num_workers=0):\n    row()\n",
    },
    "one of the class crosses, the other does not": {
        "data.py": ROWS,
        "train.py": LOADS,
        "dump.py": "from data import *\nfor row in Rows('.', lambda i: i):\n    print(row)\n",
    },
    "the default of a class that is only looped over": {
        "data.py": ROWS.replace("load=None", "load=lambda i: i"),
        "dump.py": "from data import *\nfor row in Rows('.'):\n    print(row)\n",
    },
    "no object is made: others will make them": {
        "data.py": ROWS.replace("load=None", "load=lambda i: i  # likely\n    "),
    },
    "only a test makes and loops over one": {
        "data.py": ROWS.replace("load=None", "load=lambda i: i  # likely\n    "),
        "tests/test_data.py": "from data import *\ndef test_rows():\n    for row in Rows('.'):\n        print(row)\n",
    },
    "every call of a class that crosses gives something else": {
        "data.py": ROWS.replace("load=None", "load=lambda i: i  # likely\n    "),
        "train.py": LOADS,
    },
    "every call of a class that one that crosses keeps gives something else": {
        "data.py": CHOICE + "rows = Rows([Choice(1, other=2), Choice(1, None)])\n",
        "tests/test_data.py": "from data import *\nChoice(1)\n",
    },
    "one call of a class that one that crosses keeps gives nothing else": {
        "data.py": CHOICE.replace("lambda x: x):", "lambda x: x):  # likely")
        + "rows = Rows([Choice(1, other=2), Choice(1)])\n",
    },
    "every call of a function that makes what crosses gives something else": {
        "data.py": MADE,
    },
    "every call of a function that a package offers gives something else": {
        "setup.py": "import setuptools\nsetuptools.setup(name='data')\n",
        "data.py": OFFERED,
    },
    "made, and not used in sight": {
        "data.py": ROWS,
        "dump.py": "from data import *\nrows = Rows('.', load=lambda i: i)  # likely\n",
    },
    "handed to something unknown": {
        "data.py": ROWS,
        "dump.py": """
import engine
from data import *
rows = Rows(".", load=lambda i: i)  # likely
print(len(rows))
engine.train(rows)
""",
    },
    "kept on an object": {
        "data.py": ROWS,
        "dump.py": """
from data import *
class Engine:
    def __init__(self):
        self.rows = Rows(".", load=lambda i: i)  # likely
        print(len(self.rows))
Engine()
""",
    },
    "returned to callers that are not in sight": {
        "data.py": ROWS,
        "dump.py": """
from data import *
def build():
    rows = Rows(".", load=lambda i: i)  # likely
    print(len(rows))
    return rows
""",
    },
    "put in a dict": {
        "data.py": ROWS,
        "dump.py": """
from data import *
rows = Rows(".", load=lambda i: i)  # likely
print(len(rows))
parts = {"train": rows}
""",
    },
    "kept by an object that only loops over it": {
        "data.py": ROWS,
        "dump.py": """
import numpy as np
from data import *

class Shots:
    def __init__(self, root):
        self.rows = Rows(root, load=lambda i: i)
        self.rows = np.array([row for row in self.rows])
        self.train, self.test = self.rows[:3], self.rows[3:]
        self.parts = {"train": self.train, "test": self.test}

    def show(self, mode):
        print(len(self.parts[mode]))

Shots(".").show("train")
""",
    },
    "kept by an object that is handed on": {
        "data.py": ROWS,
        "dump.py": """
import engine
from data import *

class Shots:
    def __init__(self, root):
        self.rows = Rows(root, load=lambda i: i)  # likely
        print(len(self.rows))

engine.train(Shots("."))
""",
    },
    "kept by an object that hands it on": {
        "data.py": ROWS,
        "dump.py": """
import engine
from data import *

class Shots:
    def __init__(self, root):
        self.parts = [Rows(root, load=lambda i: i)]  # likely
        print(len(self.parts[0]))

    def train(self):
        engine.train(self.parts)

Shots(".").train()
""",
    },
    "a part of it is handed to a loader": {
        "data.py": """
from torch_geometric.data import DataLoader, InMemoryDataset

class Graphs(InMemoryDataset):
    def __init__(self, root, load):
        self.root, self.load = root, load
""",
        "dump.py": """
from data import *
graphs = Graphs(".", load=lambda i: i)  # likely
print(len(graphs))
part = graphs[[1, 2]]
batches = DataLoader(part, num_workers=2)
""",
    },
    "parts of it are returned together": {
        "data.py": """
from torch_geometric.data import Dataset

class Graphs(Dataset):
    def __init__(self, root, load):
        self.root, self.load = root, load

def splits():
    graphs = Graphs(".", load=lambda i: i)  # likely
    train, rest = graphs[[1, 2]], graphs[[3]]
    return train, rest
""",
        "dump.py": """
from torch_geometric.loader import DataLoader
from data import splits
train, rest = splits()
batches = DataLoader(train, num_workers=2)
""",
    },
    "what its own method gives is put in a list": {
        "data.py": ROWS,
        "dump.py": """
from data import *
rows = Rows(".", load=lambda i: i)
print([rows[0], rows[1]])
""",
    },
    "its bound method is handed on": {
        "data.py": ROWS,
        "dump.py": """
import engine
from data import *
rows = Rows(".", load=lambda i: i)  # likely
print(len(rows))
engine.train(rows.__getitem__)
""",
    },
}


@each_row("name", PROGRAMS)
def test_what_stays(name: str) -> None:
    files = PROGRAMS[name]
    assert {each for each in crossing(files) if each[2] != "possible"} == marked(files)
