"""Programs found by chance: each takes a way through the rules that no test of theirs takes, and its answer is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.kept_programs import UNKNOWN, kept, rule_of, tables, whole_answer, worded, words_of
from harness.rows import Row
from harness.tool import text_diff

pytestmark = [pytest.mark.slow, pytest.mark.in_process]

PROGRAMS = {f"{table.stem} {name}": (table, row) for table in tables() for name, row in kept(table).items()}
WORDS = {
    f"{name.partition(' =')[0]} {word}": (table, worded(row, word))
    for name, (table, row) in PROGRAMS.items()
    for word in words_of(name)
}
UNKNOWN_WORDS = {name: (table, worded(row, UNKNOWN)) for name, (table, row) in PROGRAMS.items() if words_of(name)}
PLAIN = {name: each for name, each in PROGRAMS.items() if name not in UNKNOWN_WORDS}


def difference(table: Path, row: Row) -> str:
    """What is not as it is kept."""
    found = whole_answer(rule_of(table), row.files)
    return text_diff("\n".join(row.answer), "\n".join(found), (table.name, "now"))


@pytest.mark.parametrize(("table", "row"), PLAIN.values(), ids=PLAIN)
def test_the_answer_is_that_which_is_kept(table: Path, row: Row) -> None:
    differs = difference(table, row)
    assert not differs, f"`make snapshots` writes this; is it what you meant?\n{differs}"


@pytest.mark.parametrize(("table", "row"), WORDS.values(), ids=WORDS)
def test_the_answer_to_each_word_of_a_vocabulary(table: Path, row: Row) -> None:
    differs = difference(table, row)
    assert not differs, f"`make snapshots` writes this; is it what you meant?\n{differs}"


@pytest.mark.parametrize(("table", "row"), UNKNOWN_WORDS.values(), ids=UNKNOWN_WORDS)
def test_another_word_has_another_answer(table: Path, row: Row) -> None:
    assert difference(table, row)
