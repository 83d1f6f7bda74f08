"""Definitions that move line by line get the text that LibCST gives them; what may differ is left to it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from codemods.transforms.lambdas.writing.moved_tree import moved_tree
from codemods.transforms.lambdas.writing.shifted_lines import shifted_lines
from harness.each_row import each_row

SOURCES = Path(__file__).resolve().parents[3] / "codemods"


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("new", ["    ", *(pytest.param(far, marks=pytest.mark.slow) for far in ("", " " * 12))])
def test_every_inner_definition_of_this_package_moves_as_libcst_moves_it(new: str) -> None:
    moved = 0
    for path in sorted((SOURCES / "flow").rglob("*.py")):
        text = path.read_text("utf-8")
        lines = text.split("\n")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.col_offset:
                first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
                definition = "\n".join(lines[first - 1 : node.end_lineno])
                old = " " * node.col_offset
                shifted = shifted_lines(definition, old, new)
                if shifted is not None:
                    moved += 1
                    assert shifted == moved_tree(definition, old, new, (), docstrings=True), f"{path}:{node.lineno}"
    assert moved > 50


@each_row(
    "body",
    [
        "x = 1",
        "# above\n    x = 1  # beside\n\n    # last\n    return x",
        "return f(\n        1,\n\n        2,  # two\n    )",
        "if x:\n        y = 1\n        # inside\n    else:\n        y = 2\n    return y",
    ],
    ids=["a line", "comments", "brackets", "blocks"],
)
def test_plain_text_is_shifted(body: str) -> None:
    text = "    def f(x):\n        " + body.replace("\n", "\n    ").replace("\n    \n", "\n\n")
    assert shifted_lines(text, "    ", "") == moved_tree(text, "    ", "", (), docstrings=True)


@each_row(
    "text",
    [
        '    def f():\n        """One\n        two."""',
        "    def f():\n        return 1 + \\\n            2",
        "    def f():\n        return(lambda: 0)",
        "    def f():\n        return g(\n    1)",
        "    def f():\n        x = 1\n    # far out\n        return x",
        "    def f():\n# at the margin\n        return 1",
        "    def f():\n\t\treturn 1",
        "    def f(): return 1; x = 2\n    y = 1",
        "    def f():\n        match = 1\n        match x:\n            case 1: pass",
        "    def f(:",
    ],
    ids=[
        "docstring", "backslash", "keyword and bracket", "bracket to the left", "comment to the left", "comment at 0",
        "tabs", "two statements", "match", "no Python",
    ],
)  # fmt: skip
def test_what_may_differ_is_left_to_libcst(text: str) -> None:
    assert shifted_lines(text, "    ", "") is None
