"""Every row of the tables in rows/: what is done with a view that crosses, and each reason in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.transforms.dict_views import RULE
from harness.rows import check_table, tables


@pytest.mark.parametrize("table", tables(Path(__file__).parent), ids=lambda table: table.stem)
def test_answers(table: Path, pytestconfig: pytest.Config) -> None:
    check_table(RULE, table, pytestconfig.getoption("--row"))
