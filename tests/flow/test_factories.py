"""Functions that make objects of whatever class they are given or keep: what one call makes, another does not."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.marks import crossing, marked

CLASSES = """
from torch.utils.data import DataLoader

class Rows:
    def __init__(self, root):
        self.fix = lambda x: x  # {rows}

class Net:
    def __init__(self, root):
        self.act = lambda x: x  # {net}

{factory}

net = {net_made}
rows = {rows_made}
loader = DataLoader(rows, num_workers=2)
print(net)
"""
CONFIG = """
class Config:
    def __init__(self, kind, **options):
        self.kind, self.options = kind, options

    def __call__(self):
        made = self.kind(**self.options)
        return made
"""
TABLE = """
class Table:
    def __init__(self):
        self.known = {}

    def register(self, kind):
        self.known[kind.__name__] = kind
        return kind

    def build(self, name):
        return self.known[name]("a")

TABLE = Table()
TABLE.register(Rows)
TABLE.register(Net)
"""
PLAIN = """
def build(kind, *args):
    return kind(*args)
"""
OUTER = """
def inner(args, kind):
    made = kind(*args)
    return made

def build(kind, *args):
    return inner(args, kind)
"""
BY_NAME = """
def build(name, *args):
    kind = {"rows": Rows, "net": Net}[name]
    return kind(*args)
"""
CHOSEN = """
def build(name, *args):
    if name == "rows":
        return Rows(*args)
    return Net(*args)
"""
OF_CLASS = """
class Built:
    @classmethod
    def build(cls, root):
        return cls(root)
"""
OF_CONFIG = """
from dataclasses import dataclass, field

@dataclass
class Config:
    kind: type

    def setup(self):
        return self.kind(self)

@dataclass
class NetConfig(Config):
    kind: type = field(default_factory=lambda: Net)

@dataclass
class RowsConfig(Config):
    kind: type = field(default_factory=lambda: Rows)
"""
FACTORIES = {
    "given": (PLAIN, "build(Net, 'a')", "build(Rows, 'a')", "proven", "possible"),
    "given by its name": (PLAIN, "build('a', kind=Net)", "build(kind=Rows)", "proven", "possible"),
    "given to an outer one": (OUTER, "build(Net, 'a')", "build(Rows, 'a')", "proven", "possible"),
    "the class itself": (OF_CLASS, "Net.build('a')", "Rows.build('a')", "proven", "possible"),
    "what objects of one class keep": (OF_CONFIG, "NetConfig().setup()", "RowsConfig().setup()", "proven", "possible"),
    "in one list": (PLAIN, "None", "[]; rows += [build(Net, 1)]; rows += [build(Rows, 1)]", "proven", "proven"),
    "kept on an object": (CONFIG, "Config(Net, root=1)()", "Config(Rows, root=1)()", "possible", "possible"),
    "kept in a table": (TABLE, "TABLE.build('Net')", "TABLE.build('Rows')", "possible", "possible"),
    "looked up": (BY_NAME, "build('net', 'a')", "build('rows', 'a')", "possible", "possible"),
    "most get to the boundary": (TABLE, "None", "TABLE.build('Rows')", "proven", "proven"),
    "chosen by a test": (CHOSEN, "build('net', 'a')", "build('rows', 'a')", "possible", "possible"),
}


@each_row("name", FACTORIES)
def test_what_one_call_makes(name: str) -> None:
    factory, net_made, rows_made, rows, net = FACTORIES[name]
    text = CLASSES.format(factory=factory, net_made=net_made, rows_made=rows_made, rows=rows, net=net)
    if factory is OF_CLASS:
        text = text.replace("class Rows:", f"{OF_CLASS}\nclass Rows(Built):").replace("class Net:", "class Net(Built):")
    files = {"train.py": text}
    assert crossing(files) == marked(files)


TRAINER = """
from torch.utils.data import DataLoader

class Config:
    def __init__(self, kind, **options):
        self.kind, self.options = kind, options

    def __call__(self, **more):
        made = self.kind(**more, **self.options)
        return made

class Log:
    def __init__(self, net, where):
        self.net, self.where = net, where

class Trainer:
    def __init__(self, net, rows, log):
        self.net, self.log = net, log
        self.rate = lambda step: step  # possible
        self.rows = DataLoader(rows, num_workers=2)

def main(rows, net, where):
    rows = Config(rows)()
    net = Config(net)()
    log = Config(Log)(net=net, where=where)
    trainer = Config(Trainer)(net=net, rows=rows, log=log)
"""


def test_a_trainer_out_of_a_configuration_is_not_its_rows() -> None:
    assert crossing({"train.py": TRAINER}) == marked({"train.py": TRAINER})


SEVERAL = """
import sys
from torch.utils.data import DataLoader, Dataset
from torchtext.data import Field

def texts():
    field = Field(tokenize=lambda text: text.split())
    return field, ["a b"]

class Images(Dataset):
    def __init__(self):
        self.step = lambda row: row  # proven

def rows(name):
    if name == "texts":
        return texts()
    return Images()

def main(name):
    field, found = rows(name)
    print(*DataLoader(rows(name), num_workers=2))

main(sys.argv[1])
"""


def test_a_tuple_that_another_call_unpacks_is_no_dataset() -> None:
    assert crossing({"run.py": SEVERAL}) == marked({"run.py": SEVERAL})


PREPARED = """
from torch.utils.data import DataLoader

class Drop:
    def __init__(self, process):
        self.process = process

class Graphs:
    def __init__(self, before):
        self.before = before

def before_of(policy, process=len):
    if policy == "drop":
        return Drop(process)
    return {returned}

def prepare(policy):
    data = Graphs(before_of(policy, process=lambda x: x + 1))  # possible
    print(data)

def main(policy):
    data = Graphs(before_of(policy, process=lambda x: x))  # proven
    print(*DataLoader(data, num_workers=2))
"""


@pytest.mark.parametrize("returned", ["process", "None"])
def test_what_one_call_of_a_function_is_given_is_not_in_what_another_gives(returned: str) -> None:
    """`None`: it is in an object that the function makes, which the other call gives to a dataset."""
    files = {"data.py": PREPARED.format(returned=returned)}
    assert crossing(files) == marked(files)


KEPT = """
from torch.utils.data import DataLoader

class Drop:
    def __init__(self, process):
        self.process = process

MADE = {}

def cached(process=None):
    if "drop" not in MADE:
        MADE["drop"] = Drop(process)
    return MADE["drop"]

class Shop:
    def __init__(self):
        self.made = None

    def make(self, process=None):
        if self.made is None:
            self.made = Drop(process)
        return self.made

def main():
    shop = Shop()
    shop.make(lambda x: x)  # proven
    print(*DataLoader(shop.make(), num_workers=2))
    cached(lambda x: x)  # proven
    print(*DataLoader(cached(), num_workers=2))
"""


def test_what_a_call_makes_and_keeps_comes_out_of_another_call() -> None:
    assert crossing({"data.py": KEPT}) == marked({"data.py": KEPT})
