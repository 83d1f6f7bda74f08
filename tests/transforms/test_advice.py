"""What is said where nothing is rewritten: the obstacle that is left when others are mended, and what may be done."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

LAMBDAS, ATTRIBUTES = "lambdas", "unpicklable-attributes"
PROCESS = """\
import argparse, contextvars, functools, inspect, itertools, threading
import multiprocessing as mp
from collections import namedtuple
from torch.utils.data import DataLoader, Dataset

{body}

if __name__ == "__main__":
    for each in [{sent}]:
        mp.Process(target=print, args=(each,)).start()
"""

COUNTED = """\
def build(size):
    class Env:
        seen = []
        episodes = 0
        def __init__(self, seed):
            self.seen.append(seed)
            type(self).episodes += size
    return Env
"""
NEEDED = """\
def build(bad):
    class Skip(Exception):
        count = 0
        def __init__(self):
            type(self).count += 1
    class Rows:
        def __getitem__(self, i):
            raise Skip()
    return Rows()
"""
META = """\
class Meta(type):
    made = []
    def __new__(mcs, name, bases, body):
        mcs.made.append(name)
        return super().__new__(mcs, name, bases, body)
class Metric(metaclass=Meta):
    pass
def build(weight):
    class Weighted(Metric):
        pass
    Weighted.weight = weight
    return Weighted()
"""
SHOWN = """\
class Stage:
    def __init__(self, fn):
        self.fn = fn
        self.text = fn.__doc__
        self.plain = inspect.isfunction(fn)
def build(power):
    def raised(x):
        return x ** power
    return Stage(raised)
"""
TABLE = """\
def build(line):
    Row = namedtuple("Row", line.split(","))
    return Row(1, 2)
"""
LOADER = """\
class Padded(DataLoader):
    def __init__(self, rows):
        super().__init__(rows, collate_fn=lambda batch: self.stack(batch), num_workers=2)
    def stack(self, batch):
        return batch
def build(rows):
    return len(list(Padded(rows)))
"""
PARSER = """\
class Run:
    def __init__(self):
        self.parser = argparse.ArgumentParser()
    {more}
def build(n):
    return Run()
"""
READ = "def args(self, words):\n        return self.parser.parse_args(words)"
CONTEXT = """\
CURRENT = contextvars.ContextVar("current")
class Run:
    def __init__(self):
        self.context = CURRENT
def build(n):
    return Run()
"""
JOURNAL = """\
class Run:
    def __init__(self):
        self.out = open("log", "w")
def build(n):
    run = Run()
    run.out.close()
    return run
"""
SQUARES = """\
class Run:
    def __init__(self):
        self.counter = {counter}
        self.squares = (i * i for i in self.counter)
    def walk(self):
        return sum(self.squares)
def build(n):
    {taken}
    return Run()
"""
LOCAL = """\
class Run:
    def __init__(self):
        self.local = threading.local()
        self.local.items = [1]
def build(n):
    Run().local.items.append(3)
    return Run()
"""


ROWS = """\
SIZE = 1
def set_size(key, value):
    global SIZE
    if key == 'size':
        SIZE = value
def build(n):
    class Rows:
        size = SIZE + n
        def __len__(self):
            return self.size
    return Rows()
"""


@each_row(
    ("rule", "body", "said"),
    [
        (LAMBDAS, COUNTED.replace("return Env", "return Env(1)"), "makes a class `Env` of its own, and it is given"),
        (LAMBDAS, NEEDED, "makes a class `Skip` of its own"),
        (LAMBDAS, META, "has a metaclass Meta, which would see it on import"),
        (LAMBDAS, META, "Besides, `Weighted.weight` is set (line 16), which a worker does not see"),
        (LAMBDAS, SHOWN, "`inspect.isfunction` looks at it (line 10)"),
        (LAMBDAS, TABLE, "it is made from `line.split(',')`, which is known only when the program runs"),
        (
            LAMBDAS,
            TABLE.replace('line.split(",")', '"a b"').replace('"Row"', "line"),
            "make it at the top of the module",
        ),
        (LAMBDAS, LOADER, "`self` along, which is a DataLoader. And it uses the method `stack` (line 9)"),
        (ATTRIBUTES, PARSER.format(more=""), "keep what `parse_args` returns, and leave the parser out"),
        (ATTRIBUTES, PARSER.format(more=READ), "`args` reads it (line 10): make the parser anew there"),
        (ATTRIBUTES, CONTEXT, "leave it out of the object, and use `CURRENT` of the module"),
        (ATTRIBUTES, CONTEXT.replace("= CURRENT", '= contextvars.ContextVar("a")'), "make it at module level"),
        (ATTRIBUTES, JOURNAL, "it is open for writing (`w`)"),
        (ATTRIBUTES, JOURNAL.replace('"w"', '"r"'), "closes it"),
        (ATTRIBUTES, SQUARES.format(counter="itertools.count()", taken="pass"), "it may never end"),
        (ATTRIBUTES, SQUARES.format(counter="[1, 2]", taken="next(Run().squares)"), "takes one item with `next`"),
        (ATTRIBUTES, LOCAL, "keep that on the object itself"),
    ],
)
def test_what_is_said(rule: str, body: str, said: str) -> None:
    text = PROCESS.format(body=body, sent="build(3), build(4)")
    told = reasons({"a.py": text}, rule)
    assert any(said in reason for reason in told), told


def test_what_another_class_takes_with_next_is_another_attribute() -> None:
    text = PROCESS.format(body=SQUARES.format(counter="[1, 2]", taken="pass"), sent="build(3), build(4)")
    other = "class Shop:\n    def __init__(self, rows):\n        self.squares = iter(rows)\n\n"
    other += "    def one(self):\n        return next(self.squares)\n"
    assert "[i * i for i in" in migrated({"a.py": text, "b.py": other}, ATTRIBUTES, unsafe_fixes=True)["a.py"]


def test_a_text_that_only_looks_like_an_attribute_asks_for_none() -> None:
    text = PROCESS.format(body=ROWS, sent="build(3), build(4)")
    assert "return Rows(SIZE + n)" in migrated({"a.py": text}, "lambdas")["a.py"]
    by_name = text.replace("key == 'size'", "hasattr(key, 'size')")
    (reason,) = reasons({"a.py": by_name}, "lambdas")
    assert "`size` may be asked for by name (line 9)" in reason


@pytest.mark.parametrize(
    "asks",
    ["read(type(rows), 'size')", "ask = getattr\n    [ask(type(rows), key) for key in rows if key == 'size']",
     "list(map(getattr, [type(rows)], ['size']))"],
)  # fmt: skip
def test_a_text_that_other_code_may_ask_the_class_for(asks: str) -> None:
    text = PROCESS.format(body=ROWS, sent="build(3), build(4)")
    files = {"b.py": "def read(owner, name):\n    return getattr(owner, name)\n"}
    (reason,) = reasons({"a.py": f"from b import read\n{text}\n\ndef show(rows):\n    {asks}\n", **files}, "lambdas")
    assert "`size` may be asked for by name" in reason


@each_row(
    ("test", "moves"),
    [
        ('"missing" in str(error)', True),
        ('"missing" not in repr(error)', True),
        ('"reward" in str(error)', False),
        ('"build" in str(error)', False),
        ('"given" in str(error)', False),
        ('"build.<locals>" in str(error)', False),
        ("str(error)", False),
    ],
)
def test_an_error_that_is_searched_for_a_word_shows_no_name(test: str, moves: bool) -> None:
    body = f"""\
def build(weight):
    def reward(x):
        return x * weight
    return reward

given_weights = 3

def safe(fn):
    try:
        return fn(1, 2)
    except TypeError as error:
        return bool({test})

safe(build(1))
"""
    text = PROCESS.format(body=body, sent="build(3)")
    assert bool(migrated({"a.py": text}, "lambdas")) is moves


KEPT = """\
from torch.utils.data import DataLoader, Dataset
from torch import nn

class Source(Dataset):
    def __init__(self):
        self.net = nn.Linear(1, 1)
        self.steps = []

    def add(self, n):
        def step(i):
            return self.net(i)
        {keep}

    def __getitem__(self, i):
        return self.steps[0](i)

    def __len__(self):
        return 3

if __name__ == "__main__":
    source = Source()
    source.add(3)
    for row in DataLoader(source, num_workers=2):
        print(row)
"""


@each_row(
    "keep", ["self.steps.append(step)", "self.steps.insert(0, step)", "self.steps = [step]", "self.steps[0] = step"]
)
def test_what_is_put_in_a_list_of_the_object_that_crosses_may_be_its_method(keep: str) -> None:
    after = migrated({"a.py": KEPT.format(keep=keep)}, "lambdas")["a.py"]
    assert "    def _add_step(self, i):" in after or "    def _step(self, i):" in after, after
