"""A `defaultdict` that is frozen by `default_factory = None` keeps no factory when it crosses."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
from collections import defaultdict
from multiprocessing import Pool


def index(lines, frozen=True):
    words = defaultdict(lambda: len(words))
    {first}
    for line in lines:
        words[line]
    {then}
    return words


def work(words):
    return len(words)


if __name__ == "__main__":
    print(Pool(2).map(work, [index(["a", "b"])]))
"""


@each_row(
    ("first", "then", "count"),
    [
        ("pass", "words.default_factory = None", 0),
        ("pass", "words.default_factory = None; print(len(words))", 0),
        ("pass", "words", 1),
        ("pass", "if frozen: words.default_factory = None", 1),
        ("pass", "words.default_factory = lambda: 0", 2),
        ("Pool(2).apply(work, words)", "words.default_factory = None", 1),
        ("pass", "words.factory = None", 1),
        ("words = defaultdict(lambda: 1)", "words.default_factory = None", 0),
    ],
)
def test_a_factory_that_is_taken_off(first: str, then: str, count: int) -> None:
    found = reported({"a.py": PROGRAM.format(first=first, then=then)}, "lambdas")
    assert len(found) == count, found
