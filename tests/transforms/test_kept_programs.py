"""Programs found by chance: each takes a way through the rules that no test of theirs takes, and its answer is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.kept_programs import UNKNOWN, WORD, kept, rule_of, tables, whole_answer, worded, words_of
from harness.rows import Row
from harness.tool import text_diff

pytestmark = [pytest.mark.slow, pytest.mark.in_process]

PROGRAMS = {
    f"{table.stem} {name.partition(' =')[0]}": (table, words_of(name), row)
    for table in tables()
    for name, row in kept(table).items()
}


def difference(table: Path, row: Row) -> str:
    """What is not as it is kept."""
    found = whole_answer(rule_of(table), row.files)
    return text_diff("\n".join(row.answer), "\n".join(found), (table.name, "now"))


@pytest.mark.parametrize(("table", "words", "row"), PROGRAMS.values(), ids=PROGRAMS)
def test_the_answer_is_that_which_is_kept(table: Path, words: list[str], row: Row) -> None:
    for word in words or [WORD]:
        differs = difference(table, worded(row, word))
        assert not differs, f"{word}: `make snapshots` writes this; is it what you meant?\n{differs}"
    assert not words or difference(table, worded(row, UNKNOWN)), "no word matters"
