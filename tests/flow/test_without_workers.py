"""Loaders whose number of workers comes with the call that brings the data: what gets there with 0 does not cross."""

from __future__ import annotations

import pytest

from codemods.finding import Confidence
from codemods.flow.answers.crossings import flow_of
from codemods.hazard_kind import HazardKind
from harness.each_row import each_row
from harness.marks import project_of

PROGRAM = """\
import sys
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self):
        self.fn = lambda x: x + 1

class Own(DataLoader):
    def __init__(self, data, **options):
        super().__init__(data, collate_fn=lambda rows: rows, **options)

def make({parameters}):
    {before}
    return DataLoader(data, {options})

args = sys.argv
{calls}
"""


def sure(parameters: str, options: str, calls: str, before: str = "pass") -> bool:
    """Whether the lambda of `Rows` is seen to cross."""
    text = PROGRAM.format(parameters=parameters, options=options, calls=calls, before=before)
    crossings = flow_of(project_of({"run.py": text})).crossings(frozenset({HazardKind.LAMBDA}))
    return any(each.line == 6 and each.confidence is Confidence.PROVEN for each in crossings)


@each_row(
    ("parameters", "options", "call"),
    [
        ("data, number", "num_workers=number", "make(Rows(), 0)"),
        ("data, number=2", "num_workers=number", "make(Rows(), number=0)"),
        ("data, *, number=0", "num_workers=number", "make(Rows())"),
        ("data, number=0", "num_workers=number", "make(data=Rows())"),
        ("data, **options", "**options", "make(Rows(), num_workers=0)"),
        ("data, **options", "**options", "make(Rows(), batch_size=2)"),
        ("data, number, /", "num_workers=number", "make(Rows(), 0)\nmake([1, 2], 4)"),  # the 4 are for other data
    ],
)
def test_a_call_that_asks_for_no_workers(parameters: str, options: str, call: str) -> None:
    assert not sure(parameters, options, call)


@each_row(
    ("parameters", "options", "call"),
    [
        ("data, number", "num_workers=number", "make(Rows(), 2)"),
        ("data, number", "num_workers=number", "make(Rows(), args)"),
        ("data, number=2", "num_workers=number", "make(Rows())"),
        ("data, number=False", "num_workers=int(args[1])", "make(Rows())"),
        ("data, number=0", "num_workers=number", "make(Rows(), *args)"),
        ("data, number=0", "num_workers=number", "make(Rows(), number=args)"),
        ("data, **options", "**options", "make(Rows(), num_workers=args)"),
        ("data, **options", "**options", "make(Rows(), **args)"),
        ("data, number", "num_workers=number", "rows = Rows()\nmake(rows, 0)\nmake(rows, 4)"),
    ],
)
def test_a_call_that_may_ask_for_some(parameters: str, options: str, call: str) -> None:
    assert sure(parameters, options, call)


@pytest.mark.parametrize(("call", "found"), [("Own([1])", False), ("Own([1], num_workers=2)", True)])
def test_a_loader_class_of_which_objects_are_made_without_workers(call: str, found: bool) -> None:
    text = PROGRAM.format(parameters="data", options="batch_size=2", calls=call, before="pass")
    crossings = flow_of(project_of({"run.py": text})).crossings(frozenset({HazardKind.LAMBDA}))
    assert any(each.line == 10 and each.confidence is Confidence.PROVEN for each in crossings) is found


OF_OBJECT = """\
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self):
        self.fn = lambda x: x

class Module:
    def __init__(self, rows, num_workers=4, *more):
        {kept}

    def loader(self):
        return DataLoader(self.rows, num_workers=self.workers, collate_fn=lambda rows: rows)

def change(module):
    {change}

print(next(iter({made}.loader())))
"""
KEPT = "self.rows, self.workers = rows, num_workers"


@each_row(
    ("made", "kept", "change", "crosses"),
    [
        ("Module(Rows(), num_workers=0)", KEPT, "pass", False),
        ("Module(Rows(), 0)", "self.rows = rows; self.workers = num_workers", "pass", False),
        ("Module(Rows(), 0)", "self.rows = rows; self.workers = num_workers or 4", "pass", True),
        ("Module(Rows())", KEPT, "pass", True),
        ("Module(Rows(), 2)", KEPT, "pass", True),
        ("Module(Rows(), 0) or Module(Rows(), 3)", KEPT, "pass", True),
        ("Module(Rows(), 0)", KEPT, "module.workers = change", True),
        ("Module(Rows(), 0)", KEPT + "; self.workers += 1", "pass", True),
    ],
)
def test_the_number_that_an_object_keeps(made: str, kept: str, change: str, crosses: bool) -> None:
    text = OF_OBJECT.format(made=made, kept=kept, change=change)
    crossings = flow_of(project_of({"run.py": text})).crossings(frozenset({HazardKind.LAMBDA}))
    assert any(each.line == 12 and each.confidence is Confidence.PROVEN for each in crossings) is crosses


@each_row(
    ("options", "before", "crosses"),
    [
        ("**options", "options = {'num_workers': 0, 'pin_memory': True}", False),
        ("**options", "options = {'num_workers': 0} if data else {}", False),
        ("**options", "options = {'pin_memory': True}", False),
        ("**({'num_workers': 0} if data else {})", "pass", False),
        ("**options", "options = {'num_workers': 1} if data else {}", True),
        ("**options", "options = {'num_workers': number}", True),
        ("**options", "options = {'num_workers': 0}; options['num_workers'] = 2", True),
        ("**options", "options = {'num_workers': 0}; options.update(number)", True),
        ("**options", "options = {'num_workers': 0}; options = number", True),
        ("**options", "options = {'num_workers': 0}; options |= number", True),
        ("**options", "options = {'num_workers': 0, **number}", True),
        ("**options, **number", "options = {'num_workers': 0}", True),
        ("num_workers=2, **options", "options = {'batch_size': 1}", True),
        ("**options", "options = dict(batch_size=2, num_workers=0)", False),
        ("**options", "none = 0; options = dict(num_workers=none)", False),
        ("**options", "none = 0; options = {'num_workers': none}", False),
        ("**dict(num_workers=0)", "pass", False),
        ("**options", "none = 2; options = dict(num_workers=none)", True),
        ("**options", "none = 0; none += 1; options = dict(num_workers=none)", True),
        ("**options", "options = dict(number, num_workers=0)", True),
        ("**options", "options = dict(num_workers=0, **number)", True),
        ("**options", "options = dict(num_workers=number)", True),
    ],
)
def test_numbers_of_workers_in_dicts_that_are_unpacked(options: str, before: str, crosses: bool) -> None:
    assert sure("data, number", options, "make(Rows(), args)", before) == crosses


OF_MODULE = """\
from torch.utils.data import DataLoader

NONE = 0
rows = [lambda: 1]
options = dict(batch_size=1, num_workers={number})
{more}

def load():
    return next(iter(DataLoader(rows, **options)))

for row in DataLoader(rows, **options):
    print(row, load())
"""


@each_row(
    ("number", "more", "crosses"),
    [("NONE", "", False), ("0", "", False), ("NONE", "options['num_workers'] = 2", True), ("2", "", True)],
)
def test_a_dict_of_the_module(number: str, more: str, crosses: bool) -> None:
    text = OF_MODULE.format(number=number, more=more)
    found = flow_of(project_of({"run.py": text})).crossings(frozenset({HazardKind.LAMBDA}))
    assert any(each.confidence is Confidence.PROVEN for each in found) is crosses


PARSED = """\
import argparse
from torch.utils.data import DataLoader

def setup(args):
    args.workers = 2

def add(parser):
    parser.set_defaults(workers=2)

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-w", "--workers", type=int, {default})
    {before}
    args = parser.parse_args({given})
    {after}
    loader = DataLoader([1, 2], num_workers=args.workers, collate_fn=lambda rows: rows)

main()
"""


@each_row(
    ("default", "before", "given", "after", "crosses"),
    [
        ("default=0", "pass", "[]", "pass", False),
        ("default=0", "pass", "args=[]", "print(args, args.workers)", False),
        ("default='0', help='none'", "pass", "()", "pass", False),
        ("default=0", "parser.add_argument('--lr', default=2)", "[]", "pass", False),
        ("default=2", "pass", "[]", "pass", True),
        ("default=0", "pass", "", "pass", True),
        ("default=0", "pass", "['-w', '2']", "pass", True),
        ("default=0", "parser.set_defaults(workers=2)", "[]", "pass", True),
        ("default=0", "parser.add_argument('--more', dest='workers', default=2)", "[]", "pass", True),
        ("default=0", "pass", "[]", "args.workers = 2", True),
        ("default=0", "pass", "[]", "setup(args)", True),
        ("default=0", "add(parser)", "[]", "pass", True),
    ],
)
def test_options_that_are_parsed_from_nothing(default: str, before: str, given: str, after: str, crosses: bool) -> None:
    text = PARSED.format(default=default, before=before, given=given, after=after)
    crossings = flow_of(project_of({"run.py": text})).crossings(frozenset({HazardKind.LAMBDA}))
    assert [each.confidence is Confidence.PROVEN for each in crossings].count(True) == int(crosses)
