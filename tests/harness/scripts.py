"""Whole scripts put together at random: without a main guard, or about copies of models.

    script("main_guard", random.Random(seed)).text

`scripts/main_guard.txt` and `scripts/model_deepcopy.txt` have the patterns; their first lines say how they are read.
A script without a guard joins up to two patterns, runs their statements in turn, and starts processes in between. One
about copies changes a model, copies it in one of several ways, uses both, and prints all that can be seen of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from .compositions import Program

GUARD_HEAD = """\
import argparse
import atexit
import decimal
import functools
import itertools
import json
import logging
import multiprocessing
import os
import random
import sys
import tempfile
import threading
import uuid
import warnings
from dataclasses import dataclass

"""
STARTS = {
    "alone": """\
p = multiprocessing.Process(target={work}, args=({n},))
p.start()
p.join()
print('ended', p.exitcode)""",
    "loop": """\
for i in range(2):
    p = multiprocessing.Process(target={work}, args=(i + {n},))
    p.start()
    p.join()""",
    "function": "launch({work}, {n})",
    "list": """\
ps = [multiprocessing.Process(target={work}, args=({n},))]
for p in ps:
    p.start()
for p in ps:
    p.join()""",
    "condition": """\
if {n}:
    p = multiprocessing.Process(target={work}, kwargs={{'n': {n}}})
    p.start()
    p.join()""",
}
LAUNCH = """
def launch(target, n):
    p = multiprocessing.Process(target=target, args=(n,))
    p.start()
    p.join()

"""
COPY_HEAD = """\
import copy
import random
from copy import deepcopy

import torch
from torch import nn

"""
COPY_SUPPORT = """
def show(name, net):
    tensors = [*net.named_parameters(remove_duplicate=False), *net.named_buffers(remove_duplicate=False)]
    print(name, [(key, tuple(t.shape), t.dtype, t.requires_grad) for key, t in tensors])
    print([round(float(t.detach().sum()), 3) for _, t in tensors])
    print([id(one) == id(two) for _, one in tensors for _, two in tensors])
    print([type(m).__name__ for m in net.modules()], [m.training for m in net.modules()])
    print([None if t.grad is None else round(float(t.grad.sum()), 3) for _, t in tensors])
    print([(len(m._forward_hooks), len(m._buffers), len(m._non_persistent_buffers_set)) for m in net.modules()])
    plain = [sorted((k, v) for k, v in vars(m).items() if isinstance(v, (int, float, str, list, dict)) and k[0] != "_")
             for m in net.modules()]
    print(plain)

def attempt(function, *args):
    try:
        return function(*args)
    except (TypeError, ValueError, RuntimeError, AttributeError) as error:
        return type(error).__name__

def value(net):
    out = attempt(net, torch.ones(2, 2))
    return [round(float(x), 3) for x in out.detach().flatten()] if isinstance(out, torch.Tensor) else out

"""
COPY_HELPERS = {
    "Average(": """\
class Average:
    def __init__(self, model):
        self.module = copy.deepcopy(model)
        self.module.eval()
""",
    "clone(": """\
def clone(model):
    return deepcopy(model)
""",
}
COPIES = [
    "twin = copy.deepcopy(net)",
    "twin = deepcopy(net).eval()",
    "twin = copy.deepcopy(net).requires_grad_(False)",
    "twin = copy.deepcopy(net).to('cpu').train()",
    "twin = Average(net).module",
    "twin = clone(net)",
    "twins = [copy.deepcopy(net) for _ in range(2)]; twin = twins[1]",
    "twin = copy.deepcopy(copy.deepcopy(net))",
]
COPY_USES = [
    "show('net', net)",
    "show('twin', twin)",
    "print(value(twin), value(net))",
    "print(value(net), value(twin))",
    "print(round(float(torch.rand(1)), 4), round(random.random(), 4))",
    "[p.data.add_(1) for p in twin.parameters()]; show('net', net)",
    "[p.data.add_(1) for p in net.parameters()]; show('twin', twin)",
    "net.train(); show('twin', twin)",
    "twin.load_state_dict(net.state_dict()); show('twin', twin)",
    "print(type(twin) is type(net), twin is net, len(list(twin.children())))",
    "print(getattr(twin, 'table', None) is getattr(net, 'table', 0), getattr(twin, 'seen', None))",
]


@dataclass(frozen=True)
class GuardScript(Program):
    """A script without a main guard. Steps that are pairs start a process: the form, then `work_0:number`."""

    @cached_property
    def text(self) -> str:
        lines = []
        for step in self.steps:
            if isinstance(step, str):
                lines.append(step)
            else:
                work, _, number = step[1].partition(":")
                lines.append(STARTS[step[0]].format(work=work, n=number))
        launch = LAUNCH if any("launch(" in line for line in lines) else ""
        return GUARD_HEAD + self.makes + launch + "\n".join(lines) + "\nprint('done')\n"

    @property
    def reads_what_it_changed(self) -> bool:
        """Such a script is to be refused."""
        return False

    def smaller(self) -> Iterator[Program]:
        """The scripts with one step less."""
        for index in range(len(self.steps)):
            yield replace(self, steps=self.steps[:index] + self.steps[index + 1 :])


@dataclass(frozen=True)
class CopyScript(GuardScript):
    """A script that copies a model."""

    @cached_property
    def text(self) -> str:
        steps = "\n".join(str(step) for step in self.steps)
        return f"{COPY_HEAD}{self.makes}\n{steps}\n"


@cache
def script_patterns(kind: str) -> dict[str, tuple[str, str, str]]:
    """The parts of each pattern of a file, by name."""
    text = Path(__file__).parent.joinpath("scripts", f"{kind}.txt").read_text(encoding="utf-8")
    found = {}
    for part in text.split("=== ")[1:]:
        name, _, rest = part.partition("\n")
        assert name not in found, name
        found[name] = _parts(rest)
    return found


def _parts(text: str) -> tuple[str, str, str]:
    """What stands before the first mark, below it, and below the second."""
    parts: list[list[str]] = [[]]
    for line in text.strip("\n").split("\n"):
        if line.startswith("--- "):
            parts.append([])
        else:
            parts[-1].append(line)
    first, second, third = ("".join(line + "\n" for line in part) for part in parts)
    return first, second, third


def script(kind: str, choose: random.Random, only: str | None = None) -> Program:
    """One script; equal for equal states of `choose`."""
    return _guard_script(choose, only) if kind == "main_guard" else _copy_script(choose, only)


def _guard_script(choose: random.Random, only: str | None) -> GuardScript:
    known = script_patterns("main_guard")
    names = [only or choose.choice(sorted(known))]
    others = [name for name in sorted(known) if not _share(known[name], known[names[0]])]
    if others and choose.random() < 0.5:
        names.append(choose.choice(others))
    makes, queues = "", []
    for index, name in enumerate(names):
        first, work, steps = known[name]
        body = "".join("    " + line + "\n" for line in work.splitlines())
        makes += f"{first}\ndef work_{index}(n):\n{body}\n"
        queues.append(steps.splitlines())
    steps_: list[str | tuple[str, str]] = []
    begun: set[int] = set()
    while any(queues):
        index = choose.choice([at for at, queue in enumerate(queues) if queue])
        steps_.append(queues[index].pop(0))
        begun.add(index)
        if choose.random() < 0.35:
            steps_.append(_start(choose, sorted(begun)))
    steps_.append(_start(choose, sorted(begun)))
    return GuardScript(f"main_guard: {' + '.join(names)}", makes, tuple(steps_))


def _share(one: tuple[str, str, str], two: tuple[str, str, str]) -> bool:
    """Both bind the same name, or set up the same for the whole process."""
    shared = ("logging", "random.", "os.environ", "sys.", "warnings")
    words = [{line.split("=")[0].split("(")[0].strip() for line in "".join(each).splitlines()} for each in (one, two)]
    both = ["".join(each) for each in (one, two)]
    return bool(words[0] & words[1] - {"", "return x"}) or any(word in both[0] and word in both[1] for word in shared)


def _start(choose: random.Random, begun: list[int]) -> tuple[str, str]:
    """A start of what may be run by now: a function that needs a later definition is no program that works."""
    return choose.choice(sorted(STARTS)), f"work_{choose.choice(begun)}:{choose.choice([1, 2])}"


def _copy_script(choose: random.Random, only: str | None) -> CopyScript:
    known = script_patterns("model_deepcopy")
    name = only or choose.choice(sorted(known))
    first, make, changes = known[name]
    lines = [line for line in changes.splitlines() if choose.random() < 0.35]
    copied = choose.choice(COPIES)
    steps = [*lines, copied]
    steps += choose.sample(COPY_USES, 3 + choose.randrange(4))
    if choose.random() < 0.3:  # changed afterwards
        steps += [*choose.sample(changes.splitlines(), 1), "show('net', net)", "show('twin', twin)"]
    helpers = "\n".join(text for name, text in COPY_HELPERS.items() if name in copied)
    makes = f"{first}{COPY_SUPPORT}{helpers}torch.manual_seed(0)\nrandom.seed(0)\n{make}"
    return CopyScript(f"model_deepcopy: {name}", makes, tuple(steps))
