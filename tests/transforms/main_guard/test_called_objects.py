"""main-guard: objects that are called, methods that a derived class has, and functions that an object keeps."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

DATA = """\
from torch.utils.data import DataLoader


def loaders(workers=4):
    return {"train": DataLoader(range(8), num_workers=workers)}


def plain():
    return {"train": [1, 2]}
"""
CALLED = """\
class Step:
    def __init__(self, rows):
        self.rows = rows

    def __call__(self):
        for row in self.rows["train"]:
            print(row)


class Manager:
    def __init__(self, rows):
        self.step = Step(rows)
        self.count = len(rows)

    def __call__(self):
        self.step()


def run(task):
    task()
"""
DERIVED = """\
from data import loaders


class Base:
    def __init__(self, rows):
        self.rows = rows

    def __call__(self):
        self.setup()
        self.epoch()

    def setup(self):
        self.data = self.rows

    def epoch(self):
        raise NotImplementedError

    def more(self):
        raise NotImplementedError


class Quiet(Base):
    def epoch(self):
        print(len(self.data))

    def more(self):
        self.epoch()


class Loud(Base):
    def epoch(self):
        for row in self.data["train"]:
            print(row)

    def more(self):
        super().__call__()


KINDS = {"quiet": Quiet, "loud": Loud}


def build(name):
    return KINDS[name](loaders())
"""
KEPT = """\
class Manager:
    def __init__(self, make):
        self.make = make

    def run(self):
        for row in self.make()["train"]:
            print(row)
"""


@each_row("module, script, line", [
    (CALLED, "manager = Manager(loaders())\nmanager()", 5),
    (CALLED, "manager = Manager(loaders())", 0),
    (CALLED, "manager = Manager(plain())\nmanager()", 0),
    (CALLED, "Manager(loaders())()", 4),
    (CALLED, "run(Manager(loaders()))", 4),
    (CALLED, "kind = Manager\nprint(kind(loaders()).count)", 0),
    (DERIVED, "Loud(loaders())()", 4),
    (DERIVED, "Loud(loaders()).more()", 4),
    (DERIVED, "Quiet(loaders())()", 0),
    (DERIVED, "Quiet(loaders()).more()", 0),
    (DERIVED, "Base(plain())()", 0),
    (KEPT, "manager = Manager(make=loaders)\nmanager.run()", 5),
    (KEPT, "manager = Manager(loaders)", 0),
    (KEPT, "manager = Manager(plain)\nmanager.run()", 0),
])  # fmt: skip
def test_what_an_object_runs_when_it_is_called(module: str, script: str, line: int) -> None:
    text = f"from parts import *\n\nfrom data import loaders, plain\n{script}\n"
    found = reported({"train.py": text, "parts.py": module, "data.py": DATA}, "main-guard")
    assert [(finding.path, finding.span.line) for finding in found] == [("train.py", line)] * (line > 0)
    assert all(finding.fix is not None for finding in found)


def test_one_of_several_derived_classes_is_only_possible() -> None:
    text = "from parts import build\n\nbuild(name)()\n"
    files = {"train.py": text, "parts.py": DERIVED, "data.py": DATA}
    assert not reported(files, "main-guard")
    alike = DERIVED.replace("print(len(self.data))", "print(list(self.data['train']))")
    [finding] = reported(files | {"parts.py": alike}, "main-guard")
    assert finding.span.line == 3
    assert [hop.line for hop in finding.trace][:2] == [3, 10]


MANAGED = """\
import lightning
from torch.utils.data import DataLoader

from package import Manager, Modules

{loader}
trainer = lightning.Trainer()
{line}
"""


@each_row("loader, line, found", [
    ("data = Modules(train=DataLoader(range(4), num_workers=2))", "Manager(trainer, data)()", 8),
    ("data = DataLoader(range(4), num_workers=2)", "Manager(trainer=trainer, data=data)()", 8),
    ("data = DataLoader(range(4), num_workers=0)", "Manager(trainer, data)()", 0),
    ("data = DataLoader(range(4), num_workers=2)", "Manager(trainer, data)", 0),
    ("data = DataLoader(range(4), num_workers=2)", "Manager(trainer, data).show()", 0),
    ("data = DataLoader(range(4), num_workers=2)", "Manager(data)()", 0),
    ("data = DataLoader(range(4), num_workers=2)", "Manager(trainer)()", 0),
])  # fmt: skip
def test_who_gets_a_trainer_and_the_data_trains_when_it_is_called(loader: str, line: str, found: int) -> None:
    findings = reported({"train.py": MANAGED.format(loader=loader, line=line)}, "main-guard")
    assert [finding.span.line for finding in findings] == [found] * (found > 0)
    own = "class Manager:\n    def __init__(self, *parts):\n        self.parts = parts\n\n    def __call__(self):\n"
    own += "        self.parts[0].fit(self.parts[1])\n\n    def show(self):\n        print(self)\n"
    files = {"package.py": own + "\n\nclass Modules:\n    pass\n", "train.py": MANAGED.format(loader=loader, line=line)}
    assert [finding.span.line for finding in reported(files, "main-guard")] == [found] * (found > 0)
