"""Every row of the tables in rows/: what is found of a function that crosses, what it becomes, each reason in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.transforms.lambdas import RULE
from harness.rows import check_table, tables


@pytest.mark.parametrize("table", tables(Path(__file__).parent), ids=lambda table: table.stem)
def test_answers(table: Path, pytestconfig: pytest.Config) -> None:
    check_table(RULE, table, pytestconfig.getoption("--row"))
