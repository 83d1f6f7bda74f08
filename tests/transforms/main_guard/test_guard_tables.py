"""Every row of the tables in rows/: what is found in a script, what goes under a guard, and each reason in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.transforms.main_guard import RULE
from harness.each_row import each_row
from harness.rows import answer, check_table, rows, tables


@pytest.mark.parametrize("table", tables(Path(__file__).parent), ids=lambda table: table.stem)
def test_answers(table: Path, pytestconfig: pytest.Config) -> None:
    check_table(RULE, table, pytestconfig.getoption("--row"))


@each_row(
    "method",
    ["__slots__", "__setattr__", "__getattr__", "__getattribute__", "__getstate__", "__setstate__", "__reduce__",
     "__reduce_ex__", "__new__", "__eq__", "__hash__", "__copy__", "__deepcopy__", "__init_subclass__"],
)  # fmt: skip
def test_a_class_that_decides_itself_what_its_objects_keep(method: str) -> None:
    row = rows(Path(__file__).parent)["kept_globals: it decides itself what is pickled"]
    files = {path: text.replace("__getstate__", method) for path, text in row.files.items()}
    assert files["main.py"].count(method) == 1
    assert [line.partition("(not done here")[2] for line in answer(RULE, files)] == [
        ": `Videos` decides itself what its objects keep)"
    ]
