"""What the last lines of a report say: what was found, what is not known, and how much is not shown."""

from __future__ import annotations

from typing import Any

import pytest
from test_blocks_and_lists import console, finding, shown

from codemods.engine.results import Report
from codemods.finding import Finding, Hop, Skipped
from codemods.review.markdown import to_markdown
from codemods.review.text import render_concise
from codemods.tree.source import Source
from harness.each_row import each_row


def summary(*found: Finding, files: int = 3, **more: Any) -> list[str]:
    out = console(width=200)
    render_concise(
        Report(".", found, more.pop("skipped", ()), files, {"a.py": Source("a.py", "x = 1\n" * 5)}, **more), out
    )
    return shown(out)


def test_totals_say_what_is_not_known() -> None:
    failed = Skipped("a.py", "our bug", failed="lambdas")
    lost = Skipped("a.py", "no Python")
    assert any(line.startswith("Nothing found in 3 files") for line in summary())
    assert any(line.startswith("Not known: rule lambdas failed in 3 files.") for line in summary(skipped=(failed,)))
    assert any(line.startswith("Not known") for line in summary(skipped=(lost,), files=0))
    assert any(line.startswith("Nothing found") for line in summary(skipped=(lost,)))
    assert any(line.startswith("Nothing found") for line in summary(files=0))
    assert not any(line.startswith(("Nothing", "Not known")) for line in summary(finding(1), skipped=(failed,)))


@each_row("number", [0, 1, 10, 12])
def test_comments_that_silence_nothing_are_listed(number: int) -> None:
    lines = summary(idle=tuple(Hop("a.py", at, "no such finding") for at in range(1, number + 1)))
    assert sum("  suppression  " in line for line in lines) == min(number, 10)
    assert ("... and 2 more such comments" in lines) is (number == 12)
    assert any("more such" in line for line in lines) is (number > 10)


@pytest.mark.parametrize(("most", "rows"), [(10**6, 4), (1, 0)])
def test_a_table_that_is_too_long_for_a_forge_says_how_many_more(
    most: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codemods.review.markdown.MOST", most)
    lines = to_markdown(Report("", tuple(finding(line) for line in range(1, 5)), (), 1)).split("\n")
    assert sum(line.startswith("| `a.py:") for line in lines) == rows
    assert ("| ... | | 4 more | |" in lines) is (rows == 0)
