"""Facts that differ in places alone: every field that names a place says so, and moves with its file."""

from __future__ import annotations

import ast

from codemods.flow.facts.collector import facts_of
from codemods.flow.facts.moved import Numbered, moves, with_places
from codemods.flow.facts.records import FileFacts, PassedOn
from tests.harness.each_row import each_row

PROGRAM = """\
import threading
from multiprocessing import Process
from torch.utils.data import DataLoader


class Work(Process):
    def __init__(self, table):
        self.lock = threading.Lock()
        self.names = table.keys()
        self.start()
        self.late = 1
        for name in table:
            self.last = name


class Data:
    def __init__(self, reader, layer):
        self.handle = layer.register_forward_hook(print)
        self.reader = reader
        self.seen = {}
        self.reader = None


class Holder:
    def __init__(self):
        self.worker = Process(target=print)
        self.worker.start()
        self.below = 1
        if self.worker:
            self.worker = None
            self.worker.start = print
        self.worker.start()


def main(table, kind):
    kinds = {"a": Data, "b": Work}
    made = kinds[kind](table)
    if type(made) in (Data, Work):
        return made
    found = {}
    found["x"] = table
    if made == found:
        found = {made: lambda: made}
    return DataLoader(made, num_workers=2), kinds[kind](pin_memory=kind == "a")


def stops():
    return undefined
    print(1)


def parallel(data, kind):
    kinds = {"plain": list, "many": dict}
    return DataLoader(data, num_workers=kind == "many")


def old(rows):
    if isinstance(rows, Data):
        return rows
    return xrange(3)
"""


def facts(text: str) -> FileFacts:
    return facts_of("a.py", ast.parse(text))


def test_every_place_moves_with_a_line_above() -> None:
    before = facts(PROGRAM)
    assert [name for name in with_places() if not len(getattr(before, name))] == []  # the program has all of them
    now = facts("# above\n\n" + PROGRAM)
    moved = moves(before, now, Numbered())
    assert moved is not None
    assert moved.applied(("a.py", 6)) == ("a.py", 8)
    assert moved.applied("see a.py:7") == "see a.py:9"
    assert moves(before, before, Numbered()) is not None


@each_row(
    "old, new",
    [
        ("        self.late = 1\n", "        self.later = 1\n"),  # another name
        ("        self.reader = None\n", ""),  # less
        (
            "        self.start()\n        self.late = 1\n",
            "        self.late = 1\n        self.start()\n",
        ),  # another order
        ("found = {}\n    found", "found = {}; found"),  # two lines are one
        ("num_workers=2", "num_workers=None"),
    ],
)
def test_more_than_places(old: str, new: str) -> None:
    assert PROGRAM.count(old) == 1
    assert moves(facts(PROGRAM), facts(PROGRAM.replace(old, new)), Numbered()) is None


@each_row(
    "old, new",
    [
        ("        self.late = 1\n", "        self.late = (\n            1)\n"),
        ("    return undefined\n", "    # a comment\n\n    return undefined  # another\n"),
        ("num_workers=2", "num_workers=3"),
        ('"a": Data, "b"', '"a": Data,\n             "b"'),
    ],
)
def test_places_alone(old: str, new: str) -> None:
    assert PROGRAM.count(old) == 1
    assert moves(facts(PROGRAM), facts(PROGRAM.replace(old, new)), Numbered()) is not None


def test_a_line_in_a_literal_of_a_call_moves_too() -> None:
    table = "class A: pass\nclass B: pass\nKINDS = {'a': A, 'b': B}\ndef run(kind):\n    return KINDS[kind](1)\n"
    before = facts(table)
    passed = [value for call in before.calls for value in call.literals.values() if isinstance(value, PassedOn)]
    assert {value.table.line for value in passed if value.table is not None} == {3}
    assert moves(before, facts(f"# above\n{table}"), Numbered()) is not None
    assert moves(before, facts(table.replace("'b': B", "'c': B")), Numbered()) is None


@each_row(
    "one, other, same",
    [
        (2, 3, True),
        (3, 4, False),
        (4, 5, False),
        (5, 900, True),
        (-2, 3, True),
        (2, 2.5, False),
        (1, 2, False),
        (0, 1, False),
        (True, 1, True),
        (5, 7, True),
        (5, 8, False),  # the table names it
        (5, "5", False),
    ],
)
def test_numbers_count_by_what_asks_for_them(one: object, other: object, same: bool) -> None:
    numbers = Numbered({("workers", 8)}, [4])
    assert (numbers.said("workers", one) == numbers.said("workers", other)) == same
