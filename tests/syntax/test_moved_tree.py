"""Trees that differ in the lines of their nodes alone."""

from __future__ import annotations

import ast

from codemods.syntax.moved_tree import moved_lines
from tests.harness.each_row import each_row

TEXT = 'import os\n\n\ndef f(x):\n    y = """a\n# b\n"""; z = (x,\n         1)\n    return y, z\n'


def lines(text: str) -> dict[int, int] | None:
    return moved_lines(ast.parse(TEXT), ast.parse(text))


def test_lines_move_below_comments_and_blank_lines() -> None:
    text = TEXT.replace("\n\n\ndef", "  # a\n# b\n\n\n\ndef").replace("    return", "    # c\n    return")
    assert lines(text) == {1: 1, 4: 6, 5: 7, 7: 9, 8: 10, 9: 12}
    assert lines(TEXT.replace("\n\n\ndef", "\n\n#\ndef")) == {line: line for line in (1, 4, 5, 7, 8, 9)}


@each_row(
    "old, new",
    [
        ("# b\n", "# b \n"),  # in a text
        ("# b\n", ""),
        ("; z", "\n    z"),  # one line is two
        ("(x,\n         1)", "(x, 1)"),  # two lines are one
        ("y, z", "y,  z"),  # a column
        ("def f", "async def f"),
        ("x,", "x.y,"),
        ("1)", "1.0)"),
        ("1)", "True)"),
        ("import os", "import os as o"),
        ("import os\n", "import os; import re\n"),
        ("return y, z", "return y"),
    ],
)
def test_what_is_more_than_lines(old: str, new: str) -> None:
    assert TEXT.count(old) == 1
    assert lines(TEXT.replace(old, new)) is None
