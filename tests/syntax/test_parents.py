"""Parents are those that a walk over the whole tree finds, and little more is looked at than what was asked about."""

from __future__ import annotations

import ast

from codemods.finding import Import
from codemods.nodes import parents_of, walk
from codemods.syntax.import_edits import import_edits
from codemods.syntax.imports import reference
from codemods.syntax.parents import Parents
from codemods.syntax.scopes import scopes_of
from codemods.tree.source import Source

PROGRAM = '''\
import os; import sys

@decorated(lambda x: x.y)
@other
class Data(Base, metaclass=Meta):
    """Rows."""
    size: int = 3

    @property
    def first(self, *, a=1, **options): return {key: [b for b in key] for key in self.rows}

    def second(): pass

match command:
    case Point(x=0) | [1, *_] if ready:
        done()
try:
    with open(f"{a!r:>{width}} {b + c}") as file: text = f"""
{d.e(1)}
"""
except (OSError, ValueError) as error:
    x = (
        lambda: 1,
        a < b < c,
    )
else:
    if a: b
    elif c: d = e = "C"
'''


def test_parents_are_those_of_the_whole_tree() -> None:
    tree = ast.parse(PROGRAM)
    whole = parents_of(tree)
    for node in walk(tree):
        if not isinstance(node, (ast.operator, ast.cmpop, ast.unaryop, ast.boolop)):  # Python has one for all trees
            assert Parents(tree).get(node) is whole.get(node), ast.dump(node)
            assert (node in Parents(tree)) is (node is not tree)


def test_a_node_of_another_tree_has_no_parent() -> None:
    parents = Parents(ast.parse(PROGRAM))
    for other in (ast.parse("a.b", mode="eval").body, ast.Name("os", ast.Load()), ast.arguments([], [], None, [], [])):
        assert other not in parents
        assert parents.get(other) is None


def test_one_question_looks_at_one_statement_of_the_module() -> None:
    tree = ast.parse("\n".join(f"def f{number}(x): return [x.a, x.b, x.c]" for number in range(500)))
    parents = Parents(tree)
    returned = tree.body[300].body[0].value  # type: ignore[attr-defined]
    assert isinstance(parents[returned], ast.Return)
    assert returned in parents
    assert len(parents) < 600


def test_an_import_at_the_top_is_found_without_the_scopes_of_the_file() -> None:
    scopes_of.cache_clear()
    tree = ast.parse("import functools\nx = 1\n")
    assert import_edits(Source("a.py", "import functools\nx = 1\n"), tree, [Import("a.py", "functools")]) == []
    assert scopes_of.cache_info().misses == 0
    assert reference(tree, "a.py", "functools", "partial") == ("functools.partial", ())
