"""Views in what reads all attributes of an object, in `json` and in functions that go by the type of their argument."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
import functools
import json
import pickle


class Meta:
    def __init__(self, table):
        self.size = len(table)
        self.names = table.keys()

    def shown(self):
        return {method}


@functools.singledispatch
def show(value, more=()):
    return str(len(value))


class Printer:
    @functools.singledispatchmethod
    def show(self, value):
        return str(len(value))


def dump(meta):
    return {function}


meta = Meta({{"b": 1}})
print(meta.shown(), dump(meta))
pickle.dumps(meta)
"""
REFUSED = {
    "json.dumps(vars(self), default=str)": "passes it to `dumps`, where `default=` gets a view, and a list is known",
    "json.dumps(self.__dict__, cls=Encoder)": "where `cls=` gets a view",
    "json.dumps([self.names], default=lambda v: sorted(v))": "where `default=` gets a view",
    "json.dumps({**vars(self)}, default=len)": "where `default=` gets a view",
    "hash(str(sorted(vars(self).items())))": "puts it into a text, which would read differently",
    "[k for k, v in vars(self).items() if isinstance(v, list)]": "asks for its type",
    "show(self.names)": "passes it to `show`, where `@singledispatch` goes by its type",
    "Printer().show(self.names)": "passes it to `show`, where `@singledispatchmethod` goes by its type",
}
FIXED = [
    "json.dumps(vars(self), default=list)",
    "json.dumps({'size': self.size}, default=str)",
    "[k for k, v in vars(self).items() if k == 'size' and v is not None]",
    "vars(self)['size'] == 3",
    "print(vars(self))",
    "show(3, self.names)",
    "sorted(self.__dict__)",
]


def answer(method: str = "0", function: str = "0") -> str:
    (finding,) = reported({"run.py": PROGRAM.format(method=method, function=function)}, "dict-views")
    return finding.why_not(False) or ""


@each_row("method", REFUSED)
def test_a_list_would_be_another_thing(method: str) -> None:
    assert REFUSED[method] in answer(method)


@each_row("method", FIXED)
def test_a_list_is_the_same(method: str) -> None:
    assert answer(method) == ""


@pytest.mark.parametrize("function", ["json.dumps(meta.__dict__, default=str)", "json.dumps(vars(meta), default=str)"])
def test_a_function_gets_the_object(function: str) -> None:
    assert "where `default=` gets a view" in answer(function=function)


@each_row("method", [each for each in REFUSED if "self.names" not in each])
def test_an_attribute_that_other_code_puts_on_the_object(method: str) -> None:
    text = PROGRAM.format(method=method, function="0").replace("        self.names = table.keys()\n", "")
    text = text.replace('meta = Meta({"b": 1})\n', 'table = {"b": 1}\nmeta = Meta(table)\nmeta.names = table.keys()\n')
    (finding,) = reported({"run.py": text}, "dict-views")
    assert REFUSED[method] in (finding.why_not(False) or "")


def test_the_attributes_of_another_class() -> None:
    other = "class Options:\n    def dump(self):\n        return json.dumps(vars(self), default=str)\n\n\n"
    text = PROGRAM.format(method="0", function="0").replace("def dump", other + "def dump", 1)
    (finding,) = reported({"run.py": text}, "dict-views")
    assert finding.reason is None


DATA = """\
import pickle
from dataclasses import dataclass
from typing import NamedTuple


{head}
    names: object
    size: int = 1


def look(conf, other):
    return {look}


table = {{"b": 1}}
conf = Conf({given})
look(conf, None)
pickle.dumps(conf)
"""
HEADS = ["@dataclass\nclass Conf:", "class Conf(NamedTuple):"]
LOOKS = {
    "conf.names & other": "uses it with `&`",
    "conf == other": "compares it with `==`",
    "'cache_' + str(conf)": "puts it into a text, which would read differently",
    "{1: conf} != other": "compares it with `!=`",
}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("given", ["table.keys()", "names=table.keys()"])
@pytest.mark.parametrize("look", LOOKS)
def test_a_field_is_an_attribute_and_a_part_of_the_object(head: str, given: str, look: str) -> None:
    (finding,) = reported({"run.py": DATA.format(head=head, given=given, look=look)}, "dict-views")
    assert LOOKS[look] in (finding.reason or (finding.fix is not None and finding.fix.unsafe) or "")


def test_a_decorator_with_arguments_makes_a_dataclass() -> None:
    text = DATA.format(head="@dataclass(eq=True)\nclass Conf:", given="table.keys()", look="conf == other")
    (finding,) = reported({"run.py": text}, "dict-views")
    assert finding.reason is not None or (finding.fix is not None and finding.fix.unsafe is not None)


@each_row("look", ["conf is other", "len(conf.names)", "print(conf)", "conf.size == other"])
def test_the_object_is_used_by_what_a_list_has(look: str) -> None:
    (finding,) = reported({"run.py": DATA.format(head=HEADS[0], given="table.keys()", look=look)}, "dict-views")
    assert finding.fix is not None
    assert finding.fix.unsafe is None


def test_a_class_that_compares_in_its_own_way() -> None:
    own = DATA.replace(
        "    size: int = 1\n", "    size: int = 1\n\n    def __eq__(self, other):\n        return True\n"
    )
    (finding,) = reported(
        {"run.py": own.format(head=HEADS[0], given="table.keys()", look="conf == other")}, "dict-views"
    )
    assert finding.fix is not None
