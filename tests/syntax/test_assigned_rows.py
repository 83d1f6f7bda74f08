"""Whether a block binds a name on every path, or reads it: a row for each kind of statement and its neighbours."""

from __future__ import annotations

import ast

from codemods.syntax.assigned import binds, pattern_binds, reads, target_binds
from harness.each_row import each_row


def parsed(text: str) -> list[ast.stmt]:
    body = ast.parse(f"async def f():\n  while True:\n    {text}").body[0]
    assert isinstance(body, ast.AsyncFunctionDef) and isinstance(body.body[0], ast.While)
    return body.body[0].body


BINDS = [
    "x = 1",
    "x = y = 1",
    "y = x = 1",
    "(x, y) = 1, 2",
    "[y, *x] = 1, 2",
    "x: int = 1",
    "x += 1",
    "import x",
    "import x.y",
    "import y as x",
    "from y import x",
    "from y import z as x",
    "def x(): pass",
    "async def x(): pass",
    "class x: pass",
    "y = (x := 1)",
    "(x := 1)",
    "(x := 1) > 2",
    "y = (x := 1) > 2 > 3",
    "y(x := 1)",
    "y > (x := 1)",
    "match y:\n      case [x] | [x, _]: pass\n      case _: x = 1",
    "return",
    "raise y",
    "continue",
    "break",
    "y; x = 1",
    "if y: x = 1\n    else: x = 2",
    "if y: x = 1\n    else: return",
    "if (x := y): pass",
    "if (x := y) > 1: pass",
    "with y as x: pass",
    "with y as (z, x): pass",
    "with z, y as x: pass",
    "with y: x = 1",
    "async with y as x: pass",
    "try: y\n    finally: x = 1",
    "try: x = 1\n    except E: x = 2",
    "try: y\n    except E: x = 2\n    else: x = 1",
    "try: x = 1\n    except E: raise",
    "try: x = 1\n    except E: x = 2\n    except F: return",
    "match y:\n      case 1: x = 1\n      case _: x = 2",
    "match y:\n      case x: pass",
    "match y:\n      case 1: x = 1\n      case z: x = 2",
    "match y:\n      case [x]: pass\n      case _: x = 1",
    "match y:\n      case {'a': 1, **x}: pass\n      case _: x = 1",
    "match y:\n      case 1: return\n      case _: x = 1",
]
MAY_NOT_BIND = [
    "y = 1",
    "y = x",
    "x",
    "x: int",
    "x.y = 1",
    "x[0] = 1",
    "y += x",
    "import y",
    "import y.x",
    "import x as y",
    "from x import y",
    "from y import x as z",
    "def y(): x = 1",
    "class y: x = 1",
    "y = z and (x := 1)",
    "if y: x = 1",
    "if y: x = 1\n    else: z = 1",
    "if y: z = 1\n    else: x = 1",
    "if y: return",
    "if y and (x := 1): pass",
    "for x in y: pass",
    "for y in z: x = 1",
    "while y: x = 1",
    "with x: pass",
    "with y as z: pass",
    "with x as y: pass",
    "with suppress(E): x = 1",
    "with pytest.raises(E): x = 1",
    "with suppress(E) as x: pass",
    "with a, suppress(E): x = 1",
    "try: x = 1\n    except E: pass",
    "try: pass\n    except E: x = 1",
    "try: x = 1\n    except E: x = 2\n    except F: pass",
    "try: y\n    finally: z = 1",
    "try: y\n    except E: x = 2\n    else: z = 1",
    "del x",
    "pass",
    "assert (x := 1)",
    "match y:\n      case 1: x = 1",
    "match y:\n      case 1: x = 1\n      case _: pass",
    "match y:\n      case 1: x = 1\n      case 2: x = 2",
    "match y:\n      case 1: x = 1\n      case _ if z: x = 2",
    "match y:\n      case 1: pass\n      case _: x = 1",
    "match y:\n      case 1: x = 1\n      case [1] as z: x = 1",
    "global x",
]
READS = [
    "x",
    "y = x",
    "y(x)",
    "y(1, *x)",
    "y(z=x)",
    "y.z(x.w)",
    "y: int = x",
    "y += x",
    "x.y",
    "x[0]",
    "y[x] = 1; x",
    "assert x",
    "if x: pass",
    "while x: pass",
    "for y in x: pass",
    "async for y in x: pass",
    "with x: pass",
    "with y, x: pass",
    "with y: x",
    "y = z if x else w",
    "y = x and z",
    "y = x or z",
    "y = x < z",
    "y = z < x < w",
    "y = [z for z in x]",
    "y = {z for z in x if w}",
    "y = {z: z for z in x}",
    "y(z for z in x)",
    "y = f'{x}'",
    "y = not x",
    "y; x",
    "y = (z := x)",
]
MAY_NOT_READ = [
    "y",
    "x = 1",
    "x: int",
    "y = lambda: x",
    "y = x if z else w",
    "y = z if w else x",
    "y = z and x",
    "y = z or x",
    "y = z < w < x",
    "y = [x for z in w]",
    "y = [z for z in w if x]",
    "y = [z for z in w for v in x]",
    "if y: x",
    "while y: x",
    "for x in y: pass",
    "for y in z: x",
    "try: x\n    except E: pass",
    "with suppress(E): x",
    "with raises(x): pass",
    "return x",
    "def y(): x",
    "class y: x",
    "import x",
    "del y",
    "pass",
    "raise y",
    "def y(z=x): pass",
]


@each_row("text", BINDS)
def test_binds(text: str) -> None:
    assert binds(parsed(text), "x")
    assert not any(isinstance(node, (ast.Return, ast.Raise, ast.Continue, ast.Break)) for node in parsed("pass"))
    if not any(word in text for word in ("return", "raise", "continue", "break")):
        assert not binds(parsed(text), "other")


@each_row("text", MAY_NOT_BIND)
def test_may_not_bind(text: str) -> None:
    assert not binds(parsed(text), "x")


@each_row("text", READS)
def test_reads(text: str) -> None:
    assert reads(parsed(text), "x")
    assert not reads(parsed(text), "other")


@each_row("text", MAY_NOT_READ)
def test_may_not_read(text: str) -> None:
    assert not reads(parsed(text), "x")


@each_row(
    ("pattern", "bound"),
    [
        ("x", True),
        ("[x]", True),
        ("[1, *x]", True),
        ("{'a': x}", True),
        ("{'a': 1, **x}", True),
        ("C(x)", True),
        ("C(a=x)", True),
        ("1 as x", True),
        ("y", False),
        ("x.y", False),
        ("1 | 2", False),
        ("[x] | [1, x]", True),
        ("[1 | 2, x]", True),
        ("_", False),
    ],
)
def test_patterns(pattern: str, bound: bool) -> None:
    (node,) = parsed(f"match y:\n      case {pattern}: pass")
    assert isinstance(node, ast.Match)
    assert pattern_binds(node.cases[0].pattern, "x") is bound


@each_row(
    ("target", "bound"),
    [("x", True), ("x, y", True), ("y, (z, *x)", True), ("x.y", False), ("y[x]", False), ("y", False)],
)
def test_targets(target: str, bound: bool) -> None:
    (node,) = parsed(f"{target} = 1")
    assert isinstance(node, ast.Assign)
    assert target_binds(node.targets[0], "x") is bound
