"""What may stand between a function and those that a lambda of it calls: nothing that runs code of the file."""

from __future__ import annotations

import ast

from codemods.transforms.lambdas.forwarded import _only_defines
from harness.each_row import each_row
from harness.small import migrated


@each_row(
    ("statement", "defines"),
    [
        ("def f(a, b=1): return g(a)", True),
        ("async def f(a): pass", True),
        ("@plain\ndef f(a): pass", True),
        ("@made(1)\ndef f(a): pass", False),
        ("def f(a=g()): pass", False),
        ("class A: pass", True),
        ("class A(B, lib.C):\n    size = 1\n    def f(self): g()", True),
        ("class A(made(1)): pass", False),
        ("class A(metaclass=M): pass", False),
        ("@plain\nclass A: pass", False),
        ("class A:\n    size = g()", False),
        ("import os", True),
        ("from os import path", True),
        ("pass", True),
        ("size = 1", True),
        ("size: int = 1", True),
        ("'a text'", True),
        ("size = g()", False),
        ("g()", False),
        ("size = (n := 1)", False),
        ("if size: size = 1", False),
        ("for size in sizes: pass", False),
        ("with lock: pass", False),
        ("assert size", False),
        ("size += 1", False),
        ("del size", False),
    ],
)
def test_what_only_defines(statement: str, defines: bool) -> None:
    assert _only_defines(ast.parse(statement).body[0]) is defines


COLLATED = """\
from torch.utils.data import DataLoader

def _collate_fn(batch, config):
    return batch, config

def call_it(fn):
    return fn(batch=[1])

def loaders(data, config, flag):
    {made}
    return DataLoader(data, num_workers=2, collate_fn=fn)
"""


@each_row(
    ("more", "becomes_partial"),
    [
        ("pass", True),
        ("DataLoader(data, collate_fn=fn)", True),
        ("call_it(fn)", False),
        ("fn(batch=data)", False),
        ("data.fn = fn", False),
        ("if flag: fn = print", False),
        ("global fn", False),
    ],
)
def test_a_variable_that_is_nothing_but_the_lambda(more: str, becomes_partial: bool) -> None:
    made = "fn = lambda batch: _collate_fn(batch, config)"
    lines = (more, made) if more.startswith("global") else (made, more)
    changed = migrated({"a.py": COLLATED.format(made="\n    ".join(lines))}, "lambdas")
    assert ("fn = functools.partial(_collate_fn, config=config)" in changed.get("a.py", "")) is becomes_partial
