"""Attributes that are set by their names as text, and objects that change their class."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
PROGRAM = """\
import threading
from multiprocessing import Process


class Job:
    def __init__(self, name, other):
        self.name = name
        {sets}


class Done:
    name = "done"


class Longer(Job):
    pass


def work(job):
    print(job.name)


if __name__ == "__main__":
    Process(target=work, args=(Job("a", {{}}),)).start()
"""


@each_row(
    "sets",
    [
        "setattr(self, 'lock', threading.Lock())",
        "object.__setattr__(self, 'lock', threading.Lock())",
        "super().__setattr__('lock', threading.Lock())",
        "self.__dict__['lock'] = threading.Lock()",
        "self.__dict__.setdefault('lock', threading.Lock())",
        "self.__dict__.update(lock=threading.Lock())",
        "self.__dict__.update({'size': 3, 'lock': threading.Lock()}, **other)",
        "vars(self)['lock'] = threading.Lock()",
        "vars(self).update({'lock': threading.Lock()})",
    ],
)
def test_it_is_set_by_its_name_as_text(sets: str) -> None:
    (reason,) = reasons({"run.py": PROGRAM.format(sets=sets)}, RULE)
    assert reason.startswith("it is set by its name as text: write a `__getstate__` that leaves it out")


@each_row(
    "sets",
    [
        "setattr(other, 'lock', threading.Lock())",
        "setattr(self, 'lock', other)",
        "setattr(self, other, threading.Lock())",
        "object.__setattr__(other, 'lock', threading.Lock())",
        "self.name.update(lock=threading.Lock())",
        "vars(other)['lock'] = threading.Lock()",
        "self.__dict__.get('lock', threading.Lock())",
        "print(self.__dict__['name'])",
        "self.__dict__.update(other)",
    ],
)
def test_it_is_not_set_on_the_object(sets: str) -> None:
    assert migrated({"run.py": PROGRAM.format(sets=sets)}, RULE) == {}


def test_what_the_class_leaves_out_itself() -> None:
    state = "\n\n    def __getstate__(self):\n        return {k: v for k, v in vars(self).items() if k != 'lock'}"
    sets = "setattr(self, 'lock', threading.Lock())" + state
    assert migrated({"run.py": PROGRAM.format(sets=sets)}, RULE) == {}


LOCK = "self.lock = threading.Lock()\n\n    def end(self):\n        "


@pytest.mark.parametrize("switch", ["self.__class__ = Done", "self.__class__ = self.name"])
def test_objects_that_change_their_class(switch: str) -> None:
    (reason,) = reasons({"run.py": PROGRAM.format(sets=LOCK + switch)}, RULE)
    assert reason.startswith("line 11 gives its objects another class, which would not have the state methods")


@pytest.mark.parametrize("switch", ["self.__class__ = Longer", "return self.__class__", "self.kind = Done"])
def test_objects_that_stay_in_the_family(switch: str) -> None:
    assert "def __setstate__" in migrated({"run.py": PROGRAM.format(sets=LOCK + switch)}, RULE)["run.py"]
