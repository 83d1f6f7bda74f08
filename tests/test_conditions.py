"""What `benchmarks/conditions.py` notes: each condition, and nothing that changes what a file does."""

from __future__ import annotations

from types import ModuleType

import pytest

from harness.tools import benchmark

CODE = """\
def f(a, b):
    return [x for x in a if x > 1 and (y := b) or not x], 1 if b else 2  # é

while f([1, 2], None) == "é" or None:
    pass
kept = f([0, 2], 3)
"""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return benchmark("conditions")


def test_each_condition_is_noted_and_the_file_does_the_same(tool: ModuleType) -> None:
    found = [*tool.conditions(CODE.encode())]
    words = {(each.line, each.kind, each.words) for each in found}
    assert words == {
        (2, "or 1", "x > 1 and (y := b)"),
        (2, "or 2", "not x"),
        (2, "and 1", "x > 1"),
        (2, "and 2", "y := b"),
        (2, "if", "b"),
        (4, "or 1", 'f([1, 2], None) == "é"'),
    }
    seen: dict[str, set[bool]] = {}

    def note(number: int, value: object) -> object:
        seen.setdefault(found[number - 7].words, set()).add(bool(value))
        return value

    plain: dict[str, object] = {}
    noted: dict[str, object] = {"_seen": note}
    exec(CODE, plain)
    exec(tool.noting(CODE.encode(), found, 7), noted)
    assert noted["kept"] == plain["kept"] == ([0, 2], 1)
    assert seen == {
        "x > 1 and (y := b)": {True, False},
        "not x": {True, False},
        "x > 1": {True, False},
        "y := b": {True, False},
        "b": {True, False},
        'f([1, 2], None) == "é"': {False},
    }
