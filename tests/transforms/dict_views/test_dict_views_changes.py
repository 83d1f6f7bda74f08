"""dict-views: whether the dict changes after its view was stored, by whatever way it is reached."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

RULE = "dict-views"


def unsafe(body: str, more: str = "", use: str = "pickle.dumps(A({}))", taken: str = ".keys()") -> str:
    """What changes after the view in `A.__init__` (`# VIEW`) is taken; "" when the fix is safe."""
    lines = "\n".join("        " + line for line in body.splitlines())
    head = "import pickle, sys\nfrom collections import defaultdict\n\n\n"
    text = f"{head}class A:\n    def __init__(self, d: dict):\n{lines}\n{more}\n\n{use}\n"
    (finding,) = [each for each in reported({"a.py": text}, RULE) if taken in text.splitlines()[each.span.line - 1]]
    assert finding.fix is not None
    return finding.fix.unsafe or ""


VIEW = "self.n = d.keys()\n"


@each_row(
    "body",
    [
        pytest.param(VIEW, id="nothing"),
        pytest.param("d['a'] = 1\n" + VIEW, id="before"),
        pytest.param(VIEW + "d.get('a')", id="read"),
        pytest.param(VIEW + "d += e", id="another operator"),
        pytest.param(VIEW + "for k in d:\n    d[k] = 1", id="other values under the same keys"),
        pytest.param(VIEW + "for k in list(d):\n    d[k] = 1", id="the same, of a list"),
        pytest.param(VIEW + "for k, v in d.items():\n    d[k] = 1", id="the same, of items"),
        pytest.param(VIEW + "for k in sorted(d, key=len):\n    d[k] = 1", id="the same, sorted"),
        pytest.param(VIEW + "for k in d.keys():\n    d[k] = 1", id="the same, of keys"),
        pytest.param("self.n = d['x'].keys()\nd['y']['a'] = 1", id="another item"),
        pytest.param("e = {}\nself.n = e.keys()\nprint(e['a'])", id="an item read that is there"),
        pytest.param("e = defaultdict(int)\nself.n = e.keys()\nfor k in e:\n    e[k]", id="all of a defaultdict"),
    ],
)
def test_no_change(body: str) -> None:
    assert unsafe(body) == ""


@each_row(
    ("body", "what"),
    [
        (VIEW + "d['a'] = 1", "sets an item"),
        (VIEW + "del d['a']", "deletes from the dict"),
        (VIEW + "d.pop('a')", "calls `.pop()`"),
        (VIEW + "d |= e", "updates the dict with `|=`"),
        (VIEW + "for k in e:\n    d[k] = 1", "sets an item"),
        (VIEW + "for k, v in d.items():\n    d[v] = 1", "sets an item"),
        ("self.n = d.values()\nfor k in d:\n    d[k] = 1", "sets an item"),
        ("self.n = (d or {}).keys()\nd['a'] = 1", "sets an item"),
        ("e = {}\nself.n = (d if e else e).keys()\nd['a'] = 1", "sets an item"),
        ("e = {}\nself.n = (d if e else e).keys()\ne['a'] = 1", "sets an item"),
        ("self.n = d['x'].keys()\nd['x']['a'] = 1", "sets an item"),
        (
            "e = defaultdict(list)\nself.n = e.keys()\nprint(e['a'])",
            "reads an item of the dict, which adds",
        ),
        ("e = d\nself.n = e.keys()\nd['a'] = 1", "sets an item"),
        ("self.t = d\n" + VIEW + "self.t['a'] = 1", "sets an item"),
        ("self.t = d\n" + VIEW + "vars(self)['t']['a'] = 1", "sets an item"),
        ("self.t = d\n" + VIEW + "self.__dict__['t'].update(a=1)", "calls `.update()`"),
        ("self.t = d\n" + VIEW + "getattr(self, 't').pop('a')", "calls `.pop()`"),
        ("self.n = vars(self).keys()", "takes the view of an object's own attributes"),
        ("self.n = globals().keys()", "takes the view of `globals()`"),
        ("self.n = sys.modules.keys()", "takes the view of the loaded modules"),
        ("self.n = self._modules.keys()", "takes the view of `_modules`, in which a module keeps what is set on it"),
        ("self.n = self.__dict__.keys()", "takes the view of an object's own attributes"),
    ],
)
def test_changes_in_the_same_function(body: str, what: str) -> None:
    assert what in unsafe(body, taken="self.n = ")


FILL = "\ndef fill(x):\n    x['a'] = 1\n"
AFTER, BEFORE = "t = {}\na = A(t)\nt['a'] = 1\npickle.dumps(a)", "t = {}\nt['a'] = 1\na = A(t)\npickle.dumps(a)"


@each_row(
    ("body", "more", "use", "changes"),
    [
        pytest.param("self.t = d\n" + VIEW, "    def put(self):\n        self.t['a'] = 1", "", True, id="a method"),
        pytest.param(VIEW, "    def put(self, d):\n        d['a'] = 1", "", False, id="a method's own dict"),
        pytest.param(VIEW, "", AFTER, True, id="the caller, after"),
        pytest.param(VIEW, "", AFTER.replace("A(t)", "A(d=t)"), True, id="the caller, by name"),
        pytest.param(VIEW, "", BEFORE, False, id="the caller, before"),
        pytest.param(VIEW, "", AFTER.replace("t['a']", "u['a']"), False, id="the caller, another dict"),
        pytest.param(VIEW + "fill(d)", FILL, "", True, id="a function that is given it"),
        pytest.param(VIEW + "fill(x=d)", FILL, "", True, id="a function that is given it by name"),
        pytest.param("fill(d)\n" + VIEW, FILL, "", False, id="a function that is given it before"),
        pytest.param(VIEW + "fill(d)", FILL.replace("x['a'] = 1", "y = x; y.update(a=1)"), "", True, id="two names"),
        pytest.param(VIEW + "fill(d)", "\ndef fill(x):\n    print(x)\n", "", False, id="only read"),
        pytest.param(
            "self.n = table().keys()",
            "\nt = {}\ndef table():\n    return t\n",
            "a = A({})\nt['a'] = 1\npickle.dumps(a)",
            True,
            id="a table that a function gives",
        ),
        pytest.param(
            "self.n = table().keys()",
            "\nt = {}\ndef table():\n    return dict(t)\n",
            "a = A({})\nt['a'] = 1\npickle.dumps(a)",
            False,
            id="a copy that a function gives",
        ),
    ],
)
def test_changes_elsewhere(body: str, more: str, use: str, changes: bool) -> None:
    assert bool(unsafe(body, more, use or "pickle.dumps(A({}))", taken="self.n = ")) is changes


def test_a_table_of_another_module() -> None:
    table = "TABLE = {}\n\n\ndef register(name):\n    TABLE[name] = 1\n"
    keeper = "import pickle\nimport table\n\n\nclass A:\n    def __init__(self):\n        self.n = table.TABLE.keys()\n"
    late = "\n\na = A()\ntable.register('b')\npickle.dumps(a)\n"
    early = "\n\ntable.register('b')\npickle.dumps(A())\n"
    for end, what in ((late, "table.py:5 sets an item of the dict"), (early, "")):
        (finding,) = reported({"table.py": table, "a.py": keeper + end}, RULE)
        assert finding.fix is not None
        assert (finding.fix.unsafe or "").startswith(what) and bool(finding.fix.unsafe) is bool(what)


def test_a_function_that_asks_for_lists_in_lists() -> None:
    code = """\
from multiprocessing import Process


def flatten(x):
    if isinstance(x, {types}):
        return [part for item in x for part in flatten(item)]
    return [x]


class Node:
    def __init__(self, kids: dict):
        self.kids = kids.values()

    def flat(self):
        return flatten(["root", self.kids])


Process(target=print, args=(Node({{}}),)).start()
"""
    for types in ("list", "(list, tuple)"):
        assert "list(kids" not in str(migrated({"a.py": code.format(types=types)}, "dict-views"))
    assert "list(kids" in str(migrated({"a.py": code.format(types="dict")}, "dict-views"))


TABLE = """\
import pickle

TABLE = {{'a': 1}}


class A:
    def __init__(self):
        self.n = TABLE.keys()


def build():
    return A()


class Holder:
    def __init__(self):
        self.a = build()


def main():
    {steps}


main()
"""


@each_row(
    ("steps", "change"),
    [
        ("a = A(); TABLE['b'] = 1; pickle.dumps(a)", True),
        ("a = build(); TABLE['b'] = 1; pickle.dumps(a)", True),
        ("a = Holder(); TABLE['b'] = 1; pickle.dumps(a)", True),
        ("TABLE['b'] = 1; pickle.dumps(build())", False),
        ("TABLE['b'] = 1; pickle.dumps(Holder())", False),
        ("pickle.dumps(build())", False),
    ],
)
def test_a_table_of_the_module(steps: str, change: bool) -> None:
    """Changed by a function that has what takes the view called, however many calls away."""
    (finding,) = reported({"a.py": TABLE.format(steps=steps)}, RULE)
    assert finding.fix is not None
    assert ("sets an item of the dict after the view is taken" in (finding.fix.unsafe or "")) is change


TRIED = """\
import contextlib
import copy
import json
import pickle
import random


class Names:
    def __init__(self, d):
        self.names = d.keys()

    def first(self):
{code}


pickle.dumps(Names({}))
"""


def tried(code: str) -> dict[str, str]:
    lines = "\n".join("        " + line for line in code.splitlines())
    return {"a.py": TRIED.replace("{code}", lines)}


@each_row(
    ("code", "what", "line"),
    [
        ("try:\n    return self.names[0]\nexcept TypeError:\n    return 0", "asks for an item by its position", 14),
        ("try:\n    self.names.sort()\nexcept AttributeError:\n    return 0", "uses `.sort`", 14),
        ("try:\n    return self.names + [1]\nexcept Exception:\n    return 0", "adds or repeats it", 14),
        ("try:\n    return random.choice(self.names)\nexcept:\n    return 0", "passes it to `random.choice`", 14),
        ("n = self.names\ntry:\n    return json.dumps(n)\nexcept TypeError:\n    return 0", "`json.dumps`", 15),
        ("with contextlib.suppress(TypeError):\n    return self.names[0]", "asks for an item by its position", 12),
    ],
)
def test_what_a_view_refuses_is_tried(code: str, what: str, line: int) -> None:
    (reason,) = reasons(tried(code), RULE)
    assert what in reason and f"which a view refuses, and the program then goes on at a.py:{line + 1}" in reason


@pytest.mark.parametrize("code", ["return self.names.__class__.__name__", "n = self.names\nprint(n.__class__)"])
def test_the_class_of_a_view(code: str) -> None:
    (reason,) = reasons(tried(code), RULE)
    assert "asks for its type" in reason


@pytest.mark.parametrize(
    "code", ["return reversed(self.names).__class__", "n = self.names\nreturn type(iter(n)), len(n)"]
)
def test_the_class_of_its_iterator(code: str) -> None:
    (reason,) = reasons(tried(code), RULE)
    assert "asks for the type of its iterator" in reason


@each_row(
    "code",
    [
        "return list(reversed(self.names)), sorted(iter(self.names)), reversed(self.other).__class__",
        "return self.__class__, [n.__class__ for n in self.names]",
        "return self.names[0]",
        "try:\n    return self.names[0]\nexcept KeyError:\n    return 0",
        "try:\n    return sorted(self.names)\nexcept TypeError:\n    return 0",
        "try:\n    return [n[0] for n in self.names]\nexcept TypeError:\n    return 0",
        "try:\n    return 0\nexcept TypeError:\n    return self.names[0]",
    ],
)
def test_what_is_not_tried(code: str) -> None:
    assert "self.names = list(d.keys())" in migrated(tried(code), RULE)["a.py"]


SAVED = """\
import pickle, queue
from collections import defaultdict
from multiprocessing import Process

def clean(table):
    table.targets.clear()

class Table:
    def load(self, rows):
        self.targets = defaultdict(list)
        for name, value in rows:
            self.targets[name].append(value)

    def save(self, path):
        with open(path, "wb") as file:
            {}
"""


@each_row(
    ("body", "safe"),
    [
        ("pickle.dump((len(tasks), tasks), file)", True),
        ("print(len(tasks))\n            pickle.dump(tasks, file)\n            self.targets.clear()", True),
        ("clean(self)\n            pickle.dump(tasks, file)", False),
        ("self.targets['a'] = []\n            pickle.dump(tasks, file)", False),
        ("for _ in range(2):\n                pickle.dump(tasks, file)\n                self.load([])", False),
        ("keep = tasks\n            self.load([])\n            pickle.dump(keep, file)", False),
        ("pickle.dump(tasks, file)\n            return lambda: list(tasks)", False),
        ("if self.targets['b']:\n                pickle.dump(tasks, file)", False),
    ],
)
def test_a_view_that_is_used_up_at_once_shows_no_change(body: str, safe: bool) -> None:
    text = SAVED.format(f"tasks = self.targets.keys()\n            {body}")
    [finding] = reported({"a.py": text}, RULE)
    assert finding.fix is not None and (finding.fix.unsafe is None) == safe


FIELDS = """\
import dataclasses


@dataclasses.dataclass
class Names:
    names: object


print(dataclasses.{function}(Names({{"a": 1}}.keys())))
"""


@pytest.mark.parametrize("function", ["asdict", "astuple"])
def test_a_field_that_is_copied(function: str) -> None:
    files = {"a.py": FIELDS.format(function=function)}
    (finding,) = reported(files, RULE)
    as_deepcopy = {"a.py": "import copy\n" + files["a.py"].replace(f"dataclasses.{function}", "copy.deepcopy")}
    assert [finding.confidence] == [each.confidence for each in reported(as_deepcopy, RULE)]
    assert finding.trace[-1].what == f"`dataclasses.{function}` copies what the fields hold by `copy.deepcopy`"
    assert 'Names(list({"a": 1}.keys()))' in migrated(files, RULE)["a.py"]


def test_fields_that_are_only_listed() -> None:
    assert all(not each.trace for each in reported({"a.py": FIELDS.format(function="fields")}, RULE))


ASSERTED = """\
from torch.utils.data import DataLoader, Dataset


class Words(Dataset):
    def __init__(self, table):
        self.names = table.keys()

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        {test}
        return index


DataLoader(Words({{"a": 1}}), num_workers=2)
"""


@each_row(
    ("test", "fixed"),
    [
        ("assert isinstance(self.names, list)", True),
        ("assert isinstance(self.names, (list, tuple)), 'names'", True),
        ("assert isinstance(self.names, set)", False),
        ("assert not isinstance(self.names, list)", False),
        ("try:\n            assert isinstance(self.names, list)\n        except Exception:\n            pass", False),
        ("print(isinstance(self.names, list))", False),
    ],
)
def test_a_list_is_what_the_program_asserts(test: str, fixed: bool) -> None:
    changed = migrated({"a.py": ASSERTED.format(test=test)}, "dict-views")
    assert bool(changed) is fixed


BUILD = """\
def build(rows):
    table = {make}
    for row in rows:
        table.setdefault(row, []).append(1)
    {more}
    return table
"""


@each_row(
    ("make", "more", "after", "change"),
    [
        pytest.param("{}", "pass", "pass", "", id="filled before it is returned"),
        pytest.param("dict()", "pass", "pass", "", id="the same, of a call"),
        pytest.param("TABLE", "pass", "pass", "calls `.setdefault()`", id="one for all calls"),
        pytest.param(
            "{}", "global kept\n    kept = table", "kept['a'] = 1", "sets an item", id="kept, and changed later"
        ),
    ],
)
def test_a_dict_that_a_function_fills(make: str, more: str, after: str, change: str) -> None:
    function = "TABLE = {}\n" + BUILD.format(make=make, more=more)
    said = unsafe(f"self.n = build(d).keys()\nself.m = build(d)\n{after}", function)
    assert change in said and bool(said) == bool(change)


WORDS = """\
WORDS = {{"a": 1}}


class Names:
    def __init__(self, words={default}, other=None):
        {local}
        self.names = words.keys()
"""
MORE_WORDS = "from words import WORDS\n\nWORDS['b'] = 2\n"
MAKES = """\
import pickle
from words import WORDS, Names
{early}

def main():
    names = Names()
    {late}
    pickle.dumps(names)


main()
"""


@each_row(
    ("parts", "change"),
    [
        pytest.param({"late": "import more"}, True, id="by an import"),
        pytest.param({"late": "import more", "local": "words = WORDS"}, True, id="whatever is given"),
        pytest.param({"late": "import more", "default": "None", "local": "words = words or WORDS"}, True, id="or"),
        pytest.param({"late": "WORDS['b'] = 2"}, True, id="by a statement"),
        pytest.param({"early": "import more\n"}, False, id="by an import before"),
        pytest.param({"early": "import more\n", "late": "import more"}, False, id="by an import twice"),
        pytest.param({"late": "print(WORDS['a'])"}, False, id="only read"),
        pytest.param({"late": "import more", "default": "{}"}, False, id="another default"),
        pytest.param({"late": "import more", "default": "{}, more=WORDS"}, False, id="of another parameter"),
    ],
)
def test_a_table_that_is_the_default_of_a_parameter(parts: dict[str, str], change: bool) -> None:
    parts = {"default": "WORDS", "local": "self.other = other", "early": "", "late": "pass"} | parts
    files = {"words.py": WORDS.format(**parts), "more.py": MORE_WORDS, "a.py": MAKES.format(**parts)}
    (finding,) = reported(files, RULE)
    assert finding.fix is not None
    assert ("sets an item of the dict after the view is taken" in (finding.fix.unsafe or "")) is change
