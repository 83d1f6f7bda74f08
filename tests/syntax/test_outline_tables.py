"""What an outline collects in one walk is what a search over all nodes finds."""

from __future__ import annotations

import ast

from codemods.syntax.outline import Outline

TEXT = """\
import a.b as c
from d import *
x = lambda p, q=c.x: (lambda r: p + r)(q)

@mark(c.x)
def f(u, v: T = c.y) -> T:
    from g import h
    try:
        w = [u for u in v if (lambda: u)()]
    except E as e:
        class K(B[u]):
            x = u
            def m(self, n=u):
                return self.x, n, c.x
    match u:
        case [c.x, *rest]: return rest
    async def inner(): await u
"""


def scope_by_definition(module: ast.Module) -> dict[ast.AST, ast.AST]:
    """The scope of each node, handed down from node to node."""
    found: dict[ast.AST, ast.AST] = {}

    def walk(node: ast.AST, scope: ast.AST) -> None:
        found[node] = scope
        for name, value in ast.iter_fields(node):
            inner = node if name == "body" and hasattr(node, "args") else scope
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST) and not isinstance(part, ast.expr_context):
                    walk(part, inner)

    walk(module, module)
    return found


def test_scopes() -> None:
    outline = Outline("a.py", ast.parse(TEXT))
    expected = scope_by_definition(outline.module)
    assert {node: outline.scope(node) for node in outline.nodes} == expected
    assert {type(scope).__name__ for scope in expected.values()} >= {"Module", "Lambda", "FunctionDef"}


def test_tables_by_name_are_in_the_order_of_the_nodes() -> None:
    outline = Outline("a.py", ast.parse(TEXT))
    x = [n for n in outline.nodes if getattr(n, "id", "") == "x" or (getattr(n, "attr", "") == "x")]
    assert outline.named["x"] == x and len(x) == 7
    imports = [node for node in outline.nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert outline.imports == imports and len(imports) == 3
    assert [node.module for node in outline.star_imports] == ["d"]


def test_the_nodes_of_one_class_are_in_the_order_of_the_nodes() -> None:
    outline = Outline("a.py", ast.parse(TEXT))
    for kind in {*map(type, outline.nodes)}:
        assert [*outline.of_kind(kind)] == [node for node in outline.nodes if type(node) is kind]
    assert len(outline.of_kind(ast.Lambda)) == 3 and not outline.of_kind(ast.While)


OF_SELF = """\
class A:
    def m(self):
        self.a = [self.b for _ in n]
        class B:
            e = self.e
            def inner(this): this.c, self.no
        def nested(): self.d.no
    @staticmethod
    def s(self): self.no
    @classmethod
    def k(cls): cls.no
    async def w(me): me.g.h, other.no
    if True:
        def later(self): self.no
def function(self): self.no
"""


def test_attributes_of_self_by_method() -> None:
    outline = Outline("a.py", ast.parse(OF_SELF))
    found = {method.name: [node.attr for node in nodes] for method, nodes in outline.of_self.items()}
    assert found == {"m": ["a", "b", "e", "d"], "inner": ["c"], "w": ["g"]}
