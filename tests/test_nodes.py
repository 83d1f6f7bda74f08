"""Our walks give what those of `ast` give, but for the load/store marks."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from codemods.nodes import children, deeper_than, parents_of, walk, yields
from codemods.syntax import file_tree
from harness.each_row import each_row

ROOT = Path(__file__).resolve().parents[1]
EVERYTHING = """\
@decorated(x, *a, **k)
async def f(a, /, b: int = 1, *c, d=2, **e) -> None:
    global g
    async with a as b, c: await d
    async for i in j: yield i
    return lambda x, *y: [z for z in y if z async for w in z]

class C(B, metaclass=M):
    x: int = 3
    (y): str

match a:
    case {"k": 1, **rest}: pass
    case P(1, b=[_, *others]) | None as name: pass
try: raise E from e
except (A, B) as err: nonlocal_ = 1
finally: del a[1:2, ...], b.c
import a.b as c; from ..d import e as f, g
assert {1: 2, **d} != {*s}, f"{a!r:>{w}}" if not b else -c
with open(p): x = y = (z := 1)
while a < b <= c: continue
"""


def marked(node: ast.AST) -> bool:
    return isinstance(node, ast.expr_context)


@pytest.mark.parametrize(
    "text", [EVERYTHING, *((ROOT / "codemods" / name).read_text() for name in ("project.py", "settings.py"))]
)
def test_as_ast_walks(text: str) -> None:
    tree = ast.parse(text)
    assert [*walk(tree)] == [node for node in ast.walk(tree) if not marked(node)]
    for node in ast.walk(tree):
        assert children(node) == [child for child in ast.iter_child_nodes(node) if not marked(child)]


def test_depth() -> None:
    tree = ast.parse("[[[[1]]]]")  # module, statement, four lists, a number
    assert not deeper_than(tree, 7) and deeper_than(tree, 6)


def levels(node: ast.AST) -> int:
    """The depth of a tree, counted one by one."""
    return 1 + max(map(levels, children(node)), default=0)


@pytest.mark.parametrize(
    "text", ["-" * 40 + "1", "not " * 40 + "a", "a" + "()" * 40, "a" + ".b" * 40, "[" * 40 + "]" * 40]
)
@pytest.mark.parametrize("around", ["{}", "x = 1, {}", "def f(a={}): pass", "class A:\n    x = y = {}", "if {}: pass"])
def test_depth_on_one_line(text: str, around: str) -> None:
    tree = ast.parse(around.format(text))
    depth = levels(tree)
    assert all(deeper_than(tree, least) for least in range(1, depth)) and not deeper_than(tree, depth)


def test_depth_of_every_kind_of_node() -> None:
    """Nothing on one line has more levels than characters and one: `deeper_than` does not look into what is short."""
    for node in ast.walk(ast.parse(EVERYTHING)):
        if isinstance(node, (ast.expr, ast.stmt)) and node.lineno == node.end_lineno:
            assert node.end_col_offset is not None and levels(node) <= node.end_col_offset - node.col_offset + 1


@each_row(
    ("text", "generator"),
    [
        ("yield 1", True),
        ("return [(yield from rows) for rows in [[1]]]", True),
        ("if rows:\n        x = yield", True),
        ("def inner():\n        yield 1", False),
        ("return lambda: (yield 1)", False),
        ("class Inner:\n        def run(self):\n            yield 1", False),
        ("return rows", False),
    ],
)
def test_which_functions_are_generators(text: str, generator: bool) -> None:
    (function,) = ast.parse(f"def function(rows):\n    {text}\n").body
    assert isinstance(function, ast.FunctionDef)
    assert yields(function.body) is generator


def test_nodes_of_a_file_are_walked_once_for_them_and_their_parents(monkeypatch: pytest.MonkeyPatch) -> None:
    walks: list[ast.AST] = []
    monkeypatch.setattr(file_tree, "parents_of", lambda tree: (walks.append(tree), parents_of(tree))[1])
    tree = file_tree.FileTree("a.py", ast.parse(f"{EVERYTHING}x = a + b + c\n"))
    assert tree.nodes == [*dict.fromkeys(walk(tree.module))]  # `ast` has one `+` for all sums
    assert all(tree.parents[node] in tree.nodes for node in tree.nodes[1:])
    assert walks == [tree.module]
