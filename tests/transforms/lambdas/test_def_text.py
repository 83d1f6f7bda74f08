"""Definitions whose lines would be too long: parameters on lines of their own, comments above their lines."""

from __future__ import annotations

import ast

from codemods.finding import Edit
from codemods.transforms.lambdas.writing.class_fields import is_alone, is_data, may_be_handed_over
from codemods.transforms.lambdas.writing.def_text import comments_above, edited, indentation_of, within
from codemods.tree.source import Source
from harness.each_row import each_row

SHORT = "def f(a, b):\n    return a + b"


@each_row(
    ("text", "width", "broken"),
    [
        (SHORT, 12, SHORT),
        (SHORT, 11, "def f(\n    a, b\n):\n    return a + b"),
        (SHORT, 7, "def f(\n    a,\n    b,\n):\n    return a + b"),
        (SHORT, 8, "def f(\n    a, b\n):\n    return a + b"),
        ("def f(a, b,):\n    pass", 10, "def f(\n    a, b\n):\n    pass"),
        ("def f(a, b,):\n    pass", 6, "def f(\n    a,\n    b,\n):\n    pass"),
        (
            "@cached(1, 2)\nasync def f(a) -> int:\n    pass",
            9,
            "@cached(1, 2)\nasync def f(\n    a\n) -> int:\n    pass",
        ),
        ("  def f(a, *, b=(1, 2)):\n    pass", 22, "  def f(\n      a, *, b=(1, 2)\n  ):\n    pass"),
        ("def f(a=g(1, 2), b=[3, 4]): pass", 14, "def f(\n    a=g(1, 2),\n    b=[3, 4],\n): pass"),
        ("def f(a=')', b={1: 2}): pass", 22, "def f(\n    a=')', b={1: 2}\n): pass"),
        ("def f():\n    return 'a long text'", 5, "def f():\n    return 'a long text'"),
        ("def f(a,\n      b):\n    pass", 5, "def f(a,\n      b):\n    pass"),  # on several lines already
        ("total = first + second", 5, "total = first + second"),
        ("if def_(a, b): pass", 5, "if def_(a, b): pass"),
    ],
)
def test_a_long_line_of_a_definition(text: str, width: int, broken: str) -> None:
    found = within(text, width, "    ")
    assert found == broken
    assert ast.dump(ast.parse(found.strip())) == ast.dump(ast.parse(text.strip()))


@each_row(
    ("text", "width", "before", "moved"),
    [
        ("x = 1  # why", 12, "", "x = 1  # why"),
        ("x = 1  # why", 11, "", "# why\nx = 1"),
        ("x = 1  # why", 5, "", "# why\nx = 1"),
        ("x = 1  # why", 4, "", "x = 1  # why"),  # the code alone is too long
        ("x = 1  # why", 11, "y = 2\n    x = 1  # why", "x = 1  # why"),  # it was so before
        ("    if a:\n        x = 1  # why", 15, "", "    if a:\n        # why\n        x = 1"),
        ("# a comment alone", 5, "", "# a comment alone"),
        ("x = '# no comment'", 5, "", "x = '# no comment'"),
        ("x = 1  # one\nz = 3\ny = 2  # two", 8, "", "# one\nx = 1\nz = 3\n# two\ny = 2"),
        ("x = (1  # why", 5, "", "x = (1  # why"),  # it can't be read
    ],
)
def test_a_comment_behind_a_line_that_became_longer(text: str, width: int, before: str, moved: str) -> None:
    assert comments_above(text, width, before) == moved


def test_edits_inside_a_part_of_a_file() -> None:
    source = Source("a.py", "a = lambda x:\r\n  x\rb")
    edits = [Edit("a.py", 15, 18, "[y]"), Edit("a.py", 11, 12, "y")]
    assert edited(source, 4, 20, edits) == "lambda y:\n[y]\nb"
    assert edited(source, 4, 13, []) == "lambda x:"
    assert indentation_of("\t x ") == "\t " and indentation_of("x") == ""


@each_row(
    ("value", "data"),
    [
        *((f"{name}(x)", True) for name in (
            "int", "float", "len", "str", "list", "dict", "set", "tuple", "range", "sum", "max", "min", "sorted",
            "round", "abs", "bool", "next", "print", "enumerate", "zip")),
        ("make(x)", False),
        ("kit.len(x)", False),
        *((text, True) for text in (
            "a + b", "-a", "a < b", "a or b", "f'{a}'", "[a]", "{a: b}", "{a}", "(a, b)", "[a for a in b]",
            "{a for a in b}", "{a: a for a in b}")),
        *((text, False) for text in ("a", "a.b", "a[b]", "lambda: a", "a if b else c", "(a for a in b)")),
    ],
)  # fmt: skip
def test_what_gives_no_function(value: str, data: bool) -> None:
    assert is_data(ast.parse(value, mode="eval").body) is data


@each_row(
    ("statement", "name"),
    [
        ("size = config.size", "size"),
        ("size: int = config.size", "size"),
        ("size: int", None),
        ("size: kit.of(1) = config.size", None),
        ("size: list[int] = config.size", "size"),
        ("size = width = config.size", None),
        ("size, width = config.size", None),
        ("size[0] = 1", None),
        ("__size = 1", None),
        ("_size = 1", "_size"),
        *((f"size = {value}", None) for value in ("(a := 1)", "lambda: 1", "[lambda: 1]", "await_(lambda: 1)")),
    ],
)
def test_what_of_a_class_may_be_an_argument(statement: str, name: str | None) -> None:
    node = ast.parse(statement).body[0]
    assert isinstance(node, (ast.Assign, ast.AnnAssign)) and may_be_handed_over(node) == name


@each_row(
    ("line", "alone"),
    [
        ("size = 1", True),
        ("size = (1,\n    2)", True),
        ("size = 1; x = 2", False),
        ("x = 2; size = 1", False),
        ("size = 1  # of each", False),
        ("size = (1,\n    2); x = 2", False),
    ],
)
def test_a_field_with_lines_of_its_own(line: str, alone: bool) -> None:
    text = f"x = 0\n# above\n{line}\n\n# below\nx = 0\n"
    (statement,) = (
        node for node in ast.parse(text).body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "size"
    )
    assert is_alone(Source("train.py", text), statement) is alone
