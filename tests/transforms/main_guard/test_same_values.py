"""What main changes of a module by another expression for it: one program, a variable for each way."""

from __future__ import annotations

import re

from harness.small import reported

TABLE, ROWS, PLAIN, OBJECT, CLASS = (
    "X = {'size': 1}",
    "X = [1]",
    "X = 1",
    "class Options:\n    def __init__(self):\n        self.size = 1\n        self.rows = []\n\n"
    "    def grow(self, by=1):\n        self.size += by\n\n\nX = Options()",
    "class X:\n    size = 1",
)
SETTER, ITERATOR, DRAWS, MAKER, FUNCTION = (
    "X = 1\n\n\ndef set_X(value):\n    global X\n    X = value",
    "X = iter([1, 2, 3])",
    "X = torch.Generator().manual_seed(3)",
    "def make():\n    n = 0\n\n    def step():\n        nonlocal n\n        n += 1\n        return n\n\n"
    "    return step\n\n\nX = make()",
    "def X(value=1):\n    return value\n\n\nX.calls = 0",
)
OF_KEY, OF_OBJECT = "conf.X['size']", "conf.X.size"
CHANGES = [
    (TABLE, OF_KEY, "c = conf\nc.X['size'] = 3"),
    (TABLE, OF_KEY, "for m in (conf,):\n    m.X['size'] = 3"),
    (TABLE, OF_KEY, "mods = {'c': conf}\nmods['c'].X['size'] = 3"),
    (TABLE, OF_KEY, "sys.modules['conf'].X['size'] = 3"),
    (TABLE, OF_KEY, "globals()['conf'].X['size'] = 3"),
    (TABLE, OF_KEY, "importlib.import_module('conf').X['size'] = 3"),
    (TABLE, OF_KEY, "getattr(conf, 'X')['size'] = 3"),
    (TABLE, OF_KEY, "t = getattr(conf, 'X')\nt['size'] = 3"),
    (TABLE, OF_KEY, "vars(conf)['X']['size'] = 3"),
    (TABLE, OF_KEY, "from conf import X as t\nt['size'] = 3"),
    (TABLE, OF_KEY, "operator.setitem(conf.X, 'size', 3)"),
    (TABLE, OF_KEY, "dict.update(conf.X, size=3)"),
    (TABLE, OF_KEY, "mock.patch.dict(conf.X, size=3).start()"),
    (TABLE, OF_KEY, "put = conf.X.__setitem__\nput('size', 3)"),
    (TABLE, OF_KEY, "put = conf.X.update\nput(size=3)"),
    (TABLE, OF_KEY, "(t := conf.X)['size'] = 3"),
    (TABLE, OF_KEY, "t = conf.X if sys.argv else {}\nt['size'] = 3"),
    (TABLE, OF_KEY, "t = conf.X or {}\nt['size'] = 3"),
    (TABLE, OF_KEY, "t = {}\nt = conf.X\nt['size'] = 3"),
    (TABLE, OF_KEY, "t = conf.X\nt |= {'size': 3}"),
    (TABLE, OF_KEY, "first, *rest = [conf.X, 1]\nfirst['size'] = 3"),
    (TABLE, OF_KEY, "for t, v in [(conf.X, 3)]:\n    t['size'] = v"),
    (TABLE, OF_KEY, "for t, v in zip([conf.X], [3]):\n    t['size'] = v"),
    (TABLE, OF_KEY, "for i, t in enumerate([conf.X]):\n    t['size'] = i"),
    (TABLE, OF_KEY, "for key, t in {'a': conf.X}.items():\n    t['size'] = key"),
    (TABLE, OF_KEY, "tables = [conf.X]\nfor t in tables:\n    t['size'] = 3"),
    (TABLE, OF_KEY, "[t.update(size=3) for t in (conf.X,)]"),
    (TABLE, OF_KEY, "Holder(conf.X).put()"),
    (TABLE, OF_KEY, "def fill(t=conf.X):\n    t['size'] = 3\nfill()"),
    (TABLE, OF_KEY, "def fill(t, *, value=conf.X):\n    value['size'] = 3\nfill(1)"),
    (TABLE, OF_KEY, "def give():\n    return conf.X\ngive()['size'] = 3"),
    (TABLE, OF_KEY, "through(through(conf.X))"),
    (ROWS, "conf.X", "add = conf.X.append\nadd(4)"),
    (ROWS, "conf.X", "list.append(conf.X, 4)"),
    (ROWS, "conf.X", "operator.iadd(conf.X, [4])"),
    (PLAIN, "conf.X", "for m in (conf,):\n    m.X = 3"),
    (PLAIN, "conf.X", "for m in [conf]:\n    setattr(m, 'X', 3)"),
    (PLAIN, "conf.X", "sys.modules['conf'].X = 3"),
    (PLAIN, "conf.X", "m = sys.modules['conf']\nm.X = 3"),
    (PLAIN, "conf.X", "globals()['conf'].X = 3"),
    (PLAIN, "conf.X", "d = vars(conf)\nd['X'] = 3"),
    (PLAIN, "conf.X", "def change(m):\n    m.X = 3\nchange(conf)"),
    (PLAIN, "conf.X", "put = functools.partial(setattr, conf, 'X')\nput(3)"),
    (PLAIN, "conf.X", "mock.patch.object(conf, 'X', 3).start()"),
    (OBJECT, OF_OBJECT, "c = conf\nc.X.size = 3"),
    (OBJECT, OF_OBJECT, "step = conf.X.grow\nstep()"),
    (OBJECT, OF_OBJECT, "steps = [conf.X.grow]\nsteps[0]()"),
    (OBJECT, OF_OBJECT, "step = functools.partial(conf.X.grow, 3)\nstep()"),
    (OBJECT, OF_OBJECT, "conf.Options.grow(conf.X)"),
    (OBJECT, OF_OBJECT, "o = conf.X\no.grow()"),
    (OBJECT, OF_OBJECT, "d = vars(conf.X)\nd['size'] = 3"),
    (OBJECT, "conf.X.rows", "o = conf.X\nadd = o.rows.append\nadd(3)"),
    (OBJECT, "conf.X.rows", "add(conf.X.rows)"),
    (SETTER, "conf.X", "f = conf.set_X\nf(3)"),
    (SETTER, "conf.X", "functools.partial(conf.set_X, 3)()"),
    (SETTER, "conf.X", "{'a': conf.set_X}['a'](3)"),
    (SETTER, "conf.X", "list(map(conf.set_X, [3]))"),
    (ITERATOR, "next(conf.X)", "for x in conf.X:\n    break"),
    (ITERATOR, "next(conf.X)", "it = conf.X\nnext(it)"),
    (ITERATOR, "next(conf.X)", "list(zip(conf.X, [1]))"),
    (ITERATOR, "next(conf.X)", "list(itertools.islice(conf.X, 1))"),
    (DRAWS, "torch.rand(1, generator=conf.X)", "torch.rand(1, generator=conf.X)"),
    (DRAWS, "torch.rand(1, generator=conf.X)", "g = conf.X\ntorch.rand(1, generator=g)"),
    (DRAWS, "torch.rand(1, generator=conf.X)", "types.shuffled([1], rng=conf.X)"),
    (DRAWS, "torch.rand(1, generator=conf.X)", "types.shuffled([1], random_state=conf.X)"),
    (MAKER, "conf.X()", "s = conf.X\ns()"),
    (FUNCTION, "conf.X.calls", "f = conf.X\nf.calls = 3"),
    (FUNCTION, "conf.X()", "f = conf.X\nf.__defaults__ = (3,)"),
    (CLASS, "conf.X.size", "k = conf.X\nk.size = 3"),
    (CLASS, "conf.X.size", "type.__setattr__(conf.X, 'size', 3)"),
    (CLASS + "\n\n\nOF_X = X()", "conf.OF_X.size", "type(conf.OF_X).size = 3"),
    (CLASS + "\n\n\nOF_X = X()", "conf.OF_X.size", "conf.OF_X.__class__.size = 3"),
]
LOOK_ALIKES = [
    (TABLE, OF_KEY, "t = dict(conf.X)\nt['size'] = 3"),
    (TABLE, OF_KEY, "t = conf.X.copy()\nt['size'] = 3"),
    (TABLE, OF_KEY, "t = {**conf.X}\nt['size'] = 3"),
    (TABLE, OF_KEY, "first, second = conf.X, {}\nsecond['size'] = 3"),
    (TABLE, OF_KEY, "tables = {'a': conf.X, 'b': {}}\ntables['b']['size'] = 3"),
    (TABLE, OF_KEY, "for v, t in [(conf.X, {})]:\n    t['size'] = v"),
    (TABLE, OF_KEY, "t = conf.X\nt = {}\nt['size'] = 3"),
    (TABLE, OF_KEY, "def fill(t=conf.X):\n    t = {}\n    t['size'] = 3\nfill()"),
    (TABLE, OF_KEY, "print(conf.X.update)"),
    (TABLE, OF_KEY, "operator.getitem(conf.X, 'size')"),
    (TABLE, OF_KEY, "put = conf.X.update\nprint(put)"),
    (PLAIN, "conf.X", "m = types.ModuleType('conf')\nm.X = 3"),
    (PLAIN, "conf.X", "sys.modules['other'].X = 3"),
    (PLAIN, "conf.X", "k = conf.X\nk += 3"),
    (PLAIN, "conf.X", "def change(m):\n    m.X = 3\nchange(types)"),
    (OBJECT, OF_OBJECT, "o = copy.deepcopy(conf.X)\no.grow()"),
    (SETTER, "conf.X", "f = conf.set_X\nprint(f)"),
    (SETTER, "conf.X", "functools.partial(print, conf.set_X)()"),
    (ITERATOR, "next(conf.X)", "print(conf.X)"),
    (DRAWS, "torch.rand(1, generator=conf.X)", "print(conf.X)"),
    (DRAWS, "torch.rand(1, generator=conf.X)", "types.shuffled([1], rows=conf.X)"),
    (MAKER, "conf.X()", "s = conf.X\nprint(s)"),
    (CLASS, "conf.X.size", "k = conf.X()\nk.size = 3"),
]
MAIN = """\
import copy, functools, importlib, itertools, operator, sys, types
from multiprocessing import Pool
from unittest import mock
import torch
import conf


class Holder:
    def __init__(self, table):
        self.table = table

    def put(self):
        self.table["size"] = 3


def through(table):
    table["size"] = 3
    return table


def add(rows):
    rows.append(3)


def work(x):
    return [{reads}]


{functions}


def main():
{calls}
    with Pool(1) as pool:
        print(pool.map(work, [1, 2]))


if __name__ == "__main__":
    main()
"""


def own(text: str, at: int) -> str:
    """The text about a variable of its own."""
    return re.sub(r"\b(OF_X|X|Options|set_X|make)\b", rf"\g<1>{at}", text)


def seen(rows: list[tuple[str, str, str]]) -> set[int]:
    """The rows of which main-guard says that main alone changes what the worker reads."""
    every = [(own(made, at), own(read, at), own(change, at)) for at, (made, read, change) in enumerate(rows)]
    functions = [f"def change{at}():\n    " + row[2].replace("\n", "\n    ") for at, row in enumerate(every)]
    main = MAIN.format(
        reads=", ".join(read for _, read, _ in every),
        functions="\n\n\n".join(functions),
        calls="".join(f"    change{at}()\n" for at, _ in enumerate(every)),
    )
    conf = "import torch\n" + "\n\n\n".join(made for made, _, _ in every)
    found = reported({"conf.py": conf + "\n", "train.py": main}, "main-guard")
    assert all("the main process only" in each.message for each in found), found
    return {int(re.findall(r"X(\d+)", each.message)[0]) for each in found}


def test_changes_by_other_expressions() -> None:
    missed = set(range(len(CHANGES))) - seen(CHANGES)
    assert [CHANGES[at] for at in sorted(missed)] == []


def test_changes_of_something_else() -> None:
    assert [LOOK_ALIKES[at] for at in sorted(seen(LOOK_ALIKES))] == []
