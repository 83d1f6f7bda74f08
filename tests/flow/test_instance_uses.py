"""What code does to objects of a class, wherever it gets them from: every kind of use, and look-alikes."""

from __future__ import annotations

from codemods.flow.answers.crossings import flow_of
from harness.each_row import each_row
from harness.marks import project_of

CLASSES = "class Box:\n    kind = 1\n    def run(self):\n        return 1\n\nclass Other:\n    pass\n"


def uses(text: str) -> list[tuple[str, str, str, int]]:
    """What is done to a `Box`: the kind of use, its name, the file and the line."""
    flow = flow_of(project_of({"box.py": CLASSES, "use.py": "import copy\nfrom box import Box, Other\n" + text}))
    return sorted({(use.what, use.attribute, use.path, use.line) for use in flow.instance_uses("box.py", 1)})


def at(what: str, name: str, line: int = 4) -> list[tuple[str, str, str, int]]:
    return [(what, name, "use.py", line)]


@each_row(
    ("text", "expected"),
    [
        ("box = Box()\n", []),
        ("box = Box()\nprint(box.kind)\n", at("read", "kind")),
        ("box = Box()\nbox.kind\n", at("read", "kind")),
        ("box = Box()\nprint(box.__dict__)\n", at("shown", "__dict__")),
        ("box = Box()\nbox.kind = 2\n", at("set", "kind")),
        ("box = Box()\nbox.kind: int = 2\n", at("set", "kind")),
        ("box = Box()\nsetattr(box, 'kind', 2)\n", at("set", "kind")),
        ("box = Box()\ndelattr(box, 'kind')\n", at("set", "kind")),
        ("box = Box()\nsetattr(box, name, 2)\n", []),
        ("box = Box()\nsetattr(1, 'kind', box)\n", []),
        ("box = Box()\ngetattr(box, 'other')\n", []),
        ("box = Box()\nvars(box)\n", at("shown", "")),
        ("box = Box()\nvars()\n", []),
        ("box = Box()\ndir(box)\n", at("shown", "")),
        ("class A: pass\nfor it in [Box(), Other(), A()]:\n    it.kind = 1\n", at("set", "kind", 5)),
        ("class A: pass\nclass B: pass\nfor it in [Box(), Other(), A(), B()]:\n    it.kind = 1\n", []),
        ("box = Box()\nlen(box)\n", []),
        ("box = Box()\ncopy.copy(box)\n", at("copied", "")),
        ("box = Box()\ncopy.copy(1, box)\n", []),
        ("box = Box()\ncopy.deepcopy(box)\n", []),
        ("from copy import copy as again\nbox = again(Box())\n", at("copied", "")),
        ("box = Other()\nprint(box.kind, vars(box), copy.copy(box))\nbox.kind = 2\n", []),
        ("def look(it):\n    return it.kind\nlook(Box())\n", at("read", "kind")),
        ("def look(it):\n    it.kind = 3\nfor box in [Box(), Box()]:\n    look(box)\n", at("set", "kind")),
        ("boxes = {'a': Other(), 'b': Box()}\nboxes['b'].kind = 1\nboxes['a'].kind = 1\n", at("set", "kind")),
        ("box = Box()\nbox.kind = box.size\n", [*at("read", "size"), *at("set", "kind")]),
    ],
)
def test_uses_of_objects(text: str, expected: list[tuple[str, str, str, int]]) -> None:
    assert uses(text) == expected
