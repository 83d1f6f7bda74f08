"""Whether a variable of a module can be pickled: every form of a value, of what binds it and of what is put into it."""

from __future__ import annotations

from codemods.project import Project
from codemods.transforms.main_guard.guard.sendable import Sendable, Values
from codemods.transforms.main_guard.state.changed_settings import Search
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

YES, UNKNOWN, NO, LOGGER = Sendable.YES, Sendable.UNKNOWN, Sendable.NO, Sendable.LOGGER
TOP = """\
import argparse, collections, enum, functools, json, logging, math, multiprocessing, os, pathlib, sys, threading
import pandas as pd
import numpy as np
import helpers
from other import thing

class Plain:
    def __init__(self, part):
        self.part = part

class Opens:
    def __init__(self, path):
        self.file = open(path)

class Typed:
    file: object
    def __init__(self, path):
        self.file: object = open(path)

class Foreign(thing.Base):
    pass

class Marked(metaclass=thing.Meta):
    pass

class Error(Exception):
    pass

class Kind(enum.Enum):
    A = 1

class Counts:
    number = open("a")
    def __init__(self):
        number = open("b")

class Walks:
    def each(self):
        yield 1

    def all(self):
        return [1]

    async def late(self):
        return 1

def local():
    class Inner:
        pass
    return Inner()

def same(value):
    return value

def nothing():
    pass

def opened(path):
    return open(path)

def items(path):
    yield path

async def later(path):
    return path

@thing
def decorated(path):
    return path

def fill(into, value):
    into.part = open("a")

def fill_second(value, into):
    into["key"] = lambda: 1

parser = argparse.ArgumentParser()
"""
HELPERS = """\
def plain():
    return 1

def opened():
    return open('a')

VALUE = 1

async def waits():
    return 1

def items():
    yield 1
"""


def known(text: str, imported: bool = False) -> Sendable:
    """What is known of `x`, which `text` sets."""
    texts = {"main.py": TOP + text, "helpers.py": HELPERS}
    project = Project(MemoryFiles({path: text.encode() for path, text in texts.items()}))
    search = Search(project)
    outline = search.repo.outline("main.py")
    assert outline is not None
    return Values(search.starts, imported).of_name(outline, "x")


VALUES = [
    ("1", YES),
    ("'a'", YES),
    ("f'{open(1)}'", YES),
    ("open('a') == 1", YES),
    ("not open('a')", NO),
    ("-thing()", UNKNOWN),
    ("1 + 2", YES),
    ("1 + open('a')", NO),
    ("1 or open('a')", NO),
    ("1 if thing() else 2", UNKNOWN),
    ("1 if sys.argv else open('a')", NO),
    ("(1, 'a')", YES),
    ("(1, lambda: 1)", NO),
    ("[1, open('a')]", NO),
    ("{1, thing()}", UNKNOWN),
    ("{'a': open('a')}", NO),
    ("{'a': 1}", YES),
    ("[*[1]]", YES),
    ("[*[open('a')]]", NO),
    ("[each for each in [1]]", YES),
    ("[each for each in [open('a')]]", NO),
    ("[open(each) for each in ['a']]", NO),
    ("{each for each in thing()}", UNKNOWN),
    ("{each: each for each in {'a': open('a')}.values()}", NO),
    ("{each: number for each, number in zip([1], [open('a')])}", NO),
    ("{each: number for number, each in enumerate([1])}", YES),
    ("(each for each in [1])", NO),
    ("[each for each in (open(at) for at in [1])]", NO),
    ("lambda: 1", NO),
    ("(y := 1)", UNKNOWN),
    ("(y := open('a'))", NO),
    ("[1][0]", YES),
    ("[open('a')][0]", NO),
    ("[1][0].real", YES),
    ("(1).real", UNKNOWN),
    ("int", YES),
    ("not_bound", UNKNOWN),
    ("Plain", YES),
    ("thing", UNKNOWN),
    ("json", NO),
    ("thing.part", UNKNOWN),
    ("helpers.VALUE", UNKNOWN),
    ("math.pi", UNKNOWN),
    ("Plain(1).part", YES),
    ("Plain(1)", YES),
    ("Plain(open('a'))", NO),
    ("Plain(part=open('a'))", NO),
    ("Plain(thing())", UNKNOWN),
    ("Opens('a')", NO),
    ("Typed('a')", NO),
    ("Counts()", YES),
    ("Foreign()", UNKNOWN),
    ("Marked()", UNKNOWN),
    ("Error('a')", UNKNOWN),
    ("Kind(1)", YES),
    ("same(1)", YES),
    ("same(open('a'))", NO),
    ("same(value=open('a'))", NO),
    ("nothing()", YES),
    ("opened('a')", NO),
    ("items('a')", NO),
    ("later('a')", NO),
    ("Walks().late()", NO),
    ("helpers.waits()", NO),
    ("helpers.items()", NO),
    ("decorated('a')", UNKNOWN),
    ("local()", UNKNOWN),
    ("Walks().each()", NO),
    ("Walks().all()", YES),
    ("sys.stdout", NO),
    ("sys.argv", YES),
    ("os.environ", NO),
    ("helpers.plain()", YES),
    ("helpers.opened()", NO),
    ("list(items('a'))", NO),
    ("list([1])", YES),
    ("sorted(each for each in [1])", YES),
    ("sorted(open(each) for each in [1])", NO),
    ("dict(zip([1], [lambda: 1]))", NO),
    ("dict({'a': 1}.items())", YES),
    ("len(open('a'))", NO),
    ("collections.deque([1])", YES),
    ("collections.deque([open('a')])", NO),
    ("collections.defaultdict(list)", YES),
    ("collections.defaultdict(lambda: 1)", NO),
    ("logging.getLogger('a')", LOGGER),
    ("[logging.getLogger('a')]", LOGGER),
    ("(logging.getLogger('a'), open('a'))", LOGGER),
    ("multiprocessing.Queue()", YES),
    ("multiprocessing.Lock()", YES),
    ("threading.Lock()", NO),
    ("multiprocessing.Manager()", NO),
    ("multiprocessing.Manager().dict()", YES),
    ("parser.parse_args()", YES),
    ("pathlib.Path('a')", YES),
    ("os.environ.get('a')", YES),
    ("os.environ['a']", YES),
    ("json.load(open('a'))", YES),
    ("pd.read_csv('a')", YES),
    ("pd.read_csv('a', chunksize=3)", UNKNOWN),
    ("pd.read_csv('a', iterator=True)", UNKNOWN),
    ("np.zeros(3)", YES),
    ("'a'.split()", YES),
    ("{'a': 1}.get('a')", YES),
    ("{'a': 1}.get('b', open('a'))", NO),
    ("{'a': open('a')}.copy()", NO),
    ("thing()", UNKNOWN),
    ("thing().method()", UNKNOWN),
    ("functools.partial(len, [1])", YES),
    ("functools.partial(open)", YES),
    ("functools.partial(lambda: 1)", NO),
]


@each_row("value, expected", VALUES)
def test_values(value: str, expected: Sendable) -> None:
    assert known(f"x = {value}\n") is expected
    assert known(f"y = {value}\nx = y\n") is expected, "by another name"


STATEMENTS = [
    ("x: list = [1]", YES),
    ("x: object = open('a')", NO),
    ("x: list", UNKNOWN),
    ("x, rest = parser.parse_known_args()", YES),
    ("x, rest = 1, open('a')", YES),
    ("rest, x = 1, open('a')", NO),
    ("(x, y), z = thing()", UNKNOWN),
    ("x = 1\nx += open('a')", NO),
    ("x = 1\nx = open('a')", NO),
    ("x = []\nx += [1]", YES),
    ("for x in [1]:\n    pass", YES),
    ("for x in [open('a')]:\n    pass", NO),
    ("for x in open('a'):\n    pass", UNKNOWN),
    ("y = open('a')\nfor x in y:\n    pass", UNKNOWN),
    ("for x in (open(at) for at in [1]):\n    pass", NO),
    ("for x in {'a': 1}.items():\n    pass", YES),
    ("for at, x in enumerate([lambda: 1]):\n    pass", NO),
    ("with open('a') as x:\n    pass", NO),
    ("with thing() as x:\n    pass", UNKNOWN),
    ("with thing() as (x, y):\n    pass", UNKNOWN),
    ("import x", NO),
    ("import json as x", NO),
    ("from other import x", UNKNOWN),
    ("from other import x\nx = 1", YES),
    ("def x():\n    pass", YES),
    ("class x:\n    pass", YES),
    ("if sys.argv:\n    def x():\n        pass", NO),
    ("x = [clean(x) for x in [1]]", UNKNOWN),
    ("x = [1]\nx = [x]", YES),
    ("x = []\nx.append(open('a'))", NO),
    ("x = []\nx.extend([open('a')])", NO),
    ("x = []\nx.insert(0, open('a'))", NO),
    ("x = set()\nx.add(open('a'))", NO),
    ("x = {}\nx.update({'a': open('a')})", NO),
    ("x = {}\nx.setdefault('a', open('a'))", NO),
    ("x = collections.deque()\nx.appendleft(open('a'))", NO),
    ("x = []\nx.remove(open('a'))", YES),
    ("x = {}\nx['a'] = open('a')", NO),
    ("x = {}\nx['a']: object = open('a')", NO),
    ("x = {'a': 1}\nx['a'] += open('a')", NO),
    ("x = {}\ny = x['a']", YES),
    ("x = Plain(1)\nx.part = open('a')", NO),
    ("x = Plain(1)\ndel x.part", YES),
    ("x = Plain(1)\ny = Plain(2)\ny.part = open('a')", YES),
    ("x = Plain(1)\nfill(x, 1)", NO),
    ("x = Plain(1)\nfill(1, x)", YES),
    ("x = {}\nfill_second(1, x)", NO),
    ("x = {}\nfill_second(*[1], x)", YES),
    ("x = {}\nfill_second(x, 1)", YES),
    ("x = {}\nprint(x)", YES),
    ("x = 1\ndef set_it():\n    global x\n    x = open('a')", NO),
    ("x = 1\ndef set_it():\n    x = open('a')", YES),
    ("x = None\ndef main(y):\n    global x\n    x = y\nmain(1)", YES),
    ("x = None\ndef main(y):\n    global x\n    x = y\nmain(open('a'))", NO),
    ("x = None\ndef main(y):\n    global x\n    x = y\nmain(y=open('a'))", NO),
    ("x = None\ndef main(z, y):\n    global x\n    x = y\nmain(open('a'), 1)", YES),
    ("x = None\ndef main(y):\n    global x\n    x = y\nmain(1)\nmain(open('a'))", NO),
    ("x = None\ndef main(y):\n    global x\n    x = y\nmain(*[1])", UNKNOWN),
    ("x = None\ndef main(y=1):\n    global x\n    x = y\nmain()", UNKNOWN),
    ("x = None\ndef main(y):\n    global x\n    x = y\nthing(main)", UNKNOWN),
    ("x = None\ndef main(y):\n    global x\n    x = y", UNKNOWN),
    ("x = None\ndef main(*y):\n    global x\n    x = y\nmain(1)", UNKNOWN),
    ("x = None\ndef main():\n    global x\n    y = []\n    y.append(open('a'))\n    x = y\nmain()", NO),
    ("x = None\ndef main():\n    global x\n    y = []\n    x = y\nmain()\ny = []\ny.append(open('a'))", YES),
    ("x = None\ndef main():\n    global x\n    def y():\n        pass\n    x = y\nmain()", NO),
    ("x = None\nclass A:\n    def main(self, y):\n        global x\n        x = y\nA().main(1)", UNKNOWN),
]


@each_row("text, expected", STATEMENTS)
def test_statements(text: str, expected: Sendable) -> None:
    assert known(f"{text}\n") is expected


def test_a_function_that_other_files_call() -> None:
    text = "x = None\ndef main(y):\n    global x\n    x = y\nmain(1)\n"
    assert known(text) is YES and known(text, imported=True) is UNKNOWN


@each_row(
    ("annotation", "expected"),
    [
        ("int", YES),
        ("'str'", YES),
        ("pathlib.Path", YES),
        ("typing.Optional[bool]", YES),
        ("str | None", YES),
        ("'dict[str, list[float]] | None'", YES),
        ("typing.Tuple[int, ...]", YES),
        ("np.ndarray", YES),
        ("'Path'", YES),
        ("DataFrame", UNKNOWN),  # a class of the project
        ("frames.Path", UNKNOWN),
        ("'DataFrame'", UNKNOWN),
        ("object", UNKNOWN),
        ("dict", UNKNOWN),  # of anything
        ("list[object]", UNKNOWN),
        ("typing.Callable[[int], int]", UNKNOWN),
        ("Plain", UNKNOWN),
        ("'not a ( type'", UNKNOWN),
    ],
)
def test_the_annotation_of_a_parameter(annotation: str, expected: Sendable) -> None:
    head = "import numpy as np, pathlib, frames\nfrom pathlib import Path\nfrom frames import DataFrame\n"
    text = f"{head}x = None\ndef main(y: {annotation}):\n    global x\n    x = y\n"
    assert known(text, imported=True) is expected
    assert known(f"{text}main(lambda: 0)\n") is NO  # what a call shows counts more
    assert known(f"{text}main(other())\n") is expected
