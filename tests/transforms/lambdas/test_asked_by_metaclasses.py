"""A metaclass asks what a class body binds whether it is a function: no matter for what a method stores on `self`."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

PROGRAM = """\
from multiprocessing import Pool
from types import FunctionType


class Stages({base}):
    def __new__(mcs, name, bases, ns):
        cls = super().__new__(mcs, name, bases, ns)
        {listed}
        return cls


class Cleaner(metaclass=Stages):
    def __init__(self, weight, stop):
        self.weight = weight
        self.keep = lambda word: len(word) > self.weight and word not in stop

    def select(self, words):
        return [word for word in words if self.keep(word)]


if __name__ == "__main__":
    print(Pool(2).map(Cleaner(2, ["the"]).select, [["the", "word"]]))
"""
LISTED = "cls.stages = [k for k, v in ns.items() if isinstance(v, FunctionType)]"
LOOP = "for value in ns.values():\n            cls.last = isinstance(value, FunctionType)"


@each_row(("base", "listed"), [("type", LISTED), ("type", LOOP)])
def test_what_a_metaclass_asks_of_a_class_body(base: str, listed: str) -> None:
    after = migrated({"a.py": PROGRAM.format(base=base, listed=listed)}, "lambdas")["a.py"]
    assert "self.keep = functools.partial(_cleaner_keep, self.weight, stop)" in after
    assert "def _cleaner_keep(weight, stop, word):" in after


@each_row(
    ("base", "listed"),
    [
        ("type", "cls.stages = [v for v in vars(bases).values() if isinstance(v, FunctionType)]"),
        ("type", "cls.first = isinstance(name, FunctionType)"),
        ("dict", LISTED),
    ],
)
def test_what_is_asked_of_other_values(base: str, listed: str) -> None:
    (reason,) = reasons({"a.py": PROGRAM.format(base=base, listed=listed)}, "lambdas")
    assert "`FunctionType` is used (line 8)" in reason
