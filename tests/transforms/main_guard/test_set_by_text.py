"""What sets variables of a module by their names as text counts as an assignment of these."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

OTHER = "size = 8\nlabel = 'a'\n\n\ndef area():\n    return size * size\n"
SCRIPT = """\
import json
import multiprocessing
import sys

import __main__ as main
import shapes

depth = 2
rows = {"depth": 4}
this = sys.modules[__name__]


def apply(values):
    globals().update(values)


def work(n):
    print(n, {read})


def unused():
    return depth, shapes.size


first = multiprocessing.Process(target=work, args=(1,))
first.start()
{change}
second = multiprocessing.Process(target=work, args=(2,))
second.start()
"""

OWN = [
    "globals().update(rows)",
    "globals().update(depth=4)",
    "globals().update({'depth': 4})",
    "globals()['depth'] = 4",
    "globals()[json.loads('\"depth\"')] = 4",
    "globals().setdefault('depth', 4)",
    "vars().update(rows)",
    "locals()['depth'] = 4",
    "setattr(sys.modules[__name__], 'depth', 4)",
    "setattr(this, 'depth', 4)",
    "for name in rows:\n    setattr(this, name, 4)",
    "this.__dict__.update(rows)",
    "vars(this).update(rows)",
    "delattr(this, 'depth')",
    "exec('depth = 4')",
    "exec(json.loads('\"depth = 4\"'))",
    "apply(rows)",
    "names = globals()\nnames['depth'] = 4",
]


def files(read: str, change: str) -> dict[str, str]:
    return {"shapes.py": OTHER, "train.py": SCRIPT.replace("{read}", read).replace("{change}", change)}


@each_row("change", [*OWN, "sys.modules[__name__].depth = 4", "main.depth = 4", "setattr(main, 'depth', 4)"])
def test_what_a_worker_reads_is_not_set_under_the_guard(change: str) -> None:
    (reason,) = reasons(files("depth", change), "main-guard")
    assert "`depth`" in reason
    assert "`work`" in reason


@each_row("change", OWN)
def test_what_no_worker_reads_may_be_set_there(change: str) -> None:
    after = migrated(files("n", change), "main-guard")["train.py"]
    assert after.index("if __name__ ==") < after.index("first.start()")


@each_row(
    "change",
    ["globals().update(width=4)", "setattr(this, 'width', 4)", "globals()['width'] = 4", "exec('width = 4')"],
)
def test_another_variable_is_no_reason(change: str) -> None:
    assert "__main__" in migrated(files("depth", change), "main-guard")["train.py"]


@pytest.mark.parametrize(
    "change", ["globals().update(rows)", "setattr(this, json.loads('\"late\"'), 4)", "apply(rows)"]
)
def test_a_name_that_nothing_else_sets(change: str) -> None:
    (reason,) = reasons(files("late", change), "main-guard")
    assert "`late`" in reason


@each_row(
    "change",
    [
        "for name in rows:\n    setattr(shapes, name, 4)",
        "setattr(shapes, 'size', 4)",
        "vars(shapes).update(rows)",
        "shapes.__dict__['size'] = 4",
    ],
)
def test_variables_of_another_file(change: str) -> None:
    (reason,) = reasons(files("shapes.size", change), "main-guard")
    assert "changes `size` of shapes.py, which `work` reads in a worker" in reason
    assert "__main__" in migrated(files("depth", change), "main-guard")["train.py"]


def test_unknown_names_are_not_taken_for_functions() -> None:
    """`area` itself reads `size`, which may be set; a function that reads nothing is no variable."""
    change = "for name in rows:\n    setattr(shapes, name, 4)"
    (reason,) = reasons(files("shapes.area()", change), "main-guard")
    assert "`size` of shapes.py" in reason
    quiet = {**files("shapes.area()", change), "shapes.py": "def area():\n    return 4\n"}
    assert "__main__" in migrated(quiet, "main-guard")["train.py"]


def test_what_is_another_in_each_process_is_no_value_to_set_anew() -> None:
    script = """\
import multiprocessing
import time

globals().update(begin=time.time())


def work(n):
    print(n, begin)


multiprocessing.Process(target=work, args=(1,)).start()
"""
    (reason,) = reasons({"train.py": script}, "main-guard")
    assert "line 4 calls `time.time`" in reason
    assert "`begin`" in reason
