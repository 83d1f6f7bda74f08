"""What may stand between a function and those that a lambda of it calls: nothing that runs code of the file."""

from __future__ import annotations

import ast

from codemods.transforms.lambdas.forwarded import _only_defines
from harness.each_row import each_row


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
