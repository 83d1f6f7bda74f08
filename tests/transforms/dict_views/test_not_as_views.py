"""What a program does because a view is no list: it catches what a view refuses, or asks views of other classes."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

RULE = "dict-views"
PROGRAM = """\
import json
import pickle
from collections import ChainMap, UserDict
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass


{more}
class Meta:
    def __init__(self, table):
        self.names = {view}

    def asked(self, value, other=()):
        try:
            return {use}
        except {caught}:
            return None


table = {{"b": 1}}
meta = Meta(table)
meta.asked([1])
pickle.dumps(meta)
"""


def answer(use: str = "0", caught: str = "TypeError", view: str = "dict(table).keys()", more: str = "") -> str | None:
    """Why the one view is no list; "" where it becomes one, None where nothing is reported."""
    found = reported({"run.py": PROGRAM.format(use=use, caught=caught, view=view, more=more)}, RULE)
    if not found:
        return None
    (finding,) = found
    return finding.reason or (finding.fix is not None and finding.fix.unsafe) or ""


@pytest.mark.parametrize("use", ["value in self.names and [*self.names]", "[*self.names] and value not in self.names"])
@pytest.mark.parametrize("caught", ["TypeError", "(KeyError, TypeError)"])
@pytest.mark.parametrize("view", ["dict(table).keys()", "dict(table).items()"])
def test_a_value_without_hash(use: str, caught: str, view: str) -> None:
    told = "line 15 asks whether something that may have no hash is in it, which a view refuses, and the program then"
    assert (answer(use, caught, view) or "").startswith(f"{told} goes on at run.py:16")


@each_row(
    ("use", "caught", "view"),
    [
        ("'a' in self.names", "TypeError", "dict(table).keys()"),
        ("value in self.names", "KeyError", "dict(table).keys()"),
        ("value in self.names", "Exception", "dict(table).keys()"),
        ("value in self.names", "TypeError", "dict(table).values()"),
        ("self.names in value", "TypeError", "dict(table).keys()"),
    ],
)
def test_a_value_that_is_looked_for(use: str, caught: str, view: str) -> None:
    assert answer(use, caught, view) == ""


@pytest.mark.parametrize("use", ["json.dumps(vars(self))", "json.dumps(self.names)", "json.dumps({'a': [self.names]})"])
def test_json_does_not_know_a_view(use: str) -> None:
    assert "passes it to `json.dumps`, which a view refuses, and the program then goes on" in (answer(use) or "")


@pytest.mark.parametrize("use", ["json.dumps(vars(self), default=list)", "json.dumps([value], vars(self))"])
def test_json_is_told_or_gets_something_else(use: str) -> None:
    assert answer(use) == ""


@each_row("base", ["Mapping", "MutableMapping", "Mapping[str, int]", "UserDict"])
def test_views_of_an_own_mapping_can_be_pickled(base: str) -> None:
    assert answer(view="Lazy(table).keys()", more=f"class Lazy({base}):\n    pass\n\n") is None


@pytest.mark.parametrize("view", ["ChainMap(table).values()", "UserDict(table).items()"])
def test_views_of_mappings_written_in_python_can_be_pickled(view: str) -> None:
    assert answer(view=view) is None


def test_views_of_a_derived_dict_cannot() -> None:
    assert answer(view="Lazy(table).keys()", more="class Lazy(dict):\n    pass\n\n") == ""


def test_a_table_of_the_class_grows_by_another_name() -> None:
    registry = (
        "class Base:\n    known = {}\n    names = known.keys()\n\n    def __init_subclass__(cls):\n"
        "        Base.known[cls.__name__] = cls\n\n\nclass One(Base):\n    pass\n\n\n"
        "class Job:\n    def __init__(self):\n        self.names = Base.names\n\n\npickle.dumps(Job())\n"
    )
    (finding,) = reported({"run.py": f"import pickle\n\n\n{registry}"}, RULE)
    assert finding.fix is not None
    assert "line 9 sets an item of the dict after the view is taken" in (finding.fix.unsafe or "")


MADE = """\
import pickle
from dataclasses import dataclass


@dataclass
class Run:
    name: str
    names: object = None


def make(name, table):
    return Run(name, table.keys())


def count(table):
    return len(table)


{bound}
print({look})
pickle.dumps(make("a", {{"b": 1}}))
"""
BOTH = 'one, other = make("a", {}), make("b", {})'


@pytest.mark.parametrize(
    ("bound", "look"), [(BOTH, "one == other"), ('one = make("a", {})', "one != 3"), (BOTH, "1 == 1 != other")]
)
def test_objects_that_a_function_makes_are_compared(bound: str, look: str) -> None:
    (finding,) = reported({"run.py": MADE.format(bound=bound, look=look)}, RULE)
    assert "compares it with" in (finding.reason or "")


@pytest.mark.parametrize(
    ("bound", "look"), [("one, other = count({}), count({})", "one == other"), (BOTH, "one is other")]
)
def test_other_things_are_compared(bound: str, look: str) -> None:
    (finding,) = reported({"run.py": MADE.format(bound=bound, look=look)}, RULE)
    assert finding.fix is not None and finding.fix.unsafe is None


TABLE = """\
from multiprocessing import Process


class Splits:
    def __init__(self, table):
        self.ids = {made}
        for name, rows in dict(table).items():
            {put}

    def work(self):
        return ["%s" % (name,) for name in {looped}]


if __name__ == "__main__":
    Process(target=Splits({{}}).work).start()
"""


@each_row(
    ("made", "put", "looped", "unsafe"),
    [
        ("{}", "self.ids[name] = dict(rows).keys()", "self.ids", False),
        ("dict()", "self.ids[name] = dict(rows).keys()", "sorted(self.ids)", False),
        ("{}", "self.ids[name] = dict(rows).keys()", "self.ids.values()", True),
        ("[]", "self.ids.append(dict(rows).keys())", "self.ids", True),
        ("table", "self.ids[name] = dict(rows).keys()", "self.ids", True),
    ],
)
def test_the_keys_of_a_dict_of_views_are_no_views(made: str, put: str, looped: str, unsafe: bool) -> None:
    (found,) = reported({"run.py": TABLE.format(made=made, put=put, looped=looped)}, RULE)
    assert found.fix is not None
    assert ("puts it into a text" in (found.fix.unsafe or "")) is unsafe


@each_row(
    ("imports", "target", "kept"),
    [
        ("import package.table", "package.table", False),
        ("import package", "package.table", False),
        ("import other.names", "other.names", False),
        ("from other import names", "names", False),
        ("import other.names", "other.names.CONFIG", True),
    ],
)
def test_a_module_is_not_pickled(imports: str, target: str, kept: bool) -> None:
    files = {
        "a.py": f"{imports}\n\nTABLE = {{'a': 1}}\n{target}.NAMES = TABLE.keys()\n",
        "other/__init__.py": "",
        "other/names.py": "class Config:\n    pass\n\n\nCONFIG = Config()\n",
    }
    assert bool(reported(files, RULE)) is kept


@each_row(
    ("put", "taken", "kept"),
    [
        ("rows.append(meta.names)", "rows[0] - {'b'}", True),
        ("rows.insert(0, meta.names)", "rows[0] & {'b'}", True),
        ("rows[0] = meta.names", "rows[0] | {'b'}", True),
        ("table['names'] = meta.names", "table['names'] - {'b'}", True),
        ("rows.append(meta.names)", "rows + [{'b'}]", False),
        ("rows[0] = meta.names", "[*rows[0]]", False),
    ],
)
def test_a_view_that_is_put_into_a_container(put: str, taken: str, kept: bool) -> None:
    uses = f"rows = [{{'b'}}]\n{put}\nprint({taken})"
    program = PROGRAM.format(use="0", caught="TypeError", view="dict(table).keys()", more="")
    (finding,) = reported({"run.py": program.replace("meta.asked([1])", uses)}, RULE)
    assert (finding.fix is None or finding.fix.unsafe is not None) is kept
