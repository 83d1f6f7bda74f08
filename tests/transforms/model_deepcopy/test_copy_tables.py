"""Every row of the tables in rows/: where a model is copied, what is built instead, and each reason in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.transforms.model_deepcopy import RULE
from harness.rows import Row, agrees, answer, rows

ROWS = rows(Path(__file__).parent)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_answer(row: Row) -> None:
    found = answer(RULE, row.files)
    assert agrees(found, row.answer), "\n".join(found)
