"""Which object keeps a value, and when: siblings of one base class, tables, what happens before the workers start."""

from __future__ import annotations

from harness.each_row import each_row
from harness.marks import crossing, marked

LOADER = "from torch.utils.data import DataLoader, Dataset\n"
SIBLINGS = (
    LOADER
    + """
class Task:
    def __init__(self):
        self.made = {{}}

    def batches(self, rows):
        self.made[rows] = lambda row: row  # {mark}
        return rows

class Plain(Task):
    pass

class Stream(Task):
    def batches(self, rows):
        {batches}
        return DataLoader(rows, collate_fn=self.collate, num_workers=2)

    def collate(self, rows):
        return rows

for task in (Plain(), Stream()):
    task.batches([1])
"""
)
UNINITIALISED = """
from multiprocessing import Process

class Task:
    def __init__(self):
        self.fix = lambda row: row  # {mark}

class Stream(Task):
    def __init__(self):
        {call}

    def work(self):
        pass

if __name__ == "__main__":
    Process(target=Stream().work).start()
"""

CAPTURED = """
from multiprocessing import Process

class Holder:
    def __init__(self, fix):
        self.fix = fix

class Agent:
    def __init__(self, fix):
        {kept}

    {also}

def start(agent):
    def run():  # proven
        print(agent)

    Process(target=run, args=()).start()

def main():
    def fix(row):  # {mark}
        return row

    def other(row):  # possible
        return row

    Agent(other)
    start(Agent(fix))

if __name__ == "__main__":
    main()
"""

SEVERAL = (
    LOADER
    + """
class Faces:
    def __init__(self):
        self.fix = lambda x: x  # {mark}

class Cars:
    pass

class Birds:
    pass

def build(kind):
    if kind == "faces":
        return Faces()
    if kind == "cars":
        return Cars()
    return Birds()

def main(kind):
    loader = DataLoader(build(kind), num_workers=2)
    other = {other}

main(input())
"""
)

WATCHED = (
    LOADER
    + """
class Watched(Dataset):
    def __init__(self, rows):
        self.rows, self.log, self.report = rows, None, None
        if hasattr(rows, "__getitems__"):
            def __getitems__(self, index):{mark_several}
                self.watch()
                return self.rows.__getitems__(index)
            self.__getitems__ = __getitems__
        {early}

    def __getitem__(self, index):
        self.watch()
        return self.rows[index]

    def watch(self):
        def sample(row):{mark}
            if self.log is None:
                self.log = lambda row: print(row){mark}
            self.log(row)
        self.report = sample

DataLoader(Watched([1]), num_workers=2)
"""
)

STARS = (
    LOADER
    + """
from torch.optim import *
rows = set(map(lambda row: row + 1, [1]))
kept = [lambda row: row]  # proven
DataLoader([rows, kept], num_workers=2)
"""
)

LOGGED = """
import logging
from multiprocessing import Process

class Log:
    pass

def create():
    log = {made}
    log.reset = lambda: 3  # {mark}
    return log

def work(log):
    pass

if __name__ == "__main__":
    Process(target=work, args=(create(),)).start()
"""

# what is kept is in the list, not what the list is made of
LISTED = (
    LOADER
    + """
from torch.utils.data import ConcatDataset

class Rows(Dataset):
    def __init__(self, fn):
        self.fn = fn

class Both(ConcatDataset):
    def __init__(self, parts: dict):
        super().__init__(parts.values())

def load(more: dict):
    parts = {{"a": Rows(lambda x: x)}}  # proven
    parts.update(more)
    return DataLoader({made}, num_workers=2)
"""
)

PROGRAMS = {
    "names of Python below a star import of a library": {"a.py": STARS},
    "set by the worker": {"a.py": WATCHED.format(mark="", mark_several="  # proven", early="pass")},
    "set by the worker and before": {
        "a.py": WATCHED.format(mark="  # proven", mark_several="  # proven", early="self.watch()")
    },
    "one of several kinds, all for loaders": {
        "data.py": SEVERAL.format(mark="proven", other="DataLoader(build('cars'), num_workers=2)")
    },
    "one of several kinds, some for something else": {
        "data.py": SEVERAL.format(mark="possible", other="build('cars')")
    },
    "a name that nothing binds": {
        "data.py": LOADER
        + """
def build(kind):
    steps = [lambda x: x]  # proven
    if kind == "words":
        steps.append(lambda x: x + 1)  # possible
        steps.append(Rearrange("l 1 -> l"))
        steps.append(lambda x: x + 3)  # possible
        return DataLoader(steps, num_workers=2)
    steps += [kind and Missing(), lambda: Other]  # proven
    steps.append(lambda x: x + 2)  # proven
    return DataLoader(steps, num_workers=2)

def direct(kind):
    for row in DataLoader(kind, collate_fn=lambda x: x + 4, num_workers=2):  # proven
        print(row)
    print(undefined)

build(input())
direct(input())
"""
    },
    "a name that a star import may bind": {
        "data.py": LOADER
        + """
from more import *

def build(kind):
    steps = [lambda x: x]  # proven
    steps.append(Rearrange("l 1 -> l"))
    return DataLoader(steps, num_workers=2)

build(input())
"""
    },
    "a base class with type arguments": {
        "data.py": LOADER
        + """
class Rows(Dataset[int]):
    def __init__(self):
        self.fix = lambda x: x  # likely

class Parts(Base["x"], Generic[T]):
    def __init__(self):
        self.fix = lambda x: x  # possible

build(Rows(), Parts())
"""
    },
    "made in the worker by a method that tries again": {
        "data.py": LOADER
        + """
class Images(Dataset):
    def __getitem__(self, index):
        return self.read(index)

    def read(self, index):
        self.fix = lambda x: x
        if not index:
            return self.read(index + 1)
        return self.fix(index)

loader = DataLoader(Images(), num_workers=2)
"""
    },
    "a method that only calls itself is not run by the worker": {
        "data.py": LOADER
        + """
class Images(Dataset):
    def __getitem__(self, index):
        return self.fix(index)

    def read(self, index):
        self.fix = lambda x: x  # proven
        return self.read(index + 1)

loader = DataLoader(Images(), num_workers=2)
"""
    },
    "a base class keeps it in a method that the class replaces": {
        "data.py": SIBLINGS.format(batches="pass", mark="possible")
    },
    "a base class keeps it in a method that the class calls": {
        "data.py": SIBLINGS.format(batches="super().batches(rows)", mark="proven")
    },
    "a base class that is not initialised keeps nothing": {
        "data.py": UNINITIALISED.format(call="pass", mark="possible")
    },
    "a base class that is initialised by its name keeps it": {
        "data.py": UNINITIALISED.format(call="Task.__init__(self)", mark="proven")
    },
    "what the target of a process captures": {
        "data.py": CAPTURED.format(kept="self.fix = fix", also="", mark="proven")
    },
    "what the target of a process captures, and leaves out of the pickle": {
        "data.py": CAPTURED.format(
            kept="self.fix = fix", also="def __getstate__(self):\n        return {}\n", mark="possible"
        )
    },
    "what another object keeps and one that the target captures gets from it": {
        "data.py": CAPTURED.format(kept="self.fix = Holder(fix).fix", also="", mark="possible")
    },
    "what is set on a logger, which is pickled as its name": {
        "data.py": LOGGED.format(made="logging.getLogger('train')", mark="not pickled")
    },
    "what is set on another object": {"data.py": LOGGED.format(made="Log()", mark="proven")},
    "a list on what the target captures": {
        "data.py": CAPTURED.format(kept="self.fix = [fix]", also="", mark="possible")
    },
    "what the target captures is an argument too": {
        "data.py": CAPTURED.format(kept="self.fix = [fix]", also="", mark="proven")
        .replace("args=()", "args=(agent,)")
        .replace("def other(row):  # possible", "def other(row):")
        .replace("Agent(other)", "other(1)")
    },
}
PROGRAMS |= {
    f"a dataset that makes a list of {what}": {"data.py": LISTED.format(made=made)}
    for what, made in {
        "a view of a dict": "ConcatDataset(parts.values())",
        "a view that it gets by name": "ConcatDataset(datasets=parts.values())",
        "a generator": "ConcatDataset(part for part in parts.values())",
        "what its subclass gives it": "Both(parts)",
    }.items()
}


BY_CLASS = (
    LOADER
    + """
class Rows(Dataset):
    @classmethod
    def loader(cls):
        return DataLoader(cls(), num_workers=2)

class Mapped(Rows):
    def __init__(self):
        self.fix = lambda row: row{mark}

{made}.loader()
"""
)
PROGRAMS |= {
    "a class method of the base": {"a.py": BY_CLASS.format(made="Rows", mark="  # likely")},
    "a class method of the derived class": {"a.py": BY_CLASS.format(made="Mapped", mark="  # proven")},
}


@each_row("name", PROGRAMS)
def test_program(name: str) -> None:
    assert crossing(PROGRAMS[name]) == marked(PROGRAMS[name])
