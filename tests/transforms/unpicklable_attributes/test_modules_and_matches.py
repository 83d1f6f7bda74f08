"""Modules that are imported by a name, and matches of regular expressions: both are there again by the same call."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.meaning import printed
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
TEXT = """\
import importlib
import pickle
import re

PATTERN = re.compile("(?P<name>[a-z.]+)")


class Run:
    kind = re.compile("[a-z]+")

    def __init__(self, name):
        self.name = name
        self.own = re.compile("[a-z]+")
        self.value = {value}
        {more}

    def show(self):
        return {shown}


run = Run("os.path")
{then}
print(pickle.loads(pickle.dumps(run)).show())
"""
MODULE = ("importlib.import_module(name)", "self.value.basename('a/b')", "b")
MATCHES = [
    ("re.match('[a-z]+', name)", "self.value.group()", "os"),
    ("PATTERN.search(name)", "self.value['name']", "os.path"),
    ("self.own.fullmatch(name)", "self.value", "None"),
    ("self.kind.search(name)", "self.value.span()", "(0, 2)"),
]


def text(value: str, shown: str, more: str = "pass", then: str = "") -> str:
    return TEXT.format(value=value, shown=shown, more=more, then=then)


@each_row(("value", "shown", "answer"), [MODULE, *MATCHES])
def test_it_is_made_again(value: str, shown: str, answer: str) -> None:
    after = migrated({"a.py": text(value, shown)}, RULE)["a.py"]
    assert f"self.value = {value.replace('name)', 'self.name)')}\n\n    def show" in after
    assert printed(after) == f"{answer}\n"


@pytest.mark.parametrize("then", ["run.value.SIZE = 4", "run.value.sep = '/'"])
def test_a_module_that_is_changed_stays(then: str) -> None:
    (reason,) = reasons({"a.py": text(*MODULE[:2], then=then)}, RULE)
    assert "on it, and a new one would not have that" in reason


def test_a_module_that_is_set_up_stays() -> None:
    """`init("-mute all")` is for the process, and a new one would go on without it."""
    (reason,) = reasons({"a.py": text(*MODULE[:2], more="self.value.init('-mute all')")}, RULE)
    assert reason.startswith("`self.value.init('-mute all')` (line 15) sets up the module, which a new process would")
    after = migrated({"a.py": text(*MODULE[:2], more="self.base = self.value.basename(name)")}, RULE)["a.py"]
    assert after.count("importlib.import_module(") == 2


def test_what_is_matched_is_changed_later() -> None:
    value, shown, _ = MATCHES[0]
    assert reasons({"a.py": text(value.replace("name", "self.name"), shown, then="run.name = 'b'")}, RULE)


@pytest.mark.parametrize("value", ["self.kind.sub('', name)", "re.sub('a', '', name)", "self.other.search(name)"])
def test_what_is_no_match(value: str) -> None:
    assert migrated({"a.py": text(value, "self.value")}, RULE) == {}


@pytest.mark.parametrize(
    "made",
    [
        "    runs = [Run(each) for each in re.finditer('o', name)]\n    return runs\n",
        "    runs = []\n    for each in PATTERN.finditer(name):\n        runs.append(Run(each))\n    return runs\n",
        "    return [run for each in name for run in [Run(each) for each in PATTERN.finditer(name)]]\n",
    ],
)
def test_a_match_of_many_is_passed_in(made: str) -> None:
    runs = "pickle.dumps(runs('os'))\n"
    head = (
        TEXT.partition("    kind =")[0]
        + "    def __init__(self, value):\n        self.value = value\n\ndef runs(name):\n"
    )
    (reason,) = reasons({"a.py": head + made + runs}, RULE)
    assert reason == "keep what is read of it: its groups, its span"


@pytest.mark.parametrize("walked", ["PATTERN.findall(name)", "enumerate(PATTERN.finditer(name))", "name"])
def test_what_is_walked_gives_no_match(walked: str) -> None:
    head = (
        TEXT.partition("    kind =")[0]
        + "    def __init__(self, value):\n        self.value = value\n\ndef runs(name):\n"
    )
    made = f"    return [Run(each) for each in {walked}]\npickle.dumps(runs('os'))\n"
    assert migrated({"a.py": head + made}, RULE) == {}
