"""The name of a helper function that a fix writes: its own, numbered where the file means something else by it."""

from __future__ import annotations

import ast

from codemods.transforms.model_deepcopy.helper_functions import helper_edits, helper_name
from codemods.tree.source import Source
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


CALL = "copied = deepcopy(net)\n"
DEF = f"def use(net):\n    {CALL}"


@each_row(
    ("before", "call", "after"),
    [
        ("", CALL, "{helper}\n\n\n{call}"),
        ("x = 1\n", CALL, "x = 1\n{helper}\n\n\n{call}"),
        ("import a\n", CALL, "import a\n\n\n{helper}\n\n\n{call}"),
        ("import a\n\n", CALL, "import a\n\n\n{helper}\n\n\n{call}"),
        ("import a\n\n\n\n", CALL, "import a\n\n\n\n{helper}\n\n\n{call}"),
        ("from a import (\n    b,\n)\nx = 1\n", CALL, "from a import (\n    b,\n)\n\n\n{helper}\n\n\nx = 1\n{call}"),
        ("x = 1\nimport a\ny = 2\n", CALL, "x = 1\nimport a\n\n\n{helper}\n\n\ny = 2\n{call}"),
        ("import a\n\n\n", DEF, "import a\n\n\n{helper}\n\n\n{call}"),
        ("x = 1\n\n\n# about\n# it\n", DEF, "x = 1\n\n\n{helper}\n\n\n# about\n# it\n{call}"),
        ("# about\n", DEF, "{helper}\n\n\n# about\n{call}"),
        ("@one\n@two\n", DEF, "{helper}\n\n\n@one\n@two\n{call}"),
        ("class A:\n    ", "copied = deepcopy(net)\n", "{helper}\n\n\nclass A:\n    {call}"),
        ("def other():\n    pass\n\n\n", DEF, "def other():\n    pass\n\n\n{helper}\n\n\n{call}"),
    ],
)
def test_where_a_helper_is_written(before: str, call: str, after: str) -> None:
    source = Source("a.py", before + call)
    tree = ast.parse(before + call)
    calls = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "deepcopy"
    ]
    new = source.apply(helper_edits(source, tree, calls, {"share": TEXT}))
    assert new == after.format(helper=TEXT.rstrip("\n"), call=call)
    assert helper_edits(source, tree, calls, {}) == []


@each_row(
    ("text", "indent"),
    [("def f():\n\tdeepcopy(net)\n", "\t"), ("def f():\n    deepcopy(net)\n", "    "),
     ("def f():\n\tx = 1\ndef g():\n    deepcopy(net)\n", "    ")],
)  # fmt: skip
def test_how_a_helper_is_indented(text: str, indent: str) -> None:
    source, tree = Source("a.py", text), ast.parse(text)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    (edit,) = helper_edits(source, tree, calls, {"share": "def share(model):\n    if model:\n        return model\n"})
    assert edit.text.startswith(f"def share(model):\n{indent}if model:\n{indent}{indent}return model")
