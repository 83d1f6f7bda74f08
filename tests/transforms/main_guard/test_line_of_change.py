"""The line that a reason names is that of the change, and not of the loop or the branch around it."""

from __future__ import annotations

import ast

from codemods.transforms.main_guard.statements import line_of_change
from harness.each_row import each_row
from harness.small import reasons


@each_row(
    ("text", "line"),
    [
        ("A = 1", 1),
        ("if x:\n    y = 2\n    A[0] = 1\n    A = 3", 3),
        ("for i in x:\n    if i:\n        A.append(i)\n", 3),
        ("for A in x:\n    pass", 1),
        ("with x as A:\n    A = 2", 2),
        ("try:\n    y = 1\nexcept E:\n    del A", 4),
        ("if x:\n    def A():\n        pass", 1),
        ("if x:\n    y = 1", 1),
    ],
)
def test_line_of_change(text: str, line: int) -> None:
    assert line_of_change(ast.parse(text).body[0], "A") == line


def test_the_reason_names_it() -> None:
    text = """\
import multiprocessing as mp
SIZES = {}

def work(index):
    print(SIZES, index)

for index in range(3):
    print(index)
    SIZES[index] = index
    process = mp.Process(target=work, args=(index,))
    process.start()
"""
    (reason,) = reasons({"a.py": text}, "main-guard")
    assert "`work` may run in a worker and reads `SIZES`, which line 9 sets" in reason
