"""Memory follows what must be held at once, and has a bound."""

from __future__ import annotations

import ast
import gc
import types
from pathlib import Path

import pytest

import codemods.flow.answers.crossings
import codemods.project
import codemods.tree.old_names
from codemods.engine.migrate import Plan, check, plan
from codemods.finding import Confidence
from codemods.flow.facts.records import project_facts
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles

CASES = sorted(path for path in (Path(__file__).resolve().parents[1] / "before_after").glob("*/*/before"))
HEAD = "from torch.utils.data import DataLoader\n\n"


def planned(before: Path) -> Plan:
    files = {str(path.relative_to(before)): path.read_bytes() for path in before.rglob("*") if path.is_file()}
    return plan(MemoryFiles(files), Settings(confidence=Confidence.POSSIBLE, unsafe_fixes=True))


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("before", CASES[::13], ids=lambda path: f"{path.parts[-3]}/{path.parts[-2]}")
def test_trees_that_are_let_go_are_made_again(before: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = planned(before)
    monkeypatch.setattr(codemods.project, "MAX_TREES", 0)
    assert planned(before) == kept


def test_trees_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"{letter}.py": loader(letter).encode() for letter in "abc"}
    monkeypatch.setattr(codemods.project, "MAX_TREES", len(files["a.py"]) * 2)
    parsed: list[str] = []
    project = codemods.project.Project(MemoryFiles(files))
    parse = project._parse
    monkeypatch.setattr(project, "_parse", lambda path: parsed.append(path) or parse(path))
    for path in [*files, *files]:
        assert project.module(path) is not None
        project.release()
    assert parsed == ["a.py", "b.py", "c.py", "c.py"]


def loader(name: str) -> str:
    return HEAD + f"DataLoader({name}, collate_fn=lambda items: items, num_workers=2)\n"


@pytest.mark.slow
@pytest.mark.in_process
def test_one_solved_flow_at_a_time_and_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 0

    class Counted(codemods.flow.answers.crossings.Flow):
        alive = 0

        def __init__(self, *args: object) -> None:
            nonlocal most
            super().__init__(*args)  # type: ignore[arg-type]
            Counted.alive += 1
            most = max(most, Counted.alive)

        def __del__(self) -> None:
            Counted.alive -= 1

    monkeypatch.setattr(codemods.flow.answers.crossings, "Flow", Counted)
    gc.collect()
    files = {f"{letter}.py": loader(f"{letter}.keys()").encode() for letter in "abc"}
    files["e.py"] = b"from torch.utils.data import Dataset\nfrom threading import Lock\n\n\nclass Data(Dataset):\n"
    files["e.py"] += b"    def __init__(self):\n        self.lock = Lock()\n        self.names = {}.keys()\n"
    done = plan(MemoryFiles(files), Settings(confidence=Confidence.POSSIBLE, unsafe_fixes=True))
    assert len(done.changes) == 3
    assert (most, Counted.alive) == (2, 0)


def test_more_python_than_one_run_can_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"{letter}.py": loader(letter).encode() for letter in "abc"}
    whole = check(MemoryFiles(files), Settings())
    assert [finding.path for finding in whole.findings] == ["a.py", "b.py", "c.py"]
    nodes = len(project_facts(codemods.project.Project(MemoryFiles(files)))["a.py"].lines)
    monkeypatch.setattr(codemods.project, "MAX_NODES", nodes + 1)
    part = check(MemoryFiles(files), Settings())
    assert [finding.path for finding in part.findings] == ["a.py", "b.py"]
    reason = "left out: more Python than one run can follow; `exclude` in the settings helps"
    assert [(row.path, row.reason) for row in part.skipped] == [("c.py", reason)]


def test_more_text_than_one_run_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"{letter}.py": loader(letter).encode() for letter in "abc"}
    monkeypatch.setattr(codemods.project, "MAX_TEXT", 2 * len(files["a.py"]))
    part = check(MemoryFiles(files), Settings())
    assert [finding.path for finding in part.findings] == ["a.py", "b.py"]
    assert [(row.path, row.reason) for row in part.skipped] == [
        ("c.py", "left out: more than 0 MiB of text; `exclude` in the settings helps")
    ]


def test_a_name_of_a_page() -> None:
    files = {"a.py": loader("a").encode(), "b.py": (loader("b") + "x" * 1001 + " = 1\n").encode()}
    report = check(MemoryFiles(files), Settings())
    assert [finding.path for finding in report.findings] == ["a.py"]
    assert [(row.path, row.reason) for row in report.skipped] == [("b.py", "a name of 1001 characters")]


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("f()\n" * 67_000, "more than 200000 names, numbers and signs: generated code"),
        ("x = [" + "1," * 101_000 + "]\n", "more than 200000 names, numbers and signs: generated code"),
        ("x = f'" + "{a}" * 67_000 + "'\n", "more than 200000 names, numbers and signs: generated code"),
        ("def f():\n pass\n" * 10_001, "more than 10000 definitions and loops: generated code"),
        ("x = [a for a in b]\n" * 10_001, "more than 10000 definitions and loops: generated code"),
    ],
    ids=["calls", "numbers", "f-string", "definitions", "comprehensions"],
)
def test_a_file_of_too_many_parts_is_not_parsed(more: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def parse(text: str, *arguments: str) -> ast.Module:
        sizes.append(len(text))
        return ast.parse(text, *arguments)

    monkeypatch.setattr(codemods.tree.old_names, "ast", types.SimpleNamespace(**{**vars(ast), "parse": parse}))
    files = {"a.py": loader("a").encode(), "b.py": (loader("b") + more).encode()}
    report = check(MemoryFiles(files), Settings())
    assert [finding.path for finding in report.findings] == ["a.py"]
    assert [(row.path, row.reason) for row in report.skipped] == [("b.py", reason)]
    assert max(sizes) < 1000


@pytest.mark.slow
def test_a_large_file_of_prose_and_tables_is_parsed() -> None:
    table = "".join(f'    {{"name": "some words for people, number {n}", "id": {n}}},\n' for n in range(10_000))
    text = f'"""{"Words for all of those who read them. " * 5_000}"""\n{loader("a")}TABLE = [\n{table}]\n'
    report = check(MemoryFiles({"a.py": text.encode()}), Settings())
    assert report.skipped == () and len(report.findings) == 1
