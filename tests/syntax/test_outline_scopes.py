"""What belongs to a function that is defined in another: its variables, its object, its class."""

from __future__ import annotations

import ast

import pytest

from codemods.syntax.outline import Outline

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
