"""unpicklable-attributes: objects that are hashed while they are unpickled, and private names of two classes."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

PROGRAM = """\
import threading
from dataclasses import dataclass
from multiprocessing import Process


{mark}
class Node:
    def __init__(self, name, parent=None):
        self.name = name
        self.lock = threading.Lock()
        {put}

    def __hash__(self):
        return {hashed}

    def run(self):
        with self.lock:
            print(self.name)


if __name__ == "__main__":
    Process(target=Node("a").run).start()
"""
EARLY = [
    "self.group = {self}",
    "self.group = set()\n        self.group.add(self)",
    "self.places = {self: 0}",
    "self.places = {}\n        self.places[self] = 1",
    "self.parent = parent\n        parent.children.add(self)",
]


@each_row("put", EARLY)
def test_an_object_that_is_hashed_before_it_has_attributes(put: str) -> None:
    text = PROGRAM.format(mark="", put=put, hashed="hash(self.name)")
    (reason,) = reasons({"run.py": text}, "unpicklable-attributes")
    assert "would be asked for its hash there before it has the attributes" in reason


@each_row(
    ("put", "hashed"),
    [
        *((put, "7") for put in EARLY),
        ("self.group = [self]", "hash(self.name)"),
        ("self.group = {name}", "hash(self.name)"),
        ("parent.children.add(self)", "hash(self.name)"),
        ("self.group = {1: self}", "hash(self.name)"),
    ],
)
def test_an_object_that_is_not(put: str, hashed: str) -> None:
    text = PROGRAM.format(mark="", put=put, hashed=hashed)
    assert "__getstate__" in migrated({"run.py": text}, "unpicklable-attributes")["run.py"]


def test_a_dataclass_whose_fields_are_hashed() -> None:
    text = PROGRAM.format(mark="@dataclass(unsafe_hash=True)", put="self.group = {self}", hashed="0")
    text = text.replace("    def __hash__(self):\n        return 0\n\n", "").replace("Node:", "Node:\n    name: str\n")
    (reason,) = reasons({"run.py": text}, "unpicklable-attributes")
    assert "asked for its hash" in reason


PRIVATE = """\
import threading
from multiprocessing import Process


class Store:
    def __init__(self):
        self.__lock = threading.Lock()


class Audited(Store):
    def __init__(self):
        super().__init__()
        self.__lock = {made}

    def run(self):
        with self.__lock:
            print("in")


if __name__ == "__main__":
    Process(target=Audited().run).start()
"""


def test_private_names_of_two_classes_are_two_attributes() -> None:
    text = migrated({"run.py": PRIVATE.format(made="threading.RLock()")}, "unpicklable-attributes")["run.py"]
    assert text.count('del state["_Store__lock"]') == 1
    assert text.count('del state["_Audited__lock"]') == 1
    assert text.count("self.__lock = threading.RLock()") == 2
    alone = migrated({"run.py": PRIVATE.format(made="0")}, "unpicklable-attributes")["run.py"]
    assert alone.count("def __getstate__") == 1
