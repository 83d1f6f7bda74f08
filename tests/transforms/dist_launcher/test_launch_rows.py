"""Every row of the tables in rows/: a script and the lines that start it, and what is found and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.transforms.dist_launcher import RULE
from harness.rows import Row, agrees, answer, rows

ROWS = rows(Path(__file__).parent)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_answer(row: Row) -> None:
    found = answer(RULE, row.files)
    assert agrees(found, row.answer), "\n".join(found)
