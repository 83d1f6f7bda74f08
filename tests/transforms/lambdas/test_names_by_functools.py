"""Functions that get the name of another one by `functools`: at module level pickle would find that under it."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

PROGRAM = """\
import functools
from multiprocessing import Process


def other(rows):
    return rows


def make():
    def inner(rows):
        return rows + 1

    {then}


if __name__ == "__main__":
    Process(target=print, args=(make(),)).start()
"""


@each_row(
    ("then", "named"),
    [
        ("functools.update_wrapper(inner, other)\n    return inner", "gives it the name of `other`"),
        ("return functools.update_wrapper(inner, other)", "gives it the name of `other`"),
        ("return functools.wraps(other)(inner)", "gives it the name of `other`"),
        ("wrapped = functools.wraps(other)(inner)\n    return wrapped", "gives it the name of `other`"),
        (
            "@functools.wraps(inner)\n    def outer(rows):\n        return inner(rows)\n\n    return outer",
            "gives its name to another function",
        ),
    ],
)
def test_it_would_not_be_found(then: str, named: str) -> None:
    (reason,) = reasons({"run.py": PROGRAM.format(then=then)}, "lambdas")
    assert named in reason


@each_row("then", ["return inner", "functools.partial(inner, 1)\n    return inner", "print(inner)\n    return inner",
                   "other.__doc__ = inner.__doc__\n    return inner"])  # fmt: skip
def test_it_keeps_its_name(then: str) -> None:
    assert "\n\ndef inner(rows):\n" in migrated({"run.py": PROGRAM.format(then=then)}, "lambdas")["run.py"]
