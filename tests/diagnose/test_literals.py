"""The texts that a pattern needs: none may be asked for that a match could do without."""

from __future__ import annotations

import re

from codemods.diagnose.causes import known_rows, rows_that_may_match
from codemods.diagnose.literals import alternatives, required_literals
from codemods.known_error import KnownError
from harness.each_row import each_row


def rows_to_try(line: str) -> list[KnownError]:
    """The rows whose pattern is tried on `line`."""
    return [row.error for row in rows_that_may_match(re.sub(r"\d+", "0", line.lower()))]


@each_row(
    ("pattern", "texts"),
    [
        ("abc", {"abc"}),
        ("ABC|def+", {"abc", "def"}),
        ("a+bcd", {"bcd"}),
        ("abcd?efg", {"abc"}),
        ("abc*defg", {"defg"}),
        ("(?:abc|def)", {"abc", "def"}),
        ("(?:abc|def)?xy", None),
        ("(?:abc|d)", None),
        ("(?P<name>\\w+) objects", {" objects"}),
        ("one(?:long text)two", {"one"}),
        ("(?!never)(?<!ever)[^a]b(?:then)", {"then"}),
        ("\\[Errno (?:12|13)\\]", {"[errno "}),
        ("[]x]abc", {"abc"}),
        ("ab.c", None),
        ("x{2}abc|def", {"abc", "def"}),
        ("(?-i:ABC)", {"abc"}),
        ("one|(?:two|\\d)", None),
    ],
)
def test_what_a_pattern_needs(pattern: str, texts: set[str] | None) -> None:
    assert required_literals(pattern) == texts


def test_no_row_is_tried_for_every_line() -> None:
    assert [row.error.pattern for row in known_rows() if required_literals(row.error.pattern) is None] == []
    for line in (
        "2024-05-01 12:01:05,123 - trainer - WARNING - step 5 lr 1e-3 loss error 0.4 expected shape (3, 3) got invalid",
        "x.py:3: UserWarning: DataLoader worker exception ignored, process 3 error",
        "[12:00:00] epoch 3 loss 0.4 accuracy 0.9 signal 3 timed out",
    ):
        assert len(rows_to_try(line)) <= 4


def test_an_ordinary_line_is_tried_by_no_row() -> None:
    """A literal that is only a number would be in every line, as numbers are looked at as 0."""
    assert rows_to_try("epoch 3 loss 0.5 acc 0.31 mem 2.61G time 0.1 s") == []


def test_a_line_that_matches_is_always_tried() -> None:
    """Texts made from the patterns themselves, with every group's first branch, are not lost."""
    seen = 0
    for error in (row.error for row in known_rows()):
        for alternative in error.pattern.split("|"):
            text = re.sub(r"\\([^\w])", r"\1", alternative)
            if re.search(error.pattern, text, re.IGNORECASE):
                seen += 1
                assert error in rows_to_try(text), error.pattern
    assert seen > 150


def test_branches_inside_of_groups_and_classes_are_left_alone() -> None:
    assert alternatives(r"a|b(?:c|d)|[|]e|\|f|(g|(h|i))") == ["a", "b(?:c|d)", "[|]e", r"\|f", "(g|(h|i))"]
    assert alternatives("") == [""]
