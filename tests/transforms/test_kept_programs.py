"""Programs found by chance: each takes a way through the rules that no test of theirs takes, and its answer is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.engine.migrate import check, plan
from codemods.finding import Confidence
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
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


SEEN_AFTER = "after it workers would run, and go on without what they have today"  # which costs a second look at all


def left_alone(rule: str, row: Row) -> list[str]:
    """What `check` calls fixable and `migrate` refuses, but for what is seen in the result alone."""
    files = MemoryFiles({path: text.encode() for path, text in row.files.items()})
    settings = Settings(select=(rule,), confidence=Confidence.POSSIBLE)
    report = check(files, settings)
    if not any(each.fix is not None and each.fix.unsafe is None for each in report.findings):
        return []
    done = plan(files, settings)
    fixed = {(each.path, each.span, each.message) for change in done.changes for each in change.findings}
    refused = {(each.path, each.message): each.reason or "" for each in done.remaining if each.fix is None}
    safe = [each for each in report.findings if each.fix is not None and each.fix.unsafe is None]
    left = [each for each in safe if (each.path, each.span, each.message) not in fixed]
    return [f"{each.path}:{each.span.line} {refused[each.path, each.message]}" for each in left
            if SEEN_AFTER not in refused.get((each.path, each.message), SEEN_AFTER)]  # fmt: skip


@pytest.mark.parametrize("table", tables(), ids=[table.stem for table in tables()])
def test_what_check_calls_fixable_is_fixed(table: Path) -> None:
    found = {}
    for name, row in kept(table).items():
        if any(line.startswith("  = ") for line in row.answer):
            found[name] = left_alone(rule_of(table).id, worded(row, (words_of(name) or [WORD])[0]))
    assert not {name: left for name, left in found.items() if left}
