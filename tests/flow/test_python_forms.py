"""Every form of statement and expression that a value may pass through, and look-alikes that it does not pass."""

from __future__ import annotations

import sys

import pytest

from harness.each_row import each_row
from harness.marks import crossing, marked

PROGRAM = """\
import asyncio
from multiprocessing import Process

def send(value):
    Process(target=print, args=(value,)).start()

def pair(one, two):
    return one, two

def only(one, two):
    return one

def spread(*rest, **named):
    return rest, named

def each(*rest):
    yield from rest

class Box:
    kept = None
    def __init__(self, value=None):
        self.value = value
    def get(self):
        return self.value
    @property
    def shown(self):
        return self.value
    @classmethod
    def of(cls, value):
        return cls(value)
    @staticmethod
    def same(value):
        return value
    def __enter__(self):
        return self.value
    def __exit__(self, *rest):
        pass
    def __getitem__(self, at):
        return self.value
    def __call__(self, value):
        return value
    def __iter__(self):
        yield self.value

class Plain:
    __slots__ = ("value", "other")

def main(fix, other, flag):
    {body}

main(lambda x: x, 3, True)
"""
ROWS = """\
class Rows:
    def __init__(self):
        self.rows = {}
    def __setitem__(self, at, row):
        if not isinstance(row, int):
            self.rows[at] = row
    def __getitem__(self, at):
        log = getattr(self, str(at), None)
        return self.rows[at]
    def put(self, at, row):
        self.rows[at] = row
    def renamed(self, at, row):
        if row:
            at = "b"
        self.rows[at] = row
    def shown(self, at, row):
        self.last = row
        self.rows[at] = row
    def get(self, at):
        return self.rows[at]
rows = Rows()
"""
PASSES = [
    "send(fix)",
    "send(value=fix)",
    "send(*[fix])",
    "send(**{'value': fix})",
    "name = fix\nsend(name)",
    "first = second = fix\nsend(first)",
    "name: object = fix\nsend(name)",
    "first, second = other, fix\nsend(second)",
    "[first, second] = [fix, other]\nsend(first)",
    "first, (second, third) = other, (other, fix)\nsend(third)",
    "first, *rest = other, fix\nsend(rest)",
    "first, *rest = pair(other, fix)\nsend(rest)",
    "if (name := fix):\n    send(name)",
    "send([name := fix])",
    "send([(name := fix) for _ in 'a'])\nsend(name)",
    "[name := fix for _ in 'a']\nsend(name)",
    "send(fix if flag else other)",
    "send(other if flag else fix)",
    "send(other or fix)",
    "send(fix and fix)",
    "send([fix, other])",
    "send((other, fix))",
    "send({fix})",
    "send({'a': fix})",
    "send({fix: 1})",
    "rows = {}\nrows.setdefault(fix, []).append(1)\nsend(rows)",
    "send({**{'a': fix}})",
    "send([*[fix]])",
    "send((*(fix, other), 1))",
    "send([name for name in [fix]])",
    "send({name for name in [fix]})",
    "send({1: name for name in [fix]})",
    "send([name for row in [[fix]] for name in row])",
    "send([name for name in [fix] if name])",
    "send(list(name for name in [fix]))",
    "send([fix][0])",
    "send({'a': fix}['a'])",
    "send([other, fix][1:])",
    "rows = []\nrows.append(fix)\nsend(rows)",
    "rows = [other]\nrows[0] = fix\nsend(rows)",
    "rows = {}\nrows['a'] = fix\nsend(rows['a'])",
    "rows = []\nrows += [fix]\nsend(rows)",
    "rows = [] + [fix]\nsend(rows)",
    "rows = {'a': 1} | {'b': fix}\nsend(rows)",
    "for name in [fix]:\n    send(name)",
    "for at, name in enumerate([fix]):\n    send(name)",
    "for first, second in [(other, fix)]:\n    send(second)",
    "for name in [other]:\n    pass\nelse:\n    send(fix)",
    "while flag:\n    send(fix)",
    "while flag:\n    flag = False\nelse:\n    send(fix)",
    "if flag:\n    name = fix\nelse:\n    name = other\nsend(name)",
    "if flag:\n    pass\nelif other:\n    send(fix)",
    "try:\n    send(fix)\nexcept OSError:\n    pass",
    "try:\n    pass\nexcept OSError:\n    send(fix)",
    "try:\n    pass\nexcept OSError as error:\n    pass\nelse:\n    send(fix)",
    "try:\n    pass\nfinally:\n    send(fix)",
    "with Box(fix) as name:\n    send(name)",
    "with open('a') as file, Box(fix) as name:\n    send(name)",
    "with open('a'):\n    send(fix)",
    "match fix:\n    case name:\n        send(name)",
    "match [fix, other]:\n    case [name, _]:\n        send(name)",
    "match [fix, other]:\n    case [*rest]:\n        send(rest)",
    "match {'a': fix}:\n    case {'a': name}:\n        send(name)",
    "match other:\n    case 1 | 2:\n        pass\n    case _ if flag:\n        send(fix)",
    "match fix:\n    case object() as name:\n        send(name)",
    "def inner():\n    yield fix\nsend(next(inner()))",
    "def inner():\n    yield from [fix]\nsend(list(inner()))",
    "send(next(each(other, fix)))",
    "async def inner():\n    send(fix)\nasyncio.run(inner())",
    "global kept\nkept = fix\nsend(kept)",
    "send(only(fix, other))",
    "send(only(two=other, one=fix))",
    "send(pair(other, fix)[1])",
    "send(spread(fix))",
    "send(spread(a=fix)[1]['a'])",
    "send(Box(fix).value)",
    "send(Box(fix).get())",
    "send(Box(fix).shown)",
    "send(Box.of(fix).value)",
    "send(Box.same(fix))",
    "send(Box(fix)[0])",
    "send(Box()(fix))",
    "send(list(Box(fix)))",
    "send(getattr(Box(fix), 'value'))",
    "box = Box()\nbox.value = fix\nsend(box)",
    "box = Box()\nsetattr(box, 'value', fix)\nsend(box)",
    "plain = Plain()\nplain.value = fix\nsend(plain)",
    "class Inner:\n    kept = fix\nsend(Inner.kept)",
    "name = fix\ndel other\nsend(name)",
    "assert fix\nsend(fix)",
    "import functools\nsend(functools.partial(fix, 1))",
    "import copy\nsend(copy.copy(fix))",
    "import copy\nsend(copy.copy(Box(fix)).value)",
    "import copy\nsend(copy.deepcopy(Box(fix)))",
    "send(list(reversed([fix])))",
    "send(dict(a=fix))",
    "send(list(zip([fix], 'a')))",
    "def inner():\n    return fix\nsend(inner())",
    "*rest, last = other, fix\nsend(last)",
    "first, *rest, last = other, fix, other\nsend(rest[0])",
    "first, *rest = fix, other\nsend(first)",
    "match [other, fix]:\n    case [_, name]:\n        send(name)",
    "match {'a': other, 'b': fix}:\n    case {'a': _, **rest}:\n        send(rest)",
    "match {'a': {'b': fix}}:\n    case {'a': {'b': name}}:\n        send(name)",
    "match [other, fix]:\n    case [_, *rest]:\n        send(rest)",
    "match [other, fix]:\n    case [_, (int() | object()) as name]:\n        send(name)",
    "match fix:\n    case (int() as name) | name:\n        send(name)",
    "match Box(fix):\n    case Box(name):\n        send(name)",
    "send([rest for first, *rest in [(other, fix)]])",
    "send([name for _, (name, *_) in [(other, (fix, other))]])",
    "box = Box()\n[1 for box.value in [fix]]\nsend(box.value)",
    "rows = {}\n[1 for rows['a'] in [fix]]\nsend(rows)",
    "made = lambda: (yield fix)\nsend(list(made()))",
    "def made():\n    yield\n    yield fix\nsend(list(made()))",
    "try:\n    name = other\nexcept OSError:\n    name = fix\nsend(name)",
    "try:\n    pass\nexcept OSError:\n    pass\nelse:\n    send(fix)",
    "async def inner():\n    async with fix as name:\n        send(fix)\nasyncio.run(inner())",
    "match Box(fix):\n    case Box(value=name) | name:\n        send(name)",
    "send(max([fix], key=id))",
    "send(min(fix, other, key=id))",
    "Box.kept = fix\nsend(Box.kept)",
    "class Row:\n    @classmethod\n    def set_up(cls):\n        cls.last = fix\nRow.set_up()\nsend(Row.last)",
    "class Row:\n    def __init_subclass__(cls):\n        cls.last = fix\nclass Own(Row):\n    pass\nsend(Own.last)",
    "class Row:\n    @staticmethod\n    def set_up(row):\n        row.last = fix\nRow.set_up(Row)\nsend(Row.last)",
    "name = None\ndef inner():\n    nonlocal name\n    name = fix\ninner()\nsend(name)",
    "def inner():\n    nonlocal name\n    name = fix\nname = None\ninner()\nsend(name)",
    "def inner():\n    nonlocal name\n    name = fix\nname = len\ninner()\nsend(name)",
    "name = None\ndef outer():\n    def inner():\n        nonlocal name\n        name = fix\n    inner()\n"
    "outer()\nsend(name)",
    "name = None\ndef outer():\n    nonlocal name\n    def inner():\n        nonlocal name\n        name = fix\n"
    "    inner()\nouter()\nsend(name)",
    "from torch.utils.data import DataLoader\ncount = 0\ndef inner():\n    nonlocal count\n    count = 2\ninner()\n"
    "DataLoader([], num_workers=count, collate_fn=fix)",
    "class Rows:\n    def __setitem__(self, at, row):\n        self.row = row\n    def __getitem__(self, at):\n"
    "        return self.row\nrows = Rows()\nrows['a'] = fix\nsend(rows['a'])",
    "def inner():\n    return\n    yield\nsend(inner())",
    ROWS + "rows['a'] = fix\nsend(rows['a'])",
    ROWS + "rows['a'] = fix\nsend(rows[flag])",
    ROWS + "rows[flag] = fix\nsend(rows['a'])",
    ROWS + "rows.put('a', fix)\nsend(rows['a'])",
    ROWS + "rows.__setitem__('a', fix)\nsend(rows)",
    ROWS + "rows.renamed('a', fix)\nsend(rows.get('b'))",
    ROWS + "rows.shown('a', fix)\nsend(rows.get('a'))",
    ROWS + "rows.rows = {'a': fix}\nsend(rows['a'])",
    ROWS + "rows['a'] = [fix]\nsend(rows['a'][0])",
    "from typing import Generic\nclass Pipe(Generic):\n    def __init__(self, fn):\n        self.fn = fn\n"
    "send(Pipe[int](fix))",
    "from typing import Generic\nclass Pipe(Generic):\n    def __init__(self, fn):\n        self.fn = fn\n"
    "Ints = Pipe[int]\nsend(Ints(fix))",
    "from torch.utils.data import DataLoader\nDataLoader[int]([], num_workers=2, collate_fn=fix)",
    "class Row:\n    def __setattr__(self, name, value):\n        send(value)\nRow().value = fix",
]  # fmt: skip
STAYS = [
    "class Row:\n    def __setattr__(self, name, value):\n        send(name)\nRow().value = fix",
    "class Row:\n    def __setattr__(self, name, value):\n        send(value)\nother.value = fix",
    "import enum\nclass Kind(enum.Enum):\n    A = 1\n    def __init__(self, fn):\n        self.fn = fn\n"
    "send(Kind[other](fix))",
    "Box.last = fix\nsend(Box())",
    "name = fix\ndef inner():\n    nonlocal name\n    print(name)\nname = other\nsend(other)",
    "def outer():\n    name = None\n    def inner():\n        nonlocal name\n        name = fix\n    inner()\n"
    "name = other\nouter()\nsend(name)",
    "send(other)",
    "send(fix(1))",
    "send(not fix)",
    "send(fix is other)",
    "send(f'{fix}')",
    "send(str(fix))",
    "send(len([fix]))",
    "send(only(other, fix))",
    "send(only(one=other, two=fix))",
    "send({'a': fix, 'b': other}['b'])",
    "send(pair(fix, other)[1])",
    "first, second = fix, other\nsend(second)",
    "name = fix\nname = other\nsend(name)",
    "name = fix\ndel name",
    "for name in [other]:\n    send(name)",
    "for at, name in enumerate([fix]):\n    send(at)",
    "send([other for name in [fix]])",
    "send([name for name in [other] if fix])",
    "def inner():\n    return fix\nsend(other)",
    "def inner(name=fix):\n    return name\nsend(inner(other))",
    "def inner():\n    return other\n    return fix\nsend(inner())",
    "inner = lambda: other\nsend(inner())",
    "send(Box(other).value)",
    "match Box(fix):\n    case Box(kept=name):\n        send(name)",
    "box, more = Box(other), Box(fix)\nsend(other)",
    "plain = Plain()\nplain.other = fix\nsend(plain.value)",
    "try:\n    pass\nexcept OSError as error:\n    send(str(error))",
    "return\nsend(fix)",
    "raise OSError\nsend(fix)",
    "for _ in 'ab':\n    continue\n    send(fix)",
    "while flag:\n    break\n    send(fix)",
    "first, *rest = fix, other\nsend(rest)",
    "*rest, last = fix, other\nsend(last)",
    "match [fix, other]:\n    case [_, name]:\n        send(name)",
    "match {'a': fix, 'b': other}:\n    case {'b': name}:\n        send(name)",
    "send(max([other], key=fix))",
    "for name in filter(fix, [other]):\n    send(name)",
    "send(list(map(fix, [other])))",
    "rows = filter(fix, [other])\nif isinstance(rows, int):\n    rows = [rows]\nelse:\n    rows = list(rows)\n"
    "send(rows)",
    ROWS + "rows['a'] = fix\nsend(rows['b'])",
    ROWS + "rows[0] = fix\nrows[1] = other\nsend(rows[1])",
    ROWS + "rows.put('a', fix)\nsend(rows.get('b'))",
    ROWS + "rows['a'] = fix\nsend(rows.get('b'))",
    "class Rows:\n    def make(self):\n        return fix\n    size = property(make)\n    def __getitem__(self, at):\n"
    "        return getattr(self, at)\nsend(Rows()['other'])",
]


if sys.version_info >= (3, 11):
    PASSES += [
        "try:\n    name = other\nexcept* OSError:\n    name = fix\nsend(name)",
        "try:\n    pass\nexcept* OSError:\n    pass\nelse:\n    send(fix)",
    ]


@each_row("body", PASSES)
def test_what_a_value_passes_through(body: str) -> None:
    assert crossing({"a.py": PROGRAM.replace("{body}", body.replace("\n", "\n    "))})


@each_row("body", STAYS)
def test_what_it_does_not_pass(body: str) -> None:
    found = crossing({"a.py": PROGRAM.replace("{body}", body.replace("\n", "\n    "))})
    assert {each for each in found if each[2] != "possible"} == set()


@pytest.mark.parametrize(
    "made",
    [
        "Row = namedtuple('Row', 'a b')\n    send(Row(1, 2)._replace(a=2))",
        "Row = namedtuple('Row', 'a b')\n    send(Row._make([1, 2]))",
        "class Row(NamedTuple):\n        a: int\n    send(Row(1)._replace(a=2))",
    ],
)
def test_another_tuple_is_of_the_same_class(made: str) -> None:
    head = "from collections import namedtuple\nfrom typing import NamedTuple\n"
    found = crossing({"a.py": head + PROGRAM.replace("{body}", made)})
    assert [each[2] for each in found] == ["proven"]


@pytest.mark.parametrize(
    "body",
    [
        "class Slot:\n    def __set__(self, row, given):\n        send(given)\nclass Row:\n"
        "    slot = Slot()\nRow().slot = fix",
        "class Row:\n    @property\n    def slot(self):\n        return 1\n    @slot.setter\n"
        "    def slot(self, given):\n        send(given)\nRow().slot = fix",
    ],
)
def test_what_a_setter_gets(body: str) -> None:
    found = crossing({"a.py": PROGRAM.replace("{body}", body.replace("\n", "\n    "))})
    assert {each[2] for each in found} == {"proven"}


@pytest.mark.parametrize(("sent", "found"), [("Job().step", True), ("Job.step", False), ("Job.step.fget", False)])
def test_a_property_of_the_class_gives_itself(sent: str, found: bool) -> None:
    mark = "  # proven" * found
    job = f"class Job:\n    @property\n    def step(self):\n        return lambda x: x{mark}\n"
    files = {"a.py": f"from multiprocessing import Pool\n\n{job}\nPool().map({sent}, [1])\n"}
    assert crossing(files) == marked(files)
