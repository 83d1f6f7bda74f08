"""Objects that are made only under a parameter which every call leaves off do not cross."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.marks import crossing, marked
from harness.small import reported

PROGRAM = """
import sys
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    pass

class Noisy(Rows):
    def __init__(self, noise):
        self.noise = lambda: noise  # {mark}

def load(path, noise={default}, workers=4):
    rows = Rows()
    if {test}:
        rows = Noisy(noise)
    return DataLoader(rows, num_workers=workers)

{call}
"""


def text(test: str = "noise", call: str = "load('a')", default: str = "None", mark: str = "possible") -> str:
    return PROGRAM.format(test=test, call=call, default=default, mark=mark)


@each_row(
    "program",
    [
        pytest.param(text(), id="by its truth"),
        pytest.param(text("noise is not None"), id="by None"),
        pytest.param(text("noise is not None and path"), id="with another test"),
        pytest.param(text("not (noise is None)"), id="turned round"),
        pytest.param(text("noise is not None", "load('a', None)\nload('b', workers=2)"), id="several calls"),
        pytest.param(text("noise > 0", default="0"), id="a number"),
        pytest.param(text(call="load('a')\nprint(Noisy(1).noise())"), id="another one goes nowhere"),
        pytest.param(text("noise == 'rain'", "load('a', 'snow')"), id="another text"),
        pytest.param(text("noise in ('rain', 'hail')", "load('a', noise='snow')"), id="none of several texts"),
        pytest.param(text("noise in ['rain', 'hail']", default="'snow'"), id="another text by default"),
        pytest.param(text("noise is None").replace("rows = Noisy(noise)", "pass\n    else:\n        rows = Noisy(1)"),
                     id="in the other branch"),
    ],
)  # fmt: skip
def test_nobody_asks_for_it(program: str) -> None:
    assert crossing({"run.py": program}) == marked({"run.py": program})


@each_row(
    "program",
    [
        pytest.param(text(call="load('a', sys.argv)", mark="proven"), id="a call says it"),
        pytest.param(text(call="load('a')\nload('a', noise=1)", mark="proven"), id="one of two"),
        pytest.param(text("noise is not None", "load('a', 0)", mark="proven"), id="0 is not None"),
        pytest.param(text("noise is not None", default="0", mark="proven"), id="0 by default"),
        pytest.param(text("noise is None", mark="proven"), id="asked for by leaving it off"),
        pytest.param(text("noise or path", mark="proven"), id="another parameter asks, too"),
        pytest.param(text(call="load('a')\nDataLoader(Noisy(1), num_workers=2)", mark="proven"), id="made elsewhere"),
        pytest.param(text(call="load(*sys.argv)", mark="proven"), id="unknown arguments"),
        pytest.param(text("noise == 'rain'", "load('a', 'rain')", mark="proven"), id="this text"),
        pytest.param(text("noise in ('rain', 'hail')", "load('a', 'hail')", mark="proven"), id="one of several texts"),
        pytest.param(text("noise == 'rain'", default="'rain'", mark="proven"), id="this text by default"),
        pytest.param(text("noise == 'rain'", "load('a', sys.argv[1])", mark="proven"), id="any text"),
        pytest.param(text("noise == path", "load('a', 'snow')", mark="proven"), id="what else it is compared with"),
        pytest.param(text("noise in ('rain', path)", "load('a', 'snow')", mark="proven"), id="not texts alone"),
        pytest.param(text("noise not in ('rain',)", "load('a', 'snow')", mark="proven"), id="all but some texts"),
        pytest.param(text("noise in 'rain'", "load('a', 'a')", mark="proven"), id="a part of a text"),
        pytest.param(text("'rain' == noise != 0", "load('a', 'snow')", mark="proven"), id="more than one comparison"),
    ],
)
def test_somebody_may_ask_for_it(program: str) -> None:
    assert crossing({"run.py": program}) == marked({"run.py": program})


def test_users_of_an_installed_package_may_ask() -> None:
    program = {"pack/run.py": text(mark="proven"), "pack/__init__.py": "", "setup.py": ""}
    assert crossing(program) == marked(program)


STEPS = """
from torch.utils.data import DataLoader, Dataset

def steps(size, crop=None):
    found = []
    if crop is None:
        found.append(lambda row: row[:size])  # {plain}
    else:
        found.append(lambda row: row[crop])  # {cropped}
    return found

class Plain(Dataset):
    def __init__(self):
        self.steps = {kept}

class Cropped(Dataset):
    def __getitem__(self, at):
        return steps(3, [at])[0]([at])

{more}
DataLoader({sent}(), num_workers=2)
DataLoader(Cropped(), num_workers=2)
"""
OTHER = """
class Other(Dataset):
    def __init__(self):
        self.steps = steps(3, crop=[1])
"""


@each_row(
    ("kept", "sent", "plain", "cropped"),
    [
        pytest.param("steps(3)", "Plain", "proven", "possible", id="left off"),
        pytest.param("steps(3, None)", "Plain", "proven", "possible", id="None"),
        pytest.param("steps(3, [1])", "Plain", "proven", "proven", id="given"),
        pytest.param("steps(3, *[[1]])", "Plain", "proven", "proven", id="perhaps given"),
        pytest.param("steps(3)", "Other", "proven", "proven", id="another object has those of another call"),
    ],
)
def test_what_another_call_of_the_function_gives(kept: str, sent: str, plain: str, cropped: str) -> None:
    program = STEPS.format(kept=kept, sent=sent, plain=plain, cropped=cropped, more=OTHER if sent == "Other" else "")
    assert crossing({"run.py": program}) == marked({"run.py": program})


MODES = """
from torch.utils.data import DataLoader, Dataset

def rule(mode, size):
    if mode == "scaled":
        made = lambda row: size * row  # {mark}
    elif mode in ("plain", "whole"):
        made = abs
    return made

class Rows(Dataset):
    def __init__(self, rule):
        self.rule = rule

DataLoader(Rows(rule({mode}, 2)), num_workers=2)
print(Rows(rule("scaled", 2)).rule(3))
"""


@pytest.mark.parametrize(
    ("mode", "mark"), [('"plain"', "possible"), ('"scaled"', "proven"), ("input()", "proven")], ids=str
)
def test_what_a_call_with_another_text_gives(mode: str, mark: str) -> None:
    program = MODES.format(mode=mode, mark=mark)
    assert crossing({"run.py": program}) == marked({"run.py": program})


ROWS = """
from torch.utils.data import ConcatDataset, Dataset

def rows(root, *args, **options):
    found = []
    for path in root:
        each = Rows(path, *args, **options)
        found.append(each)
    return ConcatDataset(found)

class Rows(Dataset):
    def __init__(self, root, size, step=None):
        self.root, self.step = root, step
"""
TURNED = """
from torch.utils.data import DataLoader
from torchvision import transforms
import pytorch_lightning as pl

from .rows import Rows, rows

class Data(pl.LightningDataModule):
    def __init__(self, size, turn=0):
        super().__init__()
        self.size, self.turn = size, turn

    @staticmethod
    def steps(size, turn=0):
        found = []
        if turn:
            found.append(lambda row: row[turn:])  # {mark}
        return transforms.Compose(found)

    def train(self):
        return DataLoader(rows(["train"], 3, step=self.steps(self.size)), num_workers=2)

    def test(self, paths):
        step = self.steps(self.size, {given})
        found = {{path: Rows(path, 3, step=step) for path in paths}}
        return {sent}
"""
RUN = """
import argparse
from data.module import Data

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--turn", type=int, default=0)
    for each in Data(3, turn=parser.parse_args().turn).test(["a"]).values():
        print(*each)

main()
"""
SENT = "{path: DataLoader(each, num_workers=2) for path, each in found.items()}"


@pytest.mark.parametrize(
    ("given", "sent", "mark"),
    [
        pytest.param("turn=self.turn", SENT, "proven", id="another loader"),
        pytest.param("turn=0", SENT, "possible", id="left off there too"),
        pytest.param("turn=self.turn", "found", "possible", id="not sent"),
    ],
)
def test_what_another_object_of_the_class_gets(given: str, sent: str, mark: str) -> None:
    files = {"data/rows.py": ROWS, "data/module.py": TURNED.format(given=given, sent=sent, mark=mark), "run.py": RUN}
    assert crossing(files) == marked(files)


TABLE = """from torch.utils.data import DataLoader, Dataset
{above}

class Plain:
    def __call__(self, at):
        return at


class Twice:
    def __init__(self):
        self.step = lambda at: 2 * at

    def __call__(self, at):
        return self.step(at)


KINDS = {{"plain": Plain, "twice": Twice}}


class Client:
    kinds = {{"plain": Plain, "twice": Twice}}

    def __init__(self, kind="plain"):
        self.step = {made}


class Rows(Dataset):
    def __init__(self):
        self.client = Client({kind})

    def __getitem__(self, at):
        return self.client.step(at)


for row in DataLoader(Rows(), num_workers=2):
    print(row)
"""


OF_A_CLASS, OF_THE_MODULE = "self.kinds[kind]()", "KINDS[kind]()"


@pytest.mark.parametrize("made", [OF_A_CLASS, OF_THE_MODULE])
@pytest.mark.parametrize(
    ("kind", "above", "sure"),
    [
        ("", "", False),
        ("'plain'", "", False),
        ("'twice'", "", True),
        ("input()", "", True),
        ("", "def add(name):\n    Client.kinds[name] = KINDS[name] = Twice\n\n", True),
    ],
)
def test_a_class_of_a_table_that_no_call_names_is_not_made(made: str, kind: str, above: str, sure: bool) -> None:
    text = TABLE.format(made=made, kind=kind, above=above)
    assert bool(reported({"main.py": text}, "lambdas")) == sure


@pytest.mark.parametrize(
    ("made", "other", "sure"),
    [
        pytest.param(OF_A_CLASS, "import main\nmain.Client.kinds = {'plain': main.Twice}\n", True, id="bound anew"),
        pytest.param(OF_A_CLASS, "from main import Client\nClient.kinds['plain'] = print\n", True, id="of a class"),
        pytest.param(OF_THE_MODULE, "import main\nmain.KINDS['plain'] = main.KINDS['twice']\n", True, id="filled"),
        pytest.param(OF_THE_MODULE, "from main import KINDS as them\nthem['plain'] = them['twice']\n", True,
                     id="by another name"),
        pytest.param(OF_THE_MODULE, "from main import KINDS, Twice\nKINDS.update(plain=Twice)\n", True, id="updated"),
        pytest.param(OF_THE_MODULE, "from main import KINDS\nprint(KINDS['plain']())\n", False, id="read"),
        pytest.param(OF_THE_MODULE, "import main\nclass A:\n    KINDS = {'plain': main.Twice}\n", False, id="another"),
    ],
)  # fmt: skip
def test_a_table_that_another_file_fills(made: str, other: str, sure: bool) -> None:
    text = TABLE.format(made=made, kind="", above="")
    assert bool(reported({"main.py": text, "other.py": other}, "lambdas")) == sure


def test_a_class_below_has_a_table_of_its_own() -> None:
    text = TABLE.format(made=OF_A_CLASS, kind="", above="").replace("self.client = Client(", "self.client = Below(")
    below = "class Below(Client):\n    kinds = {'plain': Twice}\n\n\nclass Rows("
    assert reported({"main.py": text.replace("class Rows(", below)}, "lambdas")
