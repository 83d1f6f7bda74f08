"""Writes programs that call a maker twice, change things in between, and compare what came out.

    program(random.Random(seed))

Each has one maker of functions or classes, changes between import and call, between two calls and between making and
using, and uses that tell two functions apart.
"""

from __future__ import annotations

import random

HEADER = """\
import functools
import itertools
import threading
import weakref
from dataclasses import dataclass

class config:
    size = 3
    items = [1]

SCALE = 2
TABLE = {}
HOOKS = []
SEEN = []
counter = itertools.count()

def wrapping(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)
    return inner

def counting(function):
    SEEN.append("decorated")
    return function

def mark(function):
    function.label = len(SEEN)
    return function

@functools.lru_cache(None)
def cached(function):
    SEEN.append("ran")
    return len(SEEN)

class Base:
    def __init__(self, n):
        self.n = n

    def plain(self):
        return self.n
"""

# what `make(n)` does; `rows` is a list that its caller changes
MAKERS = [
    "return lambda x: x + 1",
    "return lambda x: x + n",
    "return lambda x, by=n: x + by",
    "return lambda x, by=config.size: x + by",
    "return lambda x, by=config.items[0]: x + by",
    "def step(x):\n        return x * SCALE\n    return step",
    "def step(x):\n        return x * SCALE + n\n    return step",
    "def step(x, *, by=config.size * 2):\n        return x + by + n\n    return step",
    "def step(x, memo={}):\n        memo[x] = len(memo)\n        return dict(memo)\n    return step",
    "def step(x, number=next(counter)):\n        return x, number\n    return step",
    "def step(x):\n        return x, rows[-1], n\n    return step",
    "def step(x):\n        step.calls = getattr(step, 'calls', 0) + 1\n        return x, step.calls\n    return step",
    "@wrapping\n    def step(x):\n        return x + SCALE\n    return step",
    "@counting\n    def step(x):\n        return x + SCALE\n    return step",
    "seen = []\n    def step(x):\n        seen.append(x)\n        return len(seen)\n    return step",
    "def inner(x):\n        return x + n\n    def step(x):\n        return inner(x) * SCALE\n    return step",
    "def step(x):\n        if x > n:\n            raise ValueError(x)\n        return x\n    return step",
    "class Step:\n        def __call__(self, x):\n            return x + SCALE\n    return Step()",
    "class Step:\n        size = config.size\n        def __call__(self, x):\n"
    "            return x + self.size\n    return Step()",
    "class Step:\n        made = 0\n        def __call__(self, x):\n            type(self).made += 1\n"
    "            return x + self.made\n    return Step()",
    "class Step:\n        def __call__(self, x, by=config.size):\n            return x + by\n    return Step()",
    "class Step:\n        def __call__(self, x):\n            return x + n\n    return Step()",
    "class Step:\n        def __init__(self, k=4):\n            self.k = k\n        def __call__(self, x):\n"
    "            return x + self.k + n\n    return Step()",
    "@dataclass\n    class Step:\n        by: int = 3\n        def __call__(self, x):\n            return x + self.by\n"
    "    return Step()",
    "class Stop(ValueError):\n        pass\n    def step(x):\n        try:\n            raise Stop(x)\n"
    "        except Stop as stop:\n            return stop.args, n\n    return step",
    "from math import floor\n    return lambda x: floor(x) + n",
    "box = Base(n)\n    return lambda x: box.n + x",
]
METHODS = [
    "return lambda x: self.n + x",
    "return lambda x: self.plain() + x",
    "def step(x, by=2):\n            return self.n + x + by\n        return step",
    "return lambda x, by=config.size: self.n + x + by",
]
CHANGES = [
    "config.size += 4",
    "config.items = [7]",
    "config.items[0] = 9",
    "SCALE = SCALE + 5",
    "rows.append(8)",
    "rows = [11]",
    "box.n = 40",
]
USES = [
    "print(f == g, f is g, f == f)",
    "print(len({f, g}), f in [g], [f, g].index(g))",
    "TABLE[f] = 'f'; TABLE[g] = 'g'; print(sorted(TABLE.values()))",
    "HOOKS[:] = [f, g]; HOOKS.remove(g); print(HOOKS[0] is f, len(HOOKS))",
    "print(len(weakref.WeakSet([f, g])))",
    "f.label = 1; print(getattr(g, 'label', None), f.label)",
    "mark(f); print(hasattr(g, 'label'), f.label)",
    "setattr(f, 'kind', 3); print(hasattr(g, 'kind'), f.kind)",
    "vars(f).update(kind=4); print(f.kind)",
    "print(cached(f), cached(g), cached(f))",
    "print(isinstance(f, type(g)))",
    "print(callable(f), bool(g), hash(f) == hash(f))",
    "print(list(map(f, [1, 2])), [g(x) for x in (3, 4)])",
    "t = threading.Thread(target=lambda: SEEN.append(attempt(f, 6))); t.start(); t.join(); print(SEEN[-1:])",
    "print(attempt(f, 100), attempt(g, 100), attempt(f), attempt(f, 1, 2, 3))",
    "print(sorted([3, 1, 2], key=lambda x: str(f(x))))",
]
ATTEMPT = """
def attempt(function, *args):
    try:
        return function(*args)
    except (ValueError, TypeError) as error:
        return type(error).__name__
"""


def program(choose: random.Random) -> str:
    """One program; equal for equal states of `choose`."""
    in_class = choose.random() < 0.25
    lines = [HEADER, ATTEMPT, "rows = [0, 5]", "box = Base(1)", ""]
    if in_class:
        lines += ["class Box(Base):", "    def make(self, n):", f"        {choose.choice(METHODS)}", ""]
        lines += ["box, other = Box(2), Box(6)", ""]
        made = [f"{name}.make({value})" for name, value in (("box", 1), (choose.choice(["box", "other"]), 2))]
    else:
        lines += ["def make(n):", f"    {choose.choice(MAKERS)}", ""]
        made = [f"make({value})" for value in (1, choose.choice([1, 2]))]
    lines += changes(choose)
    lines += [f"f = {made[0]}", *changes(choose), f"g = {made[1]}", *changes(choose)]
    if choose.random() < 0.3:
        lines.append(f"f, g = g, {made[0]}")
    for _ in range(1 + choose.randrange(3)):
        lines += [choose.choice(USES), *changes(choose)]
    lines += ["print(attempt(f, 1), attempt(g, 2), attempt(f, 3))", "print(SEEN, next(counter))"]
    return "\n".join(lines) + "\n"


def changes(choose: random.Random) -> list[str]:
    """None to two of the changes."""
    return choose.sample(CHANGES, choose.choice([0, 0, 1, 2]))
