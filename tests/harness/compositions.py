"""Puts small programs together at random: a pattern of `patterns/`, changes of what it reads, uses of what it makes.

    composed(random.Random(seed)).text

A pattern is one way to make something that pickle can't name or can't take along: `make(n)` gives something that is
called with a number. The program makes two or three of them, interleaved with changes, tells them apart, copies and
pickles them, calls them from threads, and gives them to other processes. `smaller` are the programs with one step less.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

HEAD = """\
import concurrent.futures
import copy
import enum
import functools
import io
import itertools
import logging
import multiprocessing
import pickle
import queue
import sqlite3
import threading
import weakref
from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

PATH, DB = "rows.txt", "rows.db"
SCALE = 2
TABLE = {}
TABLES = {"width": 10}
HOOKS = []
SEEN = []
rows = [0, 5]
counter = itertools.count()

class config:
    size = 3
    items = [1]

class Base:
    def value(self):
        return 100

class Other:
    def value(self):
        return 200

"""
# `trip` spells `dumps` in a way that the tool does not know: a round trip that is tried is a reason to refuse.
SUPPORT = """
def attempt(function, *args, **more):
    try:
        return function(*args, **more)
    except (ValueError, TypeError, AttributeError, IndexError, KeyError, StopIteration, ImportError) as error:
        return type(error).__name__

def mark(function, label):
    try:
        function.label = label
    except AttributeError:
        pass
    return function

@functools.lru_cache(None)
def cached(function):
    SEEN.append("ran")
    return len(SEEN)

def trip(value):
    written = io.BytesIO()
    try:
        pickle.Pickler(written).dump(value)
        return pickle.loads(written.getvalue())
    except (TypeError, AttributeError, pickle.PicklingError):
        return value

def work(f, x):
    print("work", attempt(f, x), attempt(f, x + 1), getattr(f, "label", None))

def work_with_two(f, g):
    print("two", f is g, attempt(f, 1), attempt(g, 2), attempt(f, 3))

def work_with_list(functions):
    print("list", [attempt(f, 5) for f in functions], len({id(f) for f in functions}))

def work_with_threads(f):
    found = []
    for x in (1, 2):
        thread = threading.Thread(target=lambda: found.append(attempt(f, x)))
        thread.start()
        thread.join()
    print("threads", found)

def work_with_holder(holder):
    print("holder", attempt(holder.f, 4), holder.number)

def work_with_dict(table):
    print("dict", {name: attempt(f, 2) for name, f in sorted(table.items())})

class Holder:
    number = 1
    def __init__(self, f):
        self.f = f

def cross(target, *args):
    process = multiprocessing.Process(target=target, args=args)
    process.start()
    process.join()
    print("ended", process.exitcode)

def files():
    with open(PATH, "w") as file:
        file.write("one\\ntwo\\nthree\\nfour\\nfive\\nsix\\nseven\\n")
    db = sqlite3.connect(DB)
    db.execute("create table if not exists t (a)")
    db.execute("insert into t values (1)")
    db.commit()
    db.close()

"""
# Crossings are written out, so that what crosses can be seen without following `cross`.
CROSS = """\
process = multiprocessing.Process(target={target}, args=({args},))
process.start()
process.join()
print("ended", process.exitcode)
"""
CHANGES = {
    "config.size += 4": "",
    "config.items = [7]": "",
    "config.items[0] = 9": "",
    "SCALE = SCALE + 5": "SCALE",
    "rows.append(8)": "rows",
    "rows = [11]": "rows",
    "TABLES['width'] += 3": "TABLES",
    "TABLES['x%d' % len(TABLES)] = 3": "TABLES",
}
USES = [
    "print(f == g, f is g, f == f)",
    "print(len({f, g}), f in [g], [f, g].index(g))",
    "TABLE[f] = 'f'; TABLE[g] = 'g'; print(sorted(TABLE.values()))",
    "HOOKS[:] = [f, g]; HOOKS.remove(g); print(HOOKS[0] is f, len(HOOKS))",
    "print(len(weakref.WeakSet([f, g])))",
    "f.label = 1; print(getattr(g, 'label', None), f.label)",
    "mark(f, 'a'); print(getattr(g, 'label', None), getattr(f, 'label', None))",
    "setattr(f, 'kind', 3); print(hasattr(g, 'kind'), f.kind)",
    "vars(f).update(kind=4); print(f.kind)",
    "f.__dict__['label'] = 'b'; print(getattr(g, 'label', None), f.label)",
    "print(cached(f), cached(g), cached(f))",
    "print(isinstance(f, type(g)))",
    "print(type(f) is type(g))",
    "print(callable(f), hash(f) == hash(f))",
    "print([attempt(f, x) for x in (1, 2)], [attempt(g, x) for x in (3, 4)])",
    "print(attempt(f, 1), attempt(g, 1), attempt(f, 2), attempt(g, 2))",
    "print(attempt(f, 100), attempt(g, 100), attempt(f), attempt(f, 1, 2, 3))",
    "print(attempt(f, 1, self=1), attempt(f, 1, n=5), attempt(f, x=3), attempt(f, 1, by=2))",
    "t = threading.Thread(target=lambda: SEEN.append(attempt(f, 6))); t.start(); t.join(); print(SEEN[-1:])",
    "print(attempt(sorted, [3, 1, 2], key=lambda x: str(attempt(f, x))))",
    "own = [1]; print(attempt(f, own), own)",
    "print(attempt(trip(make(1)), 2), attempt(trip(make(2)), 2), attempt(f, 2))",
    "print(attempt(trip(trip(make(2))), 2), attempt(trip([make(1)])[0], 3))",
    "print(attempt(copy.copy(f), 2), attempt(f, 2))",
    "h = Holder(f); print(attempt(h.f, 3), h.f is f)",
    "h = copy.copy(Holder(f)); print(attempt(h.f, 3), h.f is f)",
    "h = Holder(g); h.__dict__['f'] = f; print(attempt(h.f, 3), h.f is f)",
    "f, g = g, f",
    "f = make(2)",
    "g = make(1)",
    "print(SEEN, next(counter))",
]
CROSSINGS = [
    ("work", "f, 3"),
    ("work", "g, 2"),
    ("work_with_two", "f, g"),
    ("work_with_two", "f, f"),
    ("work_with_list", "[f, g, f]"),
    ("work_with_list", "(f, g)"),
    ("work_with_threads", "f"),
    ("work_with_holder", "Holder(f)"),
    ("work_with_dict", "{'f': f, 'g': g}"),
    ("work", "trip(make(1)), 2"),
]


@dataclass(frozen=True)
class Program:
    """One program. `steps` are the statements of `main`; crossings among them are pairs of target and arguments."""

    pattern: str
    makes: str
    steps: tuple[str | tuple[str, str], ...]

    @cached_property
    def text(self) -> str:
        lines = ["files()"]
        for step in self.steps:
            text = step if isinstance(step, str) else CROSS.format(target=step[0], args=step[1])
            lines += text.rstrip("\n").split("\n")
        bound = [name for name in ("SCALE", "rows") if any(re.match(rf"{name} =", line) for line in lines)]
        lines[:0] = [f"global {', '.join(bound)}"] if bound else []
        body = "\n".join("    " + line for line in lines)
        return HEAD + self.makes + "\n" + SUPPORT + f"def main():\n{body}\n\nif __name__ == '__main__':\n    main()\n"

    @property
    def reads_what_it_changed(self) -> bool:
        """A child of its own interpreter would not see the change, whatever the rewrite."""
        changed = {CHANGES[step] for step in self.steps if isinstance(step, str) and CHANGES.get(step)}
        return any(re.search(rf"\b{name}\b", self.makes) for name in changed)

    @property
    def crosses(self) -> bool:
        return any(not isinstance(step, str) for step in self.steps)

    def smaller(self) -> Iterator[Program]:
        """The programs with one step less."""
        for index, step in enumerate(self.steps):
            if not (isinstance(step, str) and re.match(r"[fg] = make\(\d\)$", step) and index < 4):
                yield replace(self, steps=self.steps[:index] + self.steps[index + 1 :])


@cache
def patterns() -> dict[str, str]:
    """The patterns of all files of the folder, by `file: name`."""
    found = {}
    for path in sorted(Path(__file__).with_name("patterns").glob("*.txt")):
        for part in path.read_text(encoding="utf-8").split("=== ")[1:]:
            name, _, text = part.partition("\n")
            assert f"{path.stem}: {name}" not in found, name
            found[f"{path.stem}: {name}"] = text
    return found


def composed(choose: random.Random, only: str | None = None) -> Program:
    """One program; equal for equal states of `choose`."""
    known = patterns()
    pattern = only or choose.choice(sorted(known))
    steps: list[str | tuple[str, str]] = [*_changes(choose), "f = make(1)", *_changes(choose)]
    steps += [f"g = make({choose.choice([1, 2])})", *_changes(choose)]
    for _ in range(2 + choose.randrange(4)):
        steps.append(choose.choice(CROSSINGS) if choose.random() < 0.4 else choose.choice(USES))
        steps += _changes(choose)
    if not any(isinstance(step, tuple) for step in steps):
        steps.append(choose.choice(CROSSINGS))
    steps.append("print(attempt(f, 1), attempt(g, 2), attempt(f, 3), SEEN)")
    return Program(pattern, known[pattern], tuple(steps))


def shrunk(program: Program, differs: Callable[[Program], bool]) -> Program:
    """The smallest program of the same pattern that still differs, by leaving steps out one after the other."""
    while True:
        found = next((less for less in program.smaller() if differs(less)), None)
        if found is None:
            return program
        program = found


def _changes(choose: random.Random) -> list[str]:
    """None to two of the changes."""
    return choose.sample(sorted(CHANGES), choose.choice([0, 0, 0, 1, 2]))
