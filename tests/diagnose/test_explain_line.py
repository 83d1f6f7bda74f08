"""`explain PATH:LINE` says of every rule what `check` says; names of libraries; wrong paths and lines."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from codemods.delivery.target import to_check
from codemods.diagnose.explain_line import explain_name, explain_place
from codemods.engine.migrate import check
from codemods.finding import Confidence
from codemods.problem import Problem
from codemods.settings import Settings
from codemods.transforms import rules
from harness.case import ROOT

CASES = ROOT / "tests" / "before_after"


@pytest.mark.parametrize("rule", sorted(rules()))
def test_it_agrees_with_check(rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = 0
    for case in sorted((CASES / rule).iterdir())[:3]:
        folder = tmp_path / case.name
        shutil.copytree(case / "before", folder)
        monkeypatch.chdir(folder)
        where = to_check(Path())
        report = check(where.files, replace(Settings(), confidence=Confidence.POSSIBLE), "")
        for finding in report.findings:
            text = explain_place(f"{finding.path}:{finding.span.line}")
            assert text is not None
            assert f"{finding.path}:{finding.span.line}  {finding.rule}  {finding.confidence.value}" in text
            assert finding.message in text and "harmless" not in text
            if finding.fix is None:
                assert f"no fix: {finding.reason}" in text
            else:
                assert "apply it: spawnfix migrate " in text and ("\n+" in text or "\n-" in text)
                assert ("--unsafe-fixes" in text) or finding.fix.unsafe is None
            seen += finding.rule == rule
    assert seen


PROGRAM = """\
from multiprocessing import Process


def main(rows):
    first = sorted(rows, key=lambda row: row[0])
    job = lambda: first
    Process(target=job).start()


main([])
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "old.py").write_text("print 'x'\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (5, "harmless: not seen on the way to a process boundary"),
        (6, "a.py:6  lambdas  proven"),
        (7, "on the way of lambdas at a.py:6"),
        (4, "nothing that pickle rejects"),
    ],
)
def test_a_line(program: Path, line: int, words: str) -> None:
    assert words in (explain_place(f"a.py:{line}") or "")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("a.py:99", "a.py has 10 lines, and no line 99"),
        ("a.py:0", "a.py has 10 lines, and no line 0"),
        ("b.py:3", "b.py: no such file"),
        ("b.py", "b.py: no such file"),
        ("a.py", "name a line too: spawnfix explain a.py:12"),
        (".:3", "is a folder; name a file and a line"),
        ("old.py:1", "Python 2"),
    ],
)
def test_what_is_no_line(program: Path, typed: str, words: str) -> None:
    with pytest.raises(Problem, match=words.replace(".", r"\.")):
        explain_place(typed)


@pytest.mark.parametrize("typed", ["lambdas", "KeyError: 3", "TypeError: cannot pickle 'x' object", "x" * 5000 + ":3"])
def test_what_is_no_place(program: Path, typed: str) -> None:
    assert explain_place(typed) is None


def test_names_of_libraries() -> None:
    text = explain_name("DataLoader") or ""
    assert text.startswith("torch.utils.data.DataLoader\n") and "collate_fn, dataset, worker_init_fn" in text
    assert "not where num_workers is 0" in text
    full = explain_name("torch.utils.data.DataLoader")
    assert full is not None and full == explain_name("torch.utils.data.dataloader.DataLoader")
    assert explain_name("NothingOfTheKind") is None and explain_name("a b") is None
