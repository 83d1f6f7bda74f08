"""Flow: what Python's own functions and operators, containers of constants and local enums hand on."""

from __future__ import annotations

from harness.each_row import each_row
from harness.marks import crossing, marked

SENT = """
import enum
import itertools
import random
from dataclasses import dataclass
from multiprocessing import Process


def work(item):
    print(item)


{made}

if __name__ == "__main__":
    {sent}
"""
PIPE = """
class Pipe:
    def __init__(self, steps=()):
        self.steps = [*steps]

    def {method}(self, step):
        return Pipe([*self.steps, step])
"""
PROGRAMS = {
    "next of an iterator": ("fns = iter([lambda x: x])  # proven", "Process(target=work, args=(next(fns),)).start()"),
    "what next gives at the end": (
        "fns = iter([1])",
        "Process(target=work, args=(next(fns, lambda x: x),)).start()  # proven",
    ),
    "a random choice": ("fns = [lambda x: x]  # proven", "Process(target=work, args=(random.choice(fns),)).start()"),
    "a cycle": (
        "fns = itertools.cycle([lambda x: x])  # proven",
        "for n, fn in zip(range(2), fns): Process(target=work, args=(fn,)).start()",
    ),
    "the value of dict.fromkeys": (
        "table = dict.fromkeys('ab', lambda x: x)  # proven", "Process(target=work, args=(table,)).start()"
    ),
    "a list of constants that is filled": (
        "fns = [3]\nfns.append(lambda x: x)  # proven", "Process(target=work, args=fns).start()"
    ),
    "a list of constants that is not": (
        "fns = [3]\nothers = [4]\nothers.append(lambda x: x)", "Process(target=work, args=fns).start()"
    ),
    "object.__setattr__": (
        "class Job:\n    def __init__(self):\n        object.__setattr__(self, 'fn', lambda x: x)  # proven",
        "Process(target=work, args=(Job(),)).start()",
    ),
    "a member of a local enum": (
        "def make():\n    class Phase(enum.Enum):  # proven\n        ONE = 1\n    return Phase.ONE",
        "Process(target=work, args=(make(),)).start()",
    ),
    "a loop over a local enum": (
        "def make():\n    class Phase(enum.IntEnum):  # proven\n        ONE = 1\n    return [phase for phase in Phase]",
        "Process(target=work, args=(make(),)).start()",
    ),
    "a local enum by a name": (
        "def make():\n    class Phase(enum.Enum):  # proven\n        ONE = 1\n    return Phase['ONE']",
        "Process(target=work, args=(make(),)).start()",
    ),
    "a number of a local class": (
        "def make():\n    class Phase:\n        ONE = 1\n    return Phase.ONE",
        "Process(target=work, args=(make(),)).start()",
    ),
    "an enum of the module": (
        "class Phase(enum.Enum):\n    ONE = 1", "Process(target=work, args=(Phase.ONE,)).start()"
    ),
    "the generator of a function": (
        "def rows():\n    yield 1", "Process(target=work, args=(rows(),)).start()  # proven"
    ),
    "what a generator gives": (
        "def rows():\n    yield 1", "for row in rows(): Process(target=work, args=(row,)).start()"
    ),
    "a pipeline by |": (
        PIPE.format(method="__or__"), "Process(target=work, args=(Pipe() | (lambda x: x),)).start()  # proven"
    ),
    "a pipeline by >>=": (
        PIPE.format(method="__rshift__") + "\npipe = Pipe()\npipe >>= lambda x: x  # proven",
        "Process(target=work, args=(pipe,)).start()",
    ),
    "rules by &": (
        PIPE.format(method="__and__"), "Process(target=work, args=(Pipe() & (lambda x: x),)).start()  # proven"
    ),
    "a rule by ~": (
        "class Rule:\n    def __invert__(self):\n        return lambda x: not x  # proven",
        "Process(target=work, args=(~Rule(),)).start()",
    ),
    "another operator": (
        "class Rule:\n    def __invert__(self):\n        return lambda x: not x",
        "Process(target=work, args=(not Rule(),)).start()",
    ),
    "a method by a computed name": (
        "class Steps:\n    def __init__(self, names):\n        self.fns = [getattr(self, name)() for name in names]\n"
        "    def plain(self):\n        return lambda x: x  # likely\n    def _other(self):\n        return 1",
        "Process(target=work, args=(Steps(['plain']),)).start()",
    ),
    "a function of a class by a computed name": (
        "class Steps:\n    plain = staticmethod(lambda x: x)  # likely",
        "Process(target=work, args=(getattr(Steps, input()),)).start()",
    ),
    "an attribute by a known name": (
        "class Steps:\n    def plain(self):\n        return lambda x: x\n    def other(self):\n        return 1",
        "Process(target=work, args=(getattr(Steps(), 'other')(),)).start()",
    ),
    "two dicts by |": (
        "table = {'a': 1} | {'b': lambda x: x}  # proven", "Process(target=work, args=(table,)).start()"
    ),
    "a dict by |=": (
        "table = dict.fromkeys('a')\ntable |= {'b': lambda x: x}  # proven",
        "Process(target=work, args=(table,)).start()",
    ),
}  # fmt: skip


@each_row("made, sent", PROGRAMS.values(), ids=[*PROGRAMS])
def test_is_handed_on(made: str, sent: str) -> None:
    program = {"a.py": SENT.replace("{made}", made).replace("{sent}", sent)}
    assert crossing(program) == marked(program)
