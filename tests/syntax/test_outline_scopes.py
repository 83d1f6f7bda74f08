"""What belongs to a function that is defined in another: its variables, its object, its class."""

from __future__ import annotations

import ast

import pytest

from codemods.syntax.outline import Outline
from harness.each_row import each_row

TEXT = """
class Loader:
    def build(self, scale):
        def directly():
            self.read = scale

        if scale:

            def in_a_block():
                self.read = scale

        later = lambda: setattr(self, "read", scale)

        class Local:
            def method(this):
                def inner():
                    this.read = scale
"""


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(5, id="a function directly in the method"),
        pytest.param(10, id="a function in a block of the method"),
        pytest.param(12, id="a lambda in the method"),
    ],
)
def test_nested_functions_belong_to_the_method(line: int) -> None:
    outline = Outline("loader.py", ast.parse(TEXT))
    loader = outline.definitions["Loader"][0]
    build = outline.definitions["build"][0]
    mine = next(node for node in outline.named["self"] if node.lineno == line)
    scale = next(node for node in outline.named["scale"] if node.lineno == line)

    scope, bindings = outline.lookup(scale, "scale")

    assert scope is build and [binding.parameter for binding in bindings] == [True]
    assert outline.owner(mine) is loader and outline.method(mine) is build and outline.is_self(mine)


def test_a_class_in_a_method_has_an_object_of_its_own() -> None:
    outline = Outline("loader.py", ast.parse(TEXT))
    this = next(node for node in outline.named["this"] if node.lineno == 17)

    assert outline.owner(this) is outline.definitions["Local"][0]
    assert outline.method(this) is outline.definitions["method"][0] and outline.is_self(this)
    assert outline.lookup(this, "scale")[0] is outline.definitions["build"][0]


COMPREHENDED = """
def read(path, rows):
    with open(path) as f:
        first = f
    inside = [f for f in rows]
    pairs = {f: g for f, *g in rows if f}
    source = [f for f in f]
    nested = [f for each in rows for f in f(each)]
    later = [lambda: f for f in rows]
    twice = [f for f in [f for f in f]]
    return f
"""


@each_row(
    ("line", "opened"),
    [
        pytest.param(4, [True], id="the file"),
        pytest.param(5, [False, False], id="a variable of a list"),
        pytest.param(6, [False] * 3, id="a variable of a dict, with others"),
        pytest.param(7, [False, False, True], id="what a list goes over"),
        pytest.param(8, [False] * 3, id="what its second loop goes over"),
        pytest.param(9, [False, False], id="a lambda in a list"),
        pytest.param(10, [False] * 4 + [True], id="what the inner list goes over"),
        pytest.param(11, [True], id="the file, after all of them"),
    ],
)
def test_variables_of_comprehensions_hide_those_of_the_function(line: int, opened: list[bool]) -> None:
    outline = Outline("read.py", ast.parse(COMPREHENDED))
    uses = sorted((node for node in outline.named["f"] if node.lineno == line), key=lambda node: node.col_offset)
    found = [[binding.value for binding in outline.lookup(use, "f")[1]] for use in uses]

    assert [isinstance(values[0], ast.Call) for values in found] == opened
    assert all(len(values) == 1 for values in found)
