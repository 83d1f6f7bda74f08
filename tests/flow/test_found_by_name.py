"""Classes that code finds by a name it computes, or that a base class lists."""

from __future__ import annotations

from harness.each_row import each_row
from harness.marks import crossing, marked

DATA = """
class Rows:
    def __init__(self):
        self.read = lambda x: x  {read}

    def __getitem__(self, at):
        return at

class Pairs:
    def __init__(self):
        self.pair = 3

def load():
    return [lambda x: x]
"""
BOTH = DATA.format(read="# likely")
RUN = """
import importlib
import sys

import data
from data import Pairs, Rows, load
from torch.utils.data import DataLoader

name = sys.argv[1]
DataLoader({how}(), num_workers=2)
"""


@each_row(
    ("how", "confidence"),
    [
        ("getattr(data, name)", "likely"),
        ("getattr(importlib.import_module('data'), name)", "likely"),
        ("getattr(__import__('data'), name)", "likely"),
        ("eval(name)", "likely"),
        ("vars(data)[name]", "proven"),  # a dict, as others
        ("data.__dict__[name]", "proven"),
        ("data.__dict__.get(name)", "proven"),
        ("globals()[name]", "proven"),
    ],
)
def test_a_name_that_is_not_known_is_any_of_the_module(how: str, confidence: str) -> None:
    program = {"run.py": RUN.format(how=how), "data.py": DATA.format(read=f"# {confidence}")}
    assert crossing(program) == marked(program)


OF_DATASETS = """
import threading
from abc import ABC
from torch.utils.data import Dataset

class Rows({base}):
    def __init__(self):
        self.read = lambda x: x  {read}

    def {method}(self):
        return 1
"""


@each_row(
    ("base", "method", "read"),
    [
        ("Dataset", "size", "# likely"),
        ("object", "__iter__", "# likely"),
        ("object", "get", "# possible"),  # a loader can do nothing with it
        ("ABC", "get", "# possible"),
        ("threading.Thread", "__iter__", "# possible"),
    ],
)
def test_a_loader_gets_a_dataset(base: str, method: str, read: str) -> None:
    program = {
        "run.py": RUN.format(how="getattr(data, name)").replace("Pairs, Rows, load", "Rows"),
        "data.py": OF_DATASETS.format(base=base, method=method, read=read),
    }
    assert crossing(program) == marked(program)


TAKES = """
class Rows:
    def __init__({parameters}):
        self.read = lambda x: x  {read}

    def __getitem__(self, at):
        return at
"""


@each_row(
    ("parameters", "read"),
    [
        ("self, root, preload=True", "# likely"),
        ("self, *args, preload", "# likely"),
        ("self, root, **options", "# likely"),
        ("self, root, load=True", "# possible"),
        ("self, *, root=None, preload=True", "# possible"),
        ("self, root, /, **options", "# likely"),
        ("self, preload=True", "# possible"),
    ],
)
def test_a_class_that_does_not_take_the_arguments_is_not_meant(parameters: str, read: str) -> None:
    how = RUN.format(how="getattr(data, name)").replace("name)()", "name)('a', preload=False)")
    program = {
        "run.py": how.replace("Pairs, Rows, load", "Rows"),
        "data.py": TAKES.format(parameters=parameters, read=read),
    }
    found = {place for place in crossing(program) if place[2] != "possible"}
    assert found == {place for place in marked(program) if place[2] != "possible"}


@each_row(
    ("how", "read"),
    [
        ("getattr(data, 'Pairs')", "# possible"),
        ("data.__dict__['Pairs']", "# possible"),
        ("getattr(data, name, None).Rows", "# possible"),
        ("getattr(sys, name)", "# possible"),
        ("eval('Pairs')", "# possible"),
        ("dict(made=eval(name))['made']", "# possible"),  # of another use it may be any expression
        ("__import__('data.parts')", "# possible"),
        ("locals()[name]", "# possible"),
    ],
)
def test_other_names_stay_what_they_are(how: str, read: str) -> None:
    program = {"run.py": RUN.format(how=how), "data.py": DATA.format(read=read)}
    assert crossing(program) == marked(program)


def test_a_package_gives_what_it_takes_from_its_parts() -> None:
    program = {
        "run.py": RUN.format(how="getattr(sets, name)").replace("import data\n", "import sets\n"),
        "sets/__init__.py": "from .data import *\n",
        "sets/data.py": BOTH,
        "data.py": "Rows = Pairs = load = None\n",
    }
    assert crossing(program) == marked(program)


def test_more_names_than_are_worth_a_guess() -> None:
    many = "".join(f"class C{at}:\n    pass\n\n" for at in range(41))
    program = {
        "run.py": RUN.format(how="getattr(data, name)"),
        "data.py": DATA.format(read="# possible") + many,
    }
    assert crossing(program) == marked(program)


INSTALLED = """
import sys
import torch
import torchvision
from torch.utils.data import DataLoader
from torchvision import datasets

name = sys.argv[1]
DataLoader({how}("data", transform=lambda x: x), num_workers=2)  # {confidence}
"""


@each_row(
    ("how", "confidence"),
    [
        ("datasets.__dict__[name]", "proven"),
        ("torchvision.datasets.__dict__[name.upper()]", "proven"),
        ("datasets.__dict__['MNIST']", "proven"),
        ("vars(datasets)[name]", "proven"),
        ("getattr(datasets, name)", "proven"),
        ("torchvision.models.__dict__[name]", ""),  # functions, which may keep nothing
        ("getattr(torch.optim, name)", ""),
        ("vars(sys)[name]", ""),
    ],
)
def test_all_classes_of_some_installed_modules_keep_what_they_get(how: str, confidence: str) -> None:
    program = {"run.py": INSTALLED.format(how=how, confidence=confidence)}
    assert crossing(program) == marked(program)


LISTED = """
from torch.utils.data import DataLoader

class Reader:
    known = {{}}
    {note}

class Near(Reader):
    def __init__(self):
        self.read = lambda x: x  {near}

class Far(Near):
    def __init__(self):
        self.open = lambda x: x  {far}

class Other:
    def __init__(self):
        self.close = lambda x: x  # possible

def find(name):
    {find}

DataLoader(find("far"), num_workers=2)
"""
NOTE = """
    def __init_subclass__(cls, **options):
        Reader.known[cls.__name__] = cls
"""


@each_row(
    ("note", "find", "near", "far"),
    [
        (NOTE, "return Reader.known[name]()", "# proven", "# proven"),
        ("", "return {each.__name__: each for each in Reader.__subclasses__()}[name]()", "# proven", "# proven"),
        ("", "return next(each for each in Near.__subclasses__() if each.name == name)()", "# possible", "# proven"),
        ("", "return Reader.known[name]()", "# possible", "# possible"),
    ],
)
def test_classes_below_a_class(note: str, find: str, near: str, far: str) -> None:
    program = {"run.py": LISTED.format(note=note, find=find, near=near, far=far)}
    assert crossing(program) == marked(program)


BY_METACLASS = """
from torch.utils.data import DataLoader

KNOWN = {{}}

class Above(type):
    {above}

class Meta(Above):
    {meta}

class Reader(metaclass=Meta):
    def __len__(self):
        return 4

class Near(Reader):
    def __init__(self):
        self.read = lambda x: x  {near}

class Apart:
    def __init__(self):
        self.close = lambda x: x  # possible

DataLoader({find}(), num_workers=2)
"""
INIT = "def __init__(cls, name, bases, body):\n        "
ON_CLASS = "if not hasattr(cls, 'known'):\n            cls.known = {}\n        cls.known[name] = cls"
MADE = """def __new__(mcs, name, bases, body):
        made = TYPE.__new__(mcs, name, bases, body)
        KNOWN[name] = made
        return made"""
FIND = (
    "known = []\n\n    def find(cls, name):\n        return next(each for each in cls.known if each.__name__ == name)"
)


@each_row(
    ("above", "meta", "find", "near"),
    [
        ("known = {}", INIT + "cls.known[name] = cls", "Reader.known[name]", "# proven"),
        ("known = {}", INIT + "Meta.known[name] = cls", "Meta.known[name]", "# proven"),
        ("known = {}", INIT + "Meta.known[name] = cls", "Meta.known['Near']", "# proven"),
        ("known = {}", INIT + "Meta.known[name] = cls", "Meta.known['Reader']", "# possible"),
        ("pass", INIT + ON_CLASS, "Reader.known[name]", "# proven"),
        ("pass", MADE.replace("TYPE", "super()"), "KNOWN[name]", "# proven"),
        (MADE.replace("TYPE", "type"), "pass", "KNOWN[name]", "# proven"),
        (FIND, INIT + "cls.known.append(cls)", "Reader.find(name)", "# proven"),
        ("pass", INIT + "print(name)", "KNOWN[name]", "# possible"),
    ],
)
def test_classes_noted_by_their_metaclass(above: str, meta: str, find: str, near: str) -> None:
    program = {"run.py": BY_METACLASS.format(above=above, meta=meta, find=find, near=near)}
    assert crossing(program) == marked(program)


@each_row(
    "head",
    [
        "class Reader(six.with_metaclass(Meta)):",
        "class Reader(six.with_metaclass(Meta, object)):",
        "class Reader(with_metaclass(Meta, Apart)):",
        "@six.add_metaclass(Meta)\nclass Reader:",
        "@six.add_metaclass(Meta)\nclass Reader(Apart):",
    ],
)
def test_metaclasses_by_way_of_six(head: str) -> None:
    text = BY_METACLASS.format(above="pass", meta=MADE.replace("TYPE", "super()"), find="KNOWN[name]", near="# proven")
    apart = text[text.index("class Apart:") : text.rindex("DataLoader(")]
    text = text.replace(apart, "").replace("class Reader(metaclass=Meta):", apart + head)
    if "Apart" in head:  # what the base class keeps crosses with the objects of those below, unless they set up nothing
        text = text.replace("self.close =", "self.open =").replace("# possible", "# proven")
        text = text.replace(
            "def __init__(self):\n        self.read",
            "def __init__(self):\n        super().__init__()\n        self.read",
        )
    program = {"run.py": text.replace("KNOWN = {}", "import six\nfrom six import with_metaclass\n\nKNOWN = {}")}
    assert crossing(program) == marked(program)
