"""Blocks that come to no end since they read a name that nothing binds."""

from __future__ import annotations

import ast
import textwrap

from codemods.flow.facts.stops import stopped_lines
from harness.each_row import each_row

PERHAPS = """
    unicode basestring xrange raw_input long reduce reload unichr file cmp execfile buffer apply intern WindowsError
    get_ipython display profile _ __IPYTHON__
"""


def stopped(body: str, *unbound: str) -> list[tuple[int, int]]:
    tree = ast.parse("def f(a):\n" + textwrap.indent(body, "    "))
    return stopped_lines(tree, unbound or ("nowhere",))


@each_row("name", [*PERHAPS.split(), "len", "print"])
def test_names_that_something_else_may_bind(name: str) -> None:
    assert stopped(f"x = {name}(a)\n", name) == []
    assert stopped(f"x = {name}(a)\nnowhere(x)\n", name, "nowhere") == ([(2, 3)] if name != "execfile" else [])


@each_row("name", ["globals", "exec", "execfile", "__builtins__", "vars"])
def test_a_file_that_may_bind_any_name(name: str) -> None:
    assert stopped(f"{name}\nnowhere\n", name, "nowhere") == []


@each_row(
    ("body", "lines"),
    [
        ("nowhere", [(2, 2)]),
        ("x = 1\ny: int = x\ny += 1\nprint(nowhere)\nreturn y", [(2, 6)]),  # what is simple above it, and all below
        ("import os\nx = 1\nreturn nowhere", [(3, 4)]),
        ("for i in a:\n    pass\nx = nowhere", [(4, 4)]),
        ("x = a or nowhere", []),
        ("x = nowhere or a", [(2, 2)]),
        ("x = nowhere if a else 1", []),
        ("x = 1 if nowhere else a", [(2, 2)]),
        ("x = [nowhere for i in a]", []),
        ("x = {i for i in nowhere}", [(2, 2)]),
        ("x = {i: 1 for i in nowhere}", [(2, 2)]),
        ("x = list(i for i in nowhere)", [(2, 2)]),
        ("x = lambda: nowhere", []),
        ("x: nowhere = 1", []),  # annotations of locals are never read
        ("x: int = nowhere", [(2, 2)]),
        ("nowhere[0]: int", [(2, 2)]),
        ("nowhere = 1", []),
        ("if a:\n    x = 1\n    nowhere(x)\nelse:\n    nowhere", [(3, 4), (6, 6)]),
        ("while a:\n    nowhere\nelse:\n    nowhere", [(3, 3), (5, 5)]),
        ("for i in a:\n    nowhere", [(3, 3)]),
        ("with a:\n    nowhere", [(3, 3)]),
        ("try:\n    nowhere\nexcept NameError:\n    pass", []),
        ("if nowhere:\n    pass", []),  # only simple statements are looked at
    ],
)
def test_what_surely_stops(body: str, lines: list[tuple[int, int]]) -> None:
    assert stopped(body) == lines


def test_outside_of_functions_nothing_is_said() -> None:
    assert stopped_lines(ast.parse("x = nowhere\n"), ["nowhere"]) == []
    assert stopped_lines(ast.parse("async def f():\n    nowhere\n"), ["nowhere"]) == [(2, 2)]


@each_row(
    ("text", "lines"),
    [
        ("def f():\n    nowhere()\n\ndef g(nowhere):\n    nowhere()\n", [(2, 2)]),
        ("def f():\n    nowhere()\n\ndef g():\n    nowhere = open\n    nowhere()\n", [(2, 2)]),
        ("def f():\n    nowhere()\n\ndef g():\n    import nowhere\n    nowhere.run()\n", [(2, 2)]),
        ("def f():\n    nowhere = 1\n    def g():\n        nowhere()\n    return g\n", []),
        ("def f():\n    def g():\n        nowhere()\n    return g\n", [(3, 3)]),
        ("class A:\n    def f(self):\n        nowhere()\n", [(3, 3)]),
        ("if 1:\n    def f():\n        nowhere()\n", [(3, 3)]),
    ],
)
def test_a_local_of_the_same_name_is_bound(text: str, lines: list[tuple[int, int]]) -> None:
    assert stopped_lines(ast.parse(text), ["nowhere"]) == lines
