"""Single edges of the value-flow graph: each program loses its only path when one edge is missing."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.marks import crossing, marked
from harness.small import reported

LOADER = "from torch.utils.data import DataLoader, Dataset\n"
# a dataset of the repository that keeps its one argument
KEEPER = (
    LOADER
    + """
class Rows(Dataset):
    def __init__(self, fn):
        self.fn = fn

def load(fn):
    return DataLoader(Rows(fn), num_workers=2)

"""
)

# a method of an object that keeps functions as keys runs in a process
KEYS = """
from multiprocessing import Process

def make():
    def job(x):  # proven
        return x
    return job

class Table:
    def __init__(self):
        self.jobs = {}

    def run(self):
        return len(self.jobs)

def main():
    Process(target=Table().run).start()
"""

PROGRAMS = {
    "a function is a key of a dict": {"run.py": KEYS.format("{}\n        self.jobs[make()] = 1")},
    "a function is a key of a display": {"run.py": KEYS.format("{make(): 1}")},
    "a function is a key of a comprehension": {"run.py": KEYS.format("{make(): at for at in range(2)}")},
    "a function reads what its maker sets later": {
        "run.py": """
from multiprocessing import Process

def main():
    fn = None

    def job():
        return fn

    fn = lambda x: x + 1  # proven
    Process(target=print, args=(job(),)).start()
"""
    },
    "an exception that is caught goes to a process": {
        "run.py": """
from multiprocessing import Process

def make():
    class Own(Exception):  # proven
        pass
    return Own

def main(work):
    Error = make()
    try:
        work()
    except (OSError, Error) as error:
        Process(target=print, args=(error,)).start()
"""
    },
    "a dict of constants is filled later": {
        "data.py": LOADER
        + """
import json

class Rows(Dataset):
    def __init__(self, path):
        self.parts = {"size": 1}
        self.parts[3] = lambda x: x + 1  # proven

loader = DataLoader(Rows('.'), num_workers=2)
"""
    },
    "a call of dict is filled later": {
        "data.py": LOADER
        + """
import json

class Rows(Dataset):
    def __init__(self, path):
        self.parts = dict(size=1)
        self.parts[3] = lambda x: x + 1  # proven

loader = DataLoader(Rows('.'), num_workers=2)
"""
    },
    "dict.fromkeys is filled later": {
        "data.py": LOADER
        + """
import json

class Rows(Dataset):
    def __init__(self, path):
        self.parts = dict.fromkeys("ab")
        self.parts[3] = lambda x: x + 1  # proven

loader = DataLoader(Rows('.'), num_workers=2)
"""
    },
    "a comprehension is filled later": {
        "data.py": LOADER
        + """
import json

class Rows(Dataset):
    def __init__(self, path):
        self.parts = {key: None for key in "ab"}
        self.parts[3] = lambda x: x + 1  # proven

loader = DataLoader(Rows('.'), num_workers=2)
"""
    },
    "what a library gives is filled later": {
        "data.py": LOADER
        + """
import json

class Rows(Dataset):
    def __init__(self, path):
        self.parts = json.load(path)
        self.parts[3] = lambda x: x + 1  # proven

loader = DataLoader(Rows('.'), num_workers=2)
"""
    },
    "a copy of what is not known is filled later": {
        "data.py": LOADER
        + """
import json

class Rows(Dataset):
    def __init__(self, path):
        self.parts = path.copy()
        self.parts[3] = lambda x: x + 1  # proven

loader = DataLoader(Rows('.'), num_workers=2)
"""
    },
    "a repeated list is filled later": {
        "data.py": LOADER
        + """
import json

class Rows(Dataset):
    def __init__(self, path):
        self.parts = [None] * 9
        self.parts[3] = lambda x: x + 1  # proven

loader = DataLoader(Rows('.'), num_workers=2)
"""
    },
    "a local dict of constants is filled later": {
        "data.py": LOADER
        + """
def load(rows):
    options = {"batch_size": 4, "num_workers": 2}
    options["collate_fn"] = lambda x: x + 1  # proven
    return DataLoader(rows, **options)
"""
    },
    "an attribute is filled in another file, by a class below": {
        "base.py": "class Base:\n    def __init__(self):\n        self.parts = dict.fromkeys('ab')\n",
        "data.py": LOADER
        + """
from base import Base

class Rows(Base, Dataset):
    def add(self):
        self.parts.update(a=lambda x: x + 1)  # proven

rows = Rows()
rows.add()
loader = DataLoader(rows, num_workers=2)
""",
    },
    "a dict updates the attributes": {
        "data.py": LOADER
        + """
class Rows(Dataset):
    def __init__(self, **options):
        self.__dict__.update(options)

loader = DataLoader(Rows(fn=lambda x: x + 1), num_workers=2)  # proven
"""
    },
    "an unpacked dict updates the attributes that vars gives": {
        "data.py": LOADER
        + """
class Rows(Dataset):
    def __init__(self, **options):
        vars(self).update(**options)

loader = DataLoader(Rows(fn=lambda x: x + 1), num_workers=2)  # proven
"""
    },
    "all variables become attributes": {
        "data.py": LOADER
        + """
class Rows(Dataset):
    def __init__(self, fn, size):
        self.__dict__.update(locals())

loader = DataLoader(Rows(lambda x: x + 1, 3), num_workers=2)  # proven
"""
    },
    "all variables of a function in a dict": {
        "data.py": LOADER
        + """
def options(size):
    early = dict(locals())
    fn = lambda x: x + size  # proven
    Rows(early)
    return {name: value for name, value in locals().items() if name != "early"}

class Rows(Dataset):
    def __init__(self, options):
        self.options = options

loader = DataLoader(Rows(options(3)), num_workers=2)
"""
    },
    "some variables of a function in a dict": {
        "data.py": LOADER
        + """
def options(size):
    fn = lambda x: x + size
    return {name: value for name, value in locals().items() if isinstance(value, int)}

class Rows(Dataset):
    def __init__(self, options):
        self.options = options

loader = DataLoader(Rows(options(3)), num_workers=2)
"""
    },
    "an attribute of a namespace": {
        "data.py": LOADER
        + """
from types import SimpleNamespace

class Rows(Dataset):
    def __init__(self, table):
        self.table = table

names = SimpleNamespace(table={"a": lambda x: x + 1}, other=[lambda x: x])  # proven
loader = DataLoader(Rows(names.table), num_workers=2)
"""
    },
    "a dict becomes the attributes": {
        "data.py": LOADER
        + """
class Rows(Dataset):
    def __init__(self, **options):
        self.__dict__ = options

loader = DataLoader(Rows(fn=lambda x: x + 1), num_workers=2)  # proven
"""
    },
    "attributes under names that are not known": {
        "data.py": LOADER
        + """
class Rows(Dataset):
    def __init__(self, **options):
        for key in options:
            self.__dict__[key] = options[key]

loader = DataLoader(Rows(fn=lambda x: x + 1), num_workers=2)  # proven
"""
    },
    "an attribute that an update names": {
        "data.py": LOADER
        + """
class Rows(Dataset):
    def __init__(self, size):
        self.__dict__.update(size=size, fn=lambda x: x + 1)  # proven
        {}.update(fn=lambda x: x + 2)

loader = DataLoader(Rows(3), num_workers=2)
"""
    },
    "a default value gets to its parameter": {
        "data.py": LOADER
        + """
class Rows(Dataset):
    def __init__(self, path, fn=lambda x: x + 1):  # proven
        self.path, self.fn = path, fn

loader = DataLoader(Rows('.'), num_workers=2)
"""
    },
    "each default gets to its own parameter": {
        "data.py": LOADER
        + """
class Rows(Dataset):
    def __init__(
        self,
        path,
        first=lambda x: x + 1,
        second=lambda x: x + 2,  # proven
        *,
        third=lambda x: x + 3,
        fourth=lambda x: x + 4,  # proven
    ):
        first(path), third(path)
        self.second, self.fourth = second, fourth

loader = DataLoader(Rows('.'), num_workers=2)
"""
    },
    "defaults of keyword-only parameters, some without": {
        "data.py": LOADER
        + """
class Rows(Dataset):
    def __init__(
        self,
        *,
        path,
        used=lambda x: x + 1,
        kept=lambda x: x + 2,  # proven
    ):
        used(path)
        self.kept = kept

loader = DataLoader(Rows(path='.'), num_workers=2)
"""
    },
    "the default of a positional-only parameter": {
        "data.py": LOADER
        + """
class Rows(Dataset):
    def __init__(self, path, fn=lambda x: x + 1, /):  # proven
        self.path, self.fn = path, fn

loader = DataLoader(Rows('.'), num_workers=2)
"""
    },
    "the default of a lambda's parameter is what it gives": {
        "data.py": KEEPER
        + """
build = lambda fn=lambda x: x + 1: Rows(fn)  # proven
loader = DataLoader(build(), num_workers=2)
"""
    },
    "what filter leaves is what was there": {
        "data.py": KEEPER
        + """
def build(flip):
    fs = [(lambda x: -x) if flip else None, lambda x: x + 1]  # proven
    return load(list(filter(None, fs)))
"""
    },
    "a bound append": {
        "data.py": KEEPER
        + """
def build():
    fs = []
    put = fs.append
    put(lambda x: x + 1)  # proven
    return load(fs)
"""
    },
    "a bound extend": {
        "data.py": KEEPER
        + """
def build():
    fs = []
    join = fs.extend
    join([lambda x: x + 1])  # proven
    return load(fs)
"""
    },
    "a bound update, by keyword and by dict": {
        "data.py": KEEPER
        + """
def build():
    table = {}
    join = table.update
    join({'a': lambda x: x + 1})  # proven
    join(b=lambda x: x + 2)  # proven
    return load(table)
"""
    },
    "a bound update fills keys of their own": {
        "data.py": KEEPER
        + """
def build():
    table = {}
    join = table.update
    join(a=lambda x: x + 1, b=lambda x: x + 2)
    return load(table['c'])
"""
    },
    "a bound get and its default": {
        "data.py": KEEPER
        + """
def build(key):
    table = {'a': lambda x: x + 1}  # proven
    get = table.get
    load(get('a', lambda x: x + 2))  # proven
"""
    },
    "a bound get of another key": {
        "data.py": KEEPER
        + """
def build(key):
    table = {'a': lambda x: x + 1, 'b': str}
    get = table.get
    load(get('b', None))
"""
    },
    "a bound setdefault gives and keeps its default": {
        "data.py": KEEPER
        + """
def build():
    table, other = {'a': str}, {'a': str}
    table_default, other_default = table.setdefault, other.setdefault
    load(table_default('b', lambda x: x + 1))  # proven
    other_default('b', lambda x: x + 2)  # proven
    load(other)
"""
    },
    "a bound get does not keep its default": {
        "data.py": KEEPER
        + """
def build():
    table = {'a': str}
    get = table.get
    get('b', lambda x: x + 2)
    load(table)
"""
    },
    "bound copy, values and items": {
        "data.py": KEEPER
        + """
def build():
    first = {'a': lambda x: x + 1}  # proven
    second = {'a': lambda x: x + 2}  # proven
    third = {'a': lambda x: x + 3}  # proven
    copy, values, items = first.copy, second.values, third.items
    load(copy())
    for value in values():
        load(value)
    for key, value in items():
        load(value)
"""
    },
    "the key of a bound items is not its value": {
        "data.py": KEEPER
        + """
def build():
    table = {'a': lambda x: x + 1}
    items = table.items
    for key, value in items():
        load(key)
"""
    },
    "names of one's own module by a star import": {
        "fns.py": """
            first = lambda x: x + 1  # proven
            _second = lambda x: x + 2
            """,
        "main.py": KEEPER.replace("from torch", "from fns import *\nfrom torch", 1) + "load(first)\n",
    },
    "a star import of a star import": {
        "fns.py": "first = lambda x: x + 1  # proven\n",
        "mid.py": "from fns import *\n",
        "main.py": KEEPER + "from mid import *\nload(first)\n",
    },
    "an attribute of a module that has it by a star import": {
        "pkg/__init__.py": "from .fns import *\n",
        "pkg/fns.py": "first = lambda x: x + 1  # proven\n",
        "main.py": KEEPER + "import pkg\nload(pkg.first)\n",
    },
    "one's own name hides that of a star import": {
        "fns.py": "first = lambda x: x + 1\n",
        "main.py": "from fns import *\n" + KEEPER + "first = str\nload(first)\n",
    },
    "a package imports its own part by its full name": {
        "pk/__init__.py": "from pk import parts\n",
        "pk/parts.py": KEEPER,
        "run.py": "import pk\npk.parts.load(lambda x: x)  # proven\n",
    },
    "a package imports its own part by a relative name": {
        "pk/__init__.py": "from . import parts as inner, parts\n",
        "pk/parts.py": KEEPER,
        "run.py": "import pk\npk.parts.load(lambda x: x)  # proven\npk.inner.load(lambda x: x)  # proven\n",
    },
    "parts of parts": {
        "pk/__init__.py": "from pk import sub\n",
        "pk/sub/__init__.py": "from pk.sub import leaf\n",
        "pk/sub/leaf.py": KEEPER,
        "run.py": "import pk\npk.sub.leaf.load(lambda x: x)  # proven\n",
    },
    "a part says again what its own parts define, and they use the package": {
        "pk/__init__.py": "from pk import base, sub\n",
        "pk/base.py": KEEPER.partition("def load")[0],
        "pk/sub/__init__.py": "from pk.sub.leaf import load\n",
        "pk/sub/leaf.py": """
import pk
from torch.utils.data import DataLoader

class Kept(pk.base.Rows):
    pass

def load(fn):
    return DataLoader(Kept(fn), num_workers=2)
""",
        "run.py": "import pk\npk.sub.load(lambda x: x)  # proven\n",
    },
    "a name that the package binds before it imports the part": {
        "pk/__init__.py": "parts = None\nfrom pk import parts\n",
        "pk/parts.py": KEEPER,
        "run.py": "import pk\npk.parts.load(lambda x: x)  # proven\n",
    },
    "two packages that import the same name from each other": {
        "one/__init__.py": "from two import parts\n",
        "one/parts.py": KEEPER,
        "two/__init__.py": "from one import parts\n",
        "run.py": "import two\ntwo.parts.load(lambda x: x)\n",
    },
    "an element of a set, which has no order": {
        "data.py": KEEPER
        + """
def build():
    one, two = {lambda x: x + 1, len}  # proven
    return load(two)
"""
    },
    "an element of a tuple": {
        "data.py": KEEPER
        + """
def build():
    pair = lambda x: x + 1, len
    return load(pair[1])
"""
    },
    "an element behind a star": {
        "data.py": KEEPER
        + """
def build(more):
    every = [*more, lambda x: x + 1]  # proven
    return load(every[3])
"""
    },
}


@each_row("name", PROGRAMS)
def test_edge(name: str) -> None:
    assert crossing(PROGRAMS[name]) == marked(PROGRAMS[name])


@pytest.mark.parametrize("library", ["from dataclasses import dataclass, field", "from attrs import define, field"])
@pytest.mark.parametrize(("key", "crosses"), [("default_factory", True), ("factory", True), ("fabric", False)])
def test_what_a_factory_of_a_field_gives(library: str, key: str, crosses: bool) -> None:
    text = (
        f"{library}\nfrom multiprocessing import Process\ndef make():\n    return lambda x: x\n"
        f"@{library.split()[3].rstrip(',')}\nclass C:\n    f: object = field({key}=make)\ndef work(c):\n    pass\n"
        "if __name__ == '__main__':\n    Process(target=work, args=(C(),)).start()\n"
    )
    assert [finding.span.line for finding in reported({"a.py": text}, "lambdas")] == [4] * crosses
