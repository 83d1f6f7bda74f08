"""The name of a helper function that a fix writes: its own, numbered where the file means something else by it."""

from __future__ import annotations

import ast

from codemods.transforms.model_deepcopy.helper_functions import helper_name
from harness.each_row import each_row

TEXT = "def share(model):\n    return model\n"


@each_row(
    ("file", "name", "written"),
    [
        ("x = 1\n", "share", TEXT),
        ("share = 1\n", "share_2", TEXT.replace("share", "share_2")),
        ("print(share)\n", "share_2", TEXT.replace("share", "share_2")),
        ("def share(model):\n    return 1\n", "share_2", TEXT.replace("share", "share_2")),
        ("def share(model):\n    return 1\nshare_2 = 1\n", "share_3", TEXT.replace("share", "share_3")),
        (f"x = 1\n\n\n{TEXT}", "share", None),  # it is there already
        (f"# before\n{TEXT}\nshare(1)\n", "share", None),
        ("class A:\n    def share(self):\n        pass\n", "share", TEXT),
        ("x.share = 1\n", "share", TEXT),
    ],
)
def test_the_name_of_a_helper(file: str, name: str, written: str | None) -> None:
    helpers: dict[str, str] = {}
    assert helper_name(ast.parse(file), "share", TEXT, helpers) == name
    assert helpers == ({} if written is None else {name: written})
