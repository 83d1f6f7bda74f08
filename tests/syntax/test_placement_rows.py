"""Where new code goes and what goes when a statement moves away, in files of many layouts."""

from __future__ import annotations

import ast

import pytest

from codemods.syntax import placement
from codemods.syntax.scopes import Scopes
from codemods.tree.source import Source
from harness.each_row import each_row


def opened(text: str) -> tuple[Source, Scopes]:
    source = Source.from_bytes("a.py", text.encode())
    return source, Scopes(ast.parse(text))


def statement_at(tree: ast.Module, line: int) -> ast.stmt:
    return next(node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno == line)


@each_row(
    ("text", "line", "left"),
    [
        pytest.param("a = 1\nb = 2\nc = 3\n", 2, "a = 1\nc = 3\n", id="in between"),
        pytest.param("a = 1\nb = 2\n", 1, "b = 2\n", id="first"),
        pytest.param("a = 1\nb = 2\n", 2, "a = 1\n", id="last"),
        pytest.param("a = 1\nb = 2", 2, "a = 1", id="last without a newline"),
        pytest.param("a = 1\n# why\nb = 2\nc = 3\n", 3, "a = 1\nc = 3\n", id="its comment"),
        pytest.param("a = 1\n# 2. B\nb = 2\nc = 3\n", 3, "a = 1\n# 2. B\nc = 3\n", id="the heading of a part"),
        pytest.param(
            "def f(a):\n    # type: (int) -> int\n    # why\n    b = 2\n    return a\n",
            4,
            "def f(a):\n    # type: (int) -> int\n    return a\n",
            id="the types of the function around",
        ),
        pytest.param("a = 1\n# Step 2: B\n# why\nb = 2\n", 4, "a = 1\n# Step 2: B\n", id="its comment below a heading"),
        pytest.param("a = 1\n# %% B\n# why\nb = 2\n", 4, "a = 1\n# %% B\n", id="its comment in its cell"),
        pytest.param("a = 1\n# 2 of 3\nb = 2\nc = 3\n", 3, "a = 1\nc = 3\n", id="its comment begins with a number"),
        pytest.param("a = 1\n\nb = 2\n\nc = 3\n", 3, "a = 1\n\nc = 3\n", id="blank lines around"),
        pytest.param("a = 1\n\n\nb = 2\n\n\nc = 3\n", 4, "a = 1\n\n\nc = 3\n", id="two blank lines around"),
        pytest.param("a = 1\nb = 2\n\n\nc = 3\n", 2, "a = 1\n\nc = 3\n", id="blank lines below alone"),
        pytest.param("a = 1\n\n\nb = 2\nc = 3\n", 4, "a = 1\n\n\nc = 3\n", id="blank lines above alone"),
        pytest.param("a = 1\n\n\nb = 2\n", 4, "a = 1\n", id="last below blank lines"),
        pytest.param("a = 1\n\n\nb = 2\n\n\n", 4, "a = 1\n\n\n", id="last between blank lines"),
        pytest.param("\n\na = 1\n\n\nb = 2\n", 3, "\n\nb = 2\n", id="first below blank lines"),
        pytest.param("def f():\n    a = 1\n    b = 2\n", 2, "def f():\n    b = 2\n", id="first of a block"),
        pytest.param("def f():\n\n    a = 1\n\n    b = 2\n", 3, "def f():\n    b = 2\n", id="first below a blank line"),
        pytest.param(
            "def f():\n    a = 1\n\n    b = 2\n\n\nc = 3\n", 4, "def f():\n    a = 1\n\n\nc = 3\n", id="last of a block"
        ),
        pytest.param("a = 1\n@b\n@c\ndef f():\n    pass\n\n\nd = 1\n", 4, "a = 1\n\nd = 1\n", id="decorators"),
        pytest.param(
            "a = 1\n\n\ndef f():\n    pass\n    # in it\n\n\nd = 1\n", 4, "a = 1\n\n\nd = 1\n", id="comment behind"
        ),
        pytest.param(
            "a = 1\n\n\ndef f():\n    pass\n# below\nd = 1\n", 4, "a = 1\n\n\n# below\nd = 1\n", id="comment below"
        ),
    ],
)
def test_removal(text: str, line: int, left: str) -> None:
    source, scopes = opened(text)
    node = next(each for each in ast.walk(scopes.tree) if isinstance(each, ast.stmt) and each.lineno == line)
    start, end = placement.removal(source, scopes, node)
    assert text[:start] + text[end:] == left


def test_what_follows_may_come_close() -> None:
    text = "def f():\n    a = 1\n    def g():\n        pass\n\n    return g\n"
    source, scopes = opened(text)
    left = []
    for closing in (False, True):
        start, end = placement.removal(source, scopes, statement_at(scopes.tree, 3), closing)
        left.append(text[:start] + text[end:])
    assert left == ["def f():\n    a = 1\n\n    return g\n", "def f():\n    a = 1\n    return g\n"]


@each_row(
    ("text", "unit"),
    [
        ("", "    "),
        ("a = 1\n", "    "),
        ("if a:\n  b = 1\n", "  "),
        ("if a:\n\tb = 1\n", "\t"),
        ("if a: b = 1\n", "    "),
        ("if a: b = 1\nelse:\n   c = 1\n", "   "),
        ("class A:\n  def f(self):\n        pass\n", "  "),
        ("if a: b = 1\nwhile c:\n      d = 1\n", "      "),
        ("if a:\n     b = 1\nfor c in d:\n  try:\n    e = 1\n  finally:\n    g = 1\n", "  "),
    ],
)
def test_unit_of_indentation(text: str, unit: str) -> None:
    source, scopes = opened(text)
    assert placement.indentation_unit(source, scopes.tree) == unit


@each_row(
    ("text", "gap"),
    [
        ("", 2),
        ("a = 1\n", 2),
        ("a = 1\n\ndef f(): pass\n", 1),
        ("a = 1\n\n\ndef f(): pass\n", 2),
        ("a = 1\ndef f(): pass\n", 1),
        ("def f(): pass\na = 1\n", 2),
        ("a = 1\n\n\n\n\nclass C: pass\n", 2),
        ("a = 1\n\ndef f(): pass\n\n\ndef g(): pass\n", 2),
        ("a = 1\n\ndef f(): pass\n\nclass C: pass\n\n\ndef g(): pass\n", 1),
        ("a = 1\n\n# why\ndef f(): pass\n", 1),
        ("a = 1\n\n@b\ndef f(): pass\n", 1),
    ],
)
def test_usual_gap(text: str, gap: int) -> None:
    source, scopes = opened(text)
    assert placement.usual_gap(source, scopes.tree) == gap


@each_row(
    ("text", "line", "first", "last"),
    [
        ("a = 1\n", 1, 1, 1),
        ("# head\na = 1\n", 2, 2, 2),
        ("b = 1\n# why\n# so\na = 1\n", 4, 2, 4),
        ("b = 1\n# far\n\n# why\na = 1\n", 5, 4, 5),
        ("if b:\n    c\n# out\n    a = 1\n", 4, 4, 4),
        ("b = 1\n# why\n@c\n@d\ndef f():\n    pass\n", 5, 2, 6),
        ("a = (1,\n     2)\n# below\n", 1, 1, 2),
        ("def f():\n    pass\n    # in\n\n    # too\n# out\n", 1, 1, 5),
        ("def f():\n    pass\n\n\n# out\n    # in\n", 1, 1, 2),
        ("class C:\n\tpass\n        # in\n    # too\nb = 1\n", 1, 1, 4),
        ("a = 1\n    # in\n", 1, 1, 1),
    ],
)
def test_lines_of_a_statement(text: str, line: int, first: int, last: int) -> None:
    source, scopes = opened(text)
    node = statement_at(scopes.tree, line)
    assert placement.first_attached_line(source, node) == first
    assert placement.last_line(source, node) == last


@each_row(
    ("text", "line", "above", "below"),
    [
        ("a\nb\n", 2, 0, 1),
        ("a\n\nb\n", 3, 1, 1),
        ("a\n \n\nb\n\nc", 4, 2, 1),
        ("\n\na\nb", 3, 99, 0),
        ("a\nb", 1, 99, 0),
        ("a\n\n\n\nb", 1, 99, 3),
    ],
)
def test_blank_lines(text: str, line: int, above: int, below: int) -> None:
    source, _ = opened(text)
    assert placement.blank_lines_above(source, line) == above
    assert placement.blank_lines_below(source, line) == below


@each_row(
    ("text", "line", "place"),
    [
        ("a = 1\nb = 2\n", 2, 2),
        ("a = 1\n# why\nb = 2\n", 3, 2),
        ("a = 1; b = 2\nc = 3\n", 1, 1),
        ("a = 1\ndef f():\n    return 1\n", 3, 2),
        ("a = '''\n'''; b = 2\n", 2, 1),
        ("a = 1\nb = 2; c = 3\n", 2, 2),
        ("a = 1; \\\n  b = 2\n", 2, 1),
        ("if a:\n    b\nelse:\n    c\n", 4, 1),
        ("a = 1\nb = 2\n\n'''what c is'''\nc = 3\n", 5, 4),
        ("a = 1\nb = 2\n\n# more\n'''what c\nis'''\n# why\nc = 3\n", 8, 4),
        ("a = 1\nb = 2\n'''what b is'''\nc = 3\n", 4, 4),
        ("a = 1\nb = 2\n'''a part'''\n\nc = 3\n", 5, 5),
        ("'''The file.'''\nc = 3\n", 2, 2),
        ("a = 1\nb = 2; '''more'''\nc = 3\n", 3, 3),
    ],
)
def test_place_above(text: str, line: int, place: int) -> None:
    source, scopes = opened(text)
    assert placement.place_above(source, scopes, statement_at(scopes.tree, line)) == place
