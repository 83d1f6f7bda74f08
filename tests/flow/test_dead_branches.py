"""Branches that no call of their function takes: what is made or sent there gets nowhere."""

from __future__ import annotations

import ast
import textwrap

from test_flow import crossings

from codemods.engine.migrate import check
from codemods.finding import Confidence
from codemods.flow.facts.collector import facts_of
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

ROWS = """\
from torch.utils.data import DataLoader


class Rows:
    def __init__(self, change=None):
        self.change = change

    def __len__(self):
        return 4

    def __getitem__(self, at):
        return at


class Change:
    def __init__(self):
        self.how = lambda row: row
"""
LOAD = """
def load(mode="train", *others, **more):
    {first}
    change = None
    {test}:
        change = lambda row: row
    return DataLoader(Rows(change), num_workers=2)

{calls}
"""
KEPT = """
class Loads:
    {before}

    def __init__(self, mode="train"):
        self.mode = mode
        {first}

    def load(self):
        change = lambda row: row
        {test}:
            change = None
        return DataLoader(Rows(change), num_workers=2)

{calls}
"""


def sure(text: str, **others: str) -> bool:
    """The lambda of a program is seen to cross."""
    found = crossings({"train.py": ROWS + text, **{f"{name}.py": other for name, other in others.items()}})
    named = [each for each in found if each.path == "train.py" and each.line > 12]
    return any(each.confidence is not Confidence.POSSIBLE for each in named)


@each_row(
    ("test", "calls", "crosses"),
    [
        ("if mode == 'test'", "load('train')", False),
        ("if mode == 'test'", "load()", False),
        ("if mode == 'test'", "load(mode='valid')\nload('train')", False),
        ("if mode == 'test'", "load('train')\nload('test')", True),
        ("if mode == 'test'", "load('train')\nload(name)", True),
        ("if mode == 'test'", "load(*names)", True),
        ("if mode == 'test'", "load(**names)", True),
        ("if mode == 'test'", "load('train', 1, a=2)", False),
        ("if mode == 'test'", "print(1)", True),  # who calls it is not seen
        ("if mode != 'train'", "load('train')", False),
        ("if mode in ('test', 'valid')", "load()", False),
        ("if mode in ('test', name)", "load()", True),
        ("if mode not in ('train',)", "load()", False),
        ("if not mode", "load()", False),
        ("if mode and len(name) > 1", "load('')", False),
        ("if mode or len(name) > 1", "load('')", True),
        ("if not (mode or name)", "load('a')", False),
        ("if mode is None", "load(1)", False),
        ("if mode is not None", "load(None)", False),
        ("if mode is False", "load(True)", False),
        ("if mode is 'test'", "load(1)", True),
        ("if mode > 1", "load(1)", False),
        ("if mode > 1", "load(2)", True),
        ("if mode <= 1", "load(2)\nload(3)", False),
        ("if mode < 1", "load(0.5)", True),
        ("if 1 < mode < 3", "load(0)", True),
        ("if mode == 1", "load(2)\nload(1)", True),
        ("if mode == 'test'", "def run(mode='train', n=1):\n    load(mode)\nrun(n=2)", False),
        ("if mode == 'test'", "def run(mode='train', n=1):\n    load(mode=mode)\nrun('test')", True),
        ("if mode == 'test'", "def run(mode='train'):\n    mode = name or mode\n    load(mode)\nrun()", True),
        ("if mode == 'test'", "WHICH = 'train'\ndef run():\n    load(WHICH)\nrun()", False),
        ("if mode == 'test'", "from multiprocessing import Pool\nload()\nPool(2).map(load, name)", True),
        ("if mode == 'test'", "from functools import partial\nload()\npartial(load, 'test')()", True),
        ("if mode == 'test'", "load()\nany_of(name)(load)", True),
    ],
)
def test_parameters(test: str, calls: str, crosses: bool) -> None:
    assert sure(LOAD.format(first="pass", test=test, calls=calls)) is crosses


@each_row(
    ("first", "crosses"),
    [
        ("pass", False),
        ("mode = input()", True),
        ("for mode in name: pass", True),
        ("def inner():\n        nonlocal mode\n        mode = 'test'", True),
        ("def inner(mode): mode = 2", False),
    ],
)
def test_a_parameter_that_is_bound_anew(first: str, crosses: bool) -> None:
    assert sure(LOAD.format(first=first, test="if mode == 'test'", calls="load()")) is crosses


@each_row(
    ("before", "first", "test", "calls", "crosses"),
    [
        ("", "pass", "if self.mode == 'train'", "Loads().load()", False),
        ("", "pass", "if self.mode == 'train'", "Loads('valid').load()", True),
        ("", "pass", "if self.mode == 'train'", "Loads(name).load()", True),
        ("", "self.mode = name", "if self.mode == 'train'", "Loads().load()", True),
        ("def set(self):\n        self.mode = 'x'\n", "pass", "if self.mode == 'train'", "Loads().load()", True),
        ("mode = 'x'", "pass", "if self.mode == 'train'", "Loads().load()", True),
        ("", "pass", "if self.mode == 'train'", "loads = Loads()\nloads.mode = 'x'\nloads.load()", True),
        ("", "pass", "if self.mode == 'train'", "loads = Loads()\nsetattr(loads, 'mode', 'x')\nloads.load()", True),
        ("", "pass", "if self.mode == 'train'",
         "class Other(Loads):\n  def __init__(self):\n    super().__init__('test')\nOther().load()", True),
        ("", "pass", "if self.mode == 'train'",
         "class Other(Loads):\n  def __init__(self):\n    super().__init__('train')\nOther().load()", False),
        ("", "pass", "if self.which == 'train'", "Loads().load()", True),
    ],
)  # fmt: skip
def test_attributes(before: str, first: str, test: str, calls: str, crosses: bool) -> None:
    """The branch that makes it None is the one that is always taken: the lambda above stays."""
    text = KEPT.format(before=before, first=first, test=f"{test}: pass\n        else", calls=calls)
    text = text.replace("change = lambda row: row\n        if", "change = None\n        if")
    text = text.replace(
        "            change = None\n        return", "            change = lambda row: row\n        return"
    )
    assert sure(text) is crosses


@each_row(
    ("body", "crosses"),
    [
        ("if mode == 'train':\n    return []\nreturn {sent}", False),
        ("if mode == 'test':\n    return []\nreturn {sent}", True),
        ("for _ in 1, 2:\n    if mode == 'train':\n        continue\n    {sent}",
         False),
        ("for _ in 1, 2:\n    if mode == 'train':\n        break\n{sent}", True),
        ("if mode == 'test':\n    pass\nelif mode == 'valid':\n    return {sent}",
         False),
        ("change = None\nif mode == 'test':\n    change = Change()\nreturn {made}", False),
        ("change = None\nif mode == 'train':\n    change = Change()\nreturn {made}", True),
    ],
)  # fmt: skip
def test_blocks(body: str, crosses: bool) -> None:
    made = "DataLoader(Rows(change), num_workers=2)"
    body = body.format(sent=made.replace("change", "lambda row: row"), made=made)
    found = crossings({"train.py": f"{ROWS}\ndef load(mode):\n{textwrap.indent(body, '    ')}\n\nload('train')\n"})
    assert any(each.confidence is Confidence.PROVEN for each in found) is crosses


def test_functions_that_others_call() -> None:
    text = LOAD.format(first="pass", test="if mode == 'test'", calls="load()")
    assert not sure(text)
    for setup in ("setup", "other"):
        assert sure(text, **{setup: "from setuptools import setup\nsetup()\n"}) is (setup == "setup")


@each_row(
    ("test", "call", "starts"),
    [
        ("if mode == 'test'", "run(loader, kind)", False),
        ("if mode == 'train'", "run(loader, kind)", True),
        ("if self.mode == 'test'", "Runs('train').run(loader)", False),
        ("if self.mode == 'test'", "Runs('test').run(loader)", True),
    ],
)
def test_starts_in_such_branches(test: str, call: str, starts: bool) -> None:
    loop = f"    {test}:\n        for row in loader:\n            print(row)\n"
    runs = "class Runs:\n    def __init__(self, mode):\n        self.mode = mode\n\n    def run(self, loader):\n"
    text = runs + textwrap.indent(loop, "    ") if "self" in test else f"def run(loader, mode):\n{loop}"
    text = f"{ROWS}\n{text}\nkind = 'train'\nloader = DataLoader(Rows(), num_workers=2)\n{call}\n"
    found = check(MemoryFiles({"train.py": text.encode()}), Settings()).findings
    assert [each.rule for each in found] == (["main-guard"] if starts else [])


@each_row(("mode", "rules"), [("train", ["main-guard"]), ("test", ["dict-views", "main-guard"])])
def test_views_in_such_branches(mode: str, rules: list[str]) -> None:
    text = (
        "from torch.utils.data import DataLoader, Dataset\n\nclass Table(Dataset):\n    def __init__(self, mode):\n"
        "        table = {'a': 1}\n        self.names = []\n        if mode == 'test':\n"
        "            self.names = table.keys()\n\n    def __getitem__(self, at):\n        return at\n\n"
        f"for row in DataLoader(Table('{mode}'), num_workers=2):\n    print(row)\n"
    )
    found = check(MemoryFiles({"train.py": text.encode()}), Settings()).findings
    assert sorted(each.rule for each in found) == rules


def test_what_is_noted() -> None:
    text = "def f(a, b):\n    if a == 1 and b:\n        pass\n    elif c:\n        return\n    else:\n        pass\n"
    rows = facts_of("a.py", ast.parse(text)).branches
    assert [(row.first, row.last, row.condition.name, row.condition.truth) for row in rows] == [
        (3, 3, "a", True),
        (3, 3, "b", True),
    ]
