"""Whether a global of a script has its value when a line runs: what is set before it, on every way to it."""

from __future__ import annotations

import ast

from codemods.project import Project
from codemods.syntax.outline import outline_of
from codemods.transforms.main_guard.set_before import SetBefore
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

MAIN = "if __name__ == '__main__':\n"
RUN = "def run():\n    here()\n"
SETS = "def first():\n    global size\n    size = 1\n"


@each_row(
    ("text", "bound"),
    [
        (f"{MAIN}    size = 1\n    here()", True),
        (f"{MAIN}    here()\n    size = 1", False),
        (f"{MAIN}    other = 1\n    here()", False),
        (f"size = 1\n{MAIN}    here()", False),  # what it has in a worker as well
        ("size = 1\nhere()", False),
        (f"{MAIN}    size = 1\nhere()", False),
        (f"{MAIN}    size: int = 1\n    here()", True),
        (f"{MAIN}    size, other = 1, 2\n    here()", True),
        (f"{MAIN}    for size in (1, 2):\n        here()", True),
        (f"{MAIN}    for other in (1, 2):\n        here()", False),
        (f"{MAIN}    for size in (1, 2):\n        pass\n    here()", False),  # there may be none
        (f"{MAIN}    with made() as size:\n        here()", True),
        (f"{MAIN}    with made() as other:\n        size = 1\n    here()", True),
        (f"{MAIN}    while other:\n        size = 1\n    here()", False),
        (f"{MAIN}    if other:\n        size = 1\n    here()", False),
        (f"{MAIN}    if other:\n        size = 1\n    else:\n        size = 2\n    here()", True),
        (f"{MAIN}    if other:\n        size = 1\n    else:\n        raise E\n    here()", True),
        (f"{MAIN}    if other:\n        size = 1\n    else:\n        pass\n    here()", False),
        (f"{MAIN}    if other:\n        size = 1\n        here()", True),
        (f"{MAIN}    try:\n        size = 1\n    finally:\n        here()", False),
        (f"{RUN}{MAIN}    size = 1\n    run()", True),
        (f"{RUN}{MAIN}    run()\n    size = 1", False),
        (f"{RUN}{MAIN}    size = 1\n    run()\n    again = run", False),
        (f"{RUN}{MAIN}    size = 1\n    run()\nrun()", False),
        (f"{RUN}run = mark(run)\n{MAIN}    size = 1\n    run()", False),
        (f"@mark\n{RUN}{MAIN}    size = 1\n    run()", False),
        (f"{RUN}", False),
        (f"{SETS}{MAIN}    first()\n    here()", True),
        (f"{SETS}{MAIN}    found = first()\n    here()", True),
        (f"{SETS}{MAIN}    print(first())\n    here()", False),
        (f"{SETS.replace('global size', 'pass')}{MAIN}    first()\n    here()", False),
        (f"{SETS.replace('size = 1', 'other = 1')}{MAIN}    first()\n    here()", False),
        ("def run():\n    global size\n    size = 1\n    here()\n", True),
        ("def run():\n    global size\n    here()\n    size = 1\n", False),
        ("def run():\n    size = 1\n    here()\n", False),  # a variable of the function
        ("def run():\n    for size in (1, 2):\n        here()\n", False),
        ("def run():\n    global size\n    for size in (1, 2):\n        here()\n", True),
        (f"def run():\n    go()\ndef go():\n    here()\n{MAIN}    size = 1\n    run()", True),
    ],
)
def test_a_global_has_its_value(text: str, bound: bool) -> None:
    outline = outline_of(Project(MemoryFiles({"run.py": text.encode()})), "run.py")
    assert outline is not None
    (call,) = (
        node for node in ast.walk(outline.module) if isinstance(node, ast.Expr) and ast.unparse(node) == "here()"
    )
    assert SetBefore(outline, imported=False).bound_before(call, "size") is bound


def test_another_file_may_call_what_it_imports() -> None:
    text = f"{RUN}{MAIN}    size = 1\n    run()"
    outline = outline_of(Project(MemoryFiles({"run.py": text.encode()})), "run.py")
    assert outline is not None
    (call,) = outline.calls["here"]
    assert SetBefore(outline, imported=False).bound_before(call, "size")
    assert not SetBefore(outline, imported=True).bound_before(call, "size")
