"""Notebooks are reported by cell, with the way out, and stay as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import pytest

from codemods.engine import notebooks
from codemods.engine.migrate import check, plan
from codemods.flow.answers import crossings
from codemods.flow.boundaries import Table
from codemods.flow.facts.records import FileFacts
from codemods.flow.solve.solution import Solution
from codemods.flow.solve.solver import solve
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row
from harness.torture import BODY

SETTINGS = Settings(cache=False)
HEAD, TAIL = BODY.split("def show", 1)


def notebook(*cells: str, indent: int | None = 1, joined: bool = False, **more: object) -> bytes:
    """A notebook with a text cell first and `cells` as code after it."""
    made: list[dict[str, object]] = [{"cell_type": "markdown", "source": ["# ranges.keys()\n"]}]
    for cell in cells:
        source = cell if joined else cell.splitlines(keepends=True)
        made.append({"cell_type": "code", "execution_count": None, "outputs": [], "metadata": {}, "source": source})
    return json.dumps(
        {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}, indent=indent
    ).encode()


@pytest.mark.parametrize("joined", [False, True])
def test_a_finding_names_the_cell_and_the_line(joined: bool) -> None:
    data = notebook("%matplotlib inline\nfiles = !ls\nhelp?\n" + HEAD, "def show" + TAIL, joined=joined)
    report = check(MemoryFiles({"a/demo.ipynb": data}), SETTINGS)
    (found,) = report.findings
    assert (found.rule, found.path) == ("dict-views", "a/demo.ipynb")
    assert found.message.endswith("(cell 2, line 11)")
    assert found.fix is None and "move this code to a .py module" in str(found.reason)
    line = data.decode().splitlines()[found.span.line - 1]
    assert "self.names = ranges.keys()" in line
    assert (found.span.column, found.span.end_line, found.span.end_column) == (1, found.span.line, 1)
    assert {hop.path for hop in found.trace} == {"a/demo.ipynb"}
    assert "(cell 3)" in found.trace[-1].what


def test_nothing_is_rewritten() -> None:
    done = plan(MemoryFiles({"demo.ipynb": notebook(BODY)}), SETTINGS)
    assert not done.changes
    assert [found.reason for found in done.remaining] == [notebooks.REASON]


def test_cells_of_other_languages_do_not_count() -> None:
    data = notebook("%%bash\n" + BODY, "%%time\nx = 1\n")
    report = check(MemoryFiles({"demo.ipynb": data}), SETTINGS)
    assert not report.findings and not report.skipped
    data = notebook(BODY, metadata={"language_info": {"name": "R"}})
    assert not check(MemoryFiles({"demo.ipynb": data}), SETTINGS).findings


@each_row(
    ("data", "reason"),
    [
        (b'{"cells": ' + b"[" * 100_000 + b".keys()", "nested too deeply|not a notebook"),
        (b"not JSON .keys()", "not a notebook"),
        (b'{"cells": 3, "x": ".keys()"}', "format 4"),
        (b'[".keys()"]', "format 4"),
        (notebook("x = d.keys()\n", "def f(:\n"), "^cell 3, line 1: "),
    ],
)
def test_what_cannot_be_read_has_its_reason(data: bytes, reason: str) -> None:
    report = check(MemoryFiles({"demo.ipynb": data}), SETTINGS)
    assert not report.findings
    (row,) = report.skipped
    assert row.path == "demo.ipynb"

    assert re.search(reason, row.reason), row


def test_odd_parts_are_passed_over() -> None:
    data = {"cells": [3, None, {"cell_type": "code"}, {"cell_type": "code", "source": [1, "x = d.keys()\n"]}]}
    report = check(MemoryFiles({"demo.ipynb": json.dumps(data).encode()}), SETTINGS)
    assert not report.skipped


def test_a_notebook_needs_no_main_guard() -> None:
    code = "from multiprocessing import Pool\nwith Pool(2) as pool:\n    print(pool.map(abs, [1]))\n"
    assert [each.rule for each in check(MemoryFiles({"a.py": code.encode()}), SETTINGS).findings] == ["main-guard"]
    assert not check(MemoryFiles({"a.ipynb": notebook(code)}), SETTINGS).findings


@pytest.mark.parametrize("start", ["!python train.py", "%run train.py", "out = !python train.py"])
def test_a_command_of_several_lines_is_no_python(start: str) -> None:
    cell = f"if True:\n    {start} \\\n        --size 3 \\\n  --name it's\nx = 1\n"
    read = notebooks.read(notebook(cell).decode())
    assert not isinstance(read, str)
    names: dict[str, object] = {}
    exec(compile(read.text, "cells", "exec"), names)
    assert names["x"] == 1 and len(read.places) == read.text.count("\n")


@pytest.mark.parametrize("kept", [notebooks.MAX_KEPT, 0])
def test_the_value_flow_of_a_notebook_is_solved_once_for_all_rules(monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    solved: list[int] = []

    def counted(facts: Mapping[str, FileFacts], table: Table) -> Solution:
        solved.append(len(facts))
        return solve(facts, table)

    monkeypatch.setattr(crossings, "solve", counted)
    monkeypatch.setattr(notebooks, "MAX_KEPT", kept)
    more = BODY.replace("ranges.keys()", "lambda: ranges").replace("show", "display")
    report = check(MemoryFiles({"demo.ipynb": notebook(BODY, more)}), SETTINGS)
    assert {found.rule for found in report.findings} == {"dict-views", "lambdas"}
    assert sum(1 for files in solved if files) == (1 if kept else 3)
