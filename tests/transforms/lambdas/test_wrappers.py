"""The rule `lambdas`: decorated functions that cross, and what keeps `functools.wraps` from their wrappers."""

from __future__ import annotations

import pytest

from codemods.finding import Finding
from codemods.project import Project
from codemods.transforms.lambdas.rule import find
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

MAIN = """
from multiprocessing import Pool
import functools
{decorator}

@logged
def area(row):
    return row * row

{more}

def main():
    with Pool(2) as pool:
        pool.map(area, [1])

if __name__ == "__main__":
    main()
"""
PLAIN = """
def logged(function):
    def wrapper(row):
        return function(row)
    return wrapper
"""


def found(decorator: str, more: str = "") -> list[Finding]:
    code = MAIN.format(decorator=decorator, more=more)
    return list(find(Project(MemoryFiles({"main.py": code.encode()}))))


def test_the_wrapper_is_named_with_the_function_that_it_replaces() -> None:
    (finding,) = found(PLAIN)
    assert finding.span.line == 6
    assert finding.fix is not None and finding.fix.unsafe is None
    assert [hop.what for hop in finding.trace][1] == "here it takes the place of `area`"


@each_row(
    "decorator",
    [
        PLAIN.replace("    def wrapper", "    @functools.wraps(function)\n    def wrapper"),
        PLAIN.replace("return wrapper", "return functools.update_wrapper(wrapper, function)"),
        PLAIN.replace("    return wrapper", "    functools.update_wrapper(wrapper, function)\n    return wrapper"),
        PLAIN.replace("    return wrapper", "    wrapper.__qualname__ = function.__qualname__\n    return wrapper"),
        PLAIN.replace("    def wrapper", "    if __debug__:\n        return function\n    def wrapper"),
        "def logged(function):\n    return function\n",
    ],
)
def test_no_wrapper_that_surely_hides_the_function(decorator: str) -> None:
    assert not found(decorator)


def test_the_original_that_a_decorator_starts_is_not_its_wrapper() -> None:
    starts = PLAIN.replace("return function(row)", "return Pool(2).map(function, [row])")
    code = MAIN.format(decorator=starts, more="").replace("pool.map(area, [1])", "area(1)")
    assert not list(find(Project(MemoryFiles({"main.py": code.encode()}))))


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("print(area.__name__)", "`__name__` of `area` is read at main.py:15"),
        ("names = [area]", "`area` is passed on at main.py:15"),
        ("other = logged(len)", "`logged` is not only a decorator (main.py:15)"),
        ("def area(row):\n    return row", "main.py binds `area` several times"),
        ("@print\n@logged\ndef other(row):\n    return row", "other decorators of `other` (main.py:17)"),
        ("def inner(f):\n    return f.__wrapped__", "`__wrapped__`, which main.py reads"),
    ],
)
def test_what_the_wrapper_shows_of_itself_may_be_read(more: str, reason: str) -> None:
    refused = [finding.reason for finding in found(PLAIN, more) if finding.reason is not None]
    assert len(refused) == 1 and reason in refused[0], refused
