"""Names that one node binds or changes in place."""

from __future__ import annotations

import ast

from codemods.transforms.model_deepcopy.constructor_survey import changed
from harness.each_row import each_row


@each_row(
    ("text", "names"),
    [
        ("import a.b", {"a"}),
        ("import a.b as c", {"c"}),
        ("from a import b", {"b"}),
        ("from a import b as c", {"c"}),
        ("def f(): pass", {"f"}),
        ("a.b.c = 1", {"a.b.c"}),
        ("a[0].b = 1", {"a"}),
        ("print(a)", set()),
    ],
)
def test_changed(text: str, names: set[str]) -> None:
    assert {name for node in ast.walk(ast.parse(text)) for name in changed(node)} == names
