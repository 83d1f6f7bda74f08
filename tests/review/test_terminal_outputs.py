"""What people see: dry runs at a terminal and in a pager, folded findings, the formats of `check`, paths from here."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from test_decisions import CONFIG, TRAIN, repo

from codemods.engine.migrate import check
from codemods.engine.results import Report
from codemods.finding import Confidence, Finding, Fix, Hop, Span
from codemods.review.markdown import to_markdown
from codemods.review.printing import prose
from codemods.review.text import render_concise, render_statistics, render_text
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.case import ROOT
from harness.repositories import git, own_home
from harness.terminal import Terminal, plain
from harness.tool import spawnfix

__all__ = ["own_home", "repo"]
needs_terminal = pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals there")


@pytest.mark.slow
@needs_terminal
def test_a_dry_run_at_a_terminal_is_coloured_and_says_why(repo: Path, tmp_path: Path) -> None:
    at = Terminal("migrate", "--dry-run", "--no-pager", ".", folder=repo, cache=tmp_path / "cache")
    assert at.end() == 0
    shown = plain(at.screen)
    assert "── dict-views 1 of 3 ─" in shown and "── lambdas 3 of 3 ─" in shown and " proven safe ──" in shown
    assert "config.py:6  in Config.__init__\n  why: `self.names` keeps a live view" in shown
    assert "  fix: Store `list(ranges.keys())`\n" in shown
    assert "@@ -3,7 +3,7 @@ Config.__init__\n" in shown
    assert "\x1b[31m-        self.names = ranges.keys()" in at.screen
    assert "\x1b[32m+        self.names = list(ranges.keys())" in at.screen
    assert (repo / "config.py").read_text() == CONFIG and git(repo, "branch", "--show-current") == "main"


@needs_terminal
@pytest.mark.parametrize("name", ["GIT_PAGER", "PAGER"])
@pytest.mark.slow
def test_a_dry_run_goes_through_the_users_pager(name: str, repo: Path, tmp_path: Path) -> None:
    pager = tmp_path / "pager.py"
    pager.write_text(f"import sys\nopen({str(tmp_path / 'seen')!r}, 'w').write(sys.stdin.read())\nprint('PAGED')\n")
    variables = {"GIT_PAGER": "false", "PAGER": "false", name: f"{sys.executable} {pager}"}
    if name == "PAGER":
        variables.pop("GIT_PAGER")
    at = Terminal("migrate", "--dry-run", ".", folder=repo, cache=tmp_path / "cache", environment=variables)
    assert at.end() == 0
    assert "PAGED" in at.screen and "@@ -3,7" not in at.screen
    assert "@@ -3,7 +3,7 @@" in plain((tmp_path / "seen").read_text())
    (tmp_path / "seen").unlink()
    at = Terminal(
        "migrate", "--dry-run", "--no-pager", ".", folder=repo, cache=tmp_path / "cache", environment=variables
    )
    assert at.end() == 0 and not (tmp_path / "seen").exists() and "@@ -3,7" in plain(at.screen)


@needs_terminal
@pytest.mark.slow
def test_a_pager_that_is_not_there_loses_nothing(repo: Path, tmp_path: Path) -> None:
    at = Terminal(
        "migrate", "--dry-run", ".", folder=repo, cache=tmp_path / "cache", environment={"GIT_PAGER": "no-such-pager"}
    )
    assert at.end() == 0 and "@@ -3,7 +3,7 @@" in plain(at.screen)


@needs_terminal
@pytest.mark.slow
def test_control_characters_of_code_are_shown_as_escapes(repo: Path, tmp_path: Path) -> None:
    (repo / "config.py").write_text(
        CONFIG.replace("ranges.keys()", "ranges.keys()  # \x1b]0;owned\x07\x1b[2J \x9b \u202e")
    )
    git(repo, "commit", "-qam", "two")
    at = Terminal("migrate", "--dry-run", "--no-pager", ".", folder=repo, cache=tmp_path / "cache")
    assert at.end() == 0
    shown = plain(at.screen)
    assert "\\x1b]0;owned\\x07\\x1b[2J \\x9b \\u202e" in shown
    assert all(letter.isprintable() or letter in "\n\x1b" for letter in shown.partition("── dict-views")[2])
    assert "\x1b]0;owned" not in at.screen and "\u202e" not in at.screen


def test_piped_it_is_the_plain_patch(repo: Path, tmp_path: Path) -> None:
    done = spawnfix("migrate", "--dry-run", str(repo), cache=tmp_path / "cache")
    assert done.stdout.startswith(
        "diff --git a/config.py b/config.py\n--- a/config.py\n+++ b/config.py\n@@ -3,7 +3,7 @@\n"
    )
    applied = subprocess.run(["git", "apply", "--check", "-"], cwd=repo, input=done.stdout.encode(), check=False)
    assert applied.returncode == 0


def shown(report: Report, *, full: bool = False, width: int = 200, terminal: bool = False) -> str:
    out = io.StringIO()
    render_text(report, Console(file=out, highlight=False, width=width, force_terminal=terminal), full=full)
    return plain(out.getvalue())


def several() -> Report:
    text = "from torch.utils.data import DataLoader\n" + "".join(
        f"\n\ndef load_{number}(data):\n    return DataLoader(data, num_workers=1, collate_fn=lambda rows: rows)\n"
        for number in range(4)
    )
    report = check(MemoryFiles({"a.py": text.encode(), "b.py": text.encode()}), Settings(select=("lambdas",)))
    assert len(report.findings) == 8
    return report


def test_equal_findings_are_one_block_with_all_places() -> None:
    report = several()
    text = shown(report)
    assert text.count("[fixable]") == 1 and text.count("pickle can't import it by name") == 1
    assert "a.py:5:55  lambdas  proven  [fixable]  (8 places)\n" in text
    assert "  the same at:\n    a.py:9, 13, 17\n    b.py:5, 9, 13, 17\n" in text
    assert "8 findings in 2 of 2 files" in text
    assert shown(report, full=True).count("[fixable]") == 8
    different = replace(report.findings[1], message="something else")
    text = shown(replace(report, findings=(report.findings[0], different, *report.findings[2:])))
    assert text.count("[fixable]") == 2 and "(7 places)" in text


def test_rules_are_listed_by_the_number_of_their_findings() -> None:
    first, *others = several().findings
    report = replace(several(), findings=(replace(first, rule="dict-views"), *others))
    assert "8 findings in 2 of 2 files: 7 lambdas, 1 dict-views." in shown(report)


@pytest.mark.parametrize(("columns", "first"), [(30, "  Why: " + "word " * 6), (29, "  Why: ")])
def test_words_stand_behind_their_label_where_30_columns_are_left(columns: int, first: str) -> None:
    out = io.StringIO()
    prose(Console(file=out, width=len("  Why: ") + columns, force_terminal=True), "Why: ", "bold", "word " * 20)
    assert plain(out.getvalue()).split("\n")[0].rstrip() == first.rstrip()


def test_long_traces_are_shown_whole_on_demand() -> None:
    hops = tuple(Hop("a.py", number, f"step number {number}") for number in range(1, 13))
    finding = Finding("toy", "a.py", Span(1, 1, 1, 2), "it is old", Confidence.PROVEN, hops, Fix("new", ()))
    report = Report(".", (finding,), (), 1)
    text = shown(report)
    assert (
        "   2. a.py:2   step number 2\n      ... 7 steps more (-v shows all)\n  10. a.py:10  step number 10\n" in text
    )
    assert "step number 9" not in text
    assert all(f"step number {number}\n" in shown(report, full=True) for number in range(1, 13))


@pytest.mark.parametrize("width", [40, 80, 120])
def test_words_wrap_at_any_width_and_none_is_lost(width: int) -> None:
    report = several()
    lines = shown(report, width=width, terminal=True).split("\n")
    prose = [line for line in lines if line.startswith("  ") and "│" not in line and "DataLoader(" not in line]
    assert all(len(line) <= width or "a.py:" in line for line in prose), prose
    words = " ".join(" ".join(lines).split())
    assert "this lambda reaches another process through torch.utils.data.DataLoader; pickle can't import it" in words


def test_concise_statistics_and_markdown() -> None:
    report = several()
    out = io.StringIO()
    render_concise(report, Console(file=out, highlight=False, width=80))
    rows = out.getvalue().splitlines()
    assert rows[0].startswith("a.py:5:55: lambdas  this lambda reaches") and rows[0].endswith("proven [fixable]")
    assert len([row for row in rows if ": lambdas  " in row]) == 8
    out = io.StringIO()
    render_statistics(report, Console(file=out, highlight=False, width=80))
    assert out.getvalue().splitlines()[0] == "     8  lambdas  8 fixable"
    evil = replace(report.findings[0], message="<img src=x> @team [x](http://e.org) | `a|b` *b*")
    text = to_markdown(replace(report, findings=(evil, *report.findings[1:])))
    assert "### `lambdas`: 8 fixable" in text and "| `a.py:5` | proven |" in text
    assert "<img" not in text and "@team" not in text and "](http" not in text and "://" not in text
    rows = [row for row in text.splitlines() if row.startswith("| `a.py:5`")]
    assert len(rows) == 1 and rows[0].count("|") - rows[0].count("\\|") == 5
    assert "<code>a&#124;b</code>" in rows[0] and "&lt;img src=x&gt; &#64;team" in rows[0]


def test_check_formats_files_and_several_paths(repo: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    old = spawnfix("check", str(repo), "--format", "json", cache=cache)
    new = spawnfix("check", str(repo), "--output-format", "json", cache=cache)
    assert (
        old.returncode == new.returncode == 1
        and old.stdout == new.stdout
        and len(json.loads(old.stdout)["findings"]) == 3
    )
    file = tmp_path / "report.json"
    done = spawnfix("check", str(repo), "--output-format", "json", "--output-file", str(file), cache=cache)
    assert done.returncode == 1 and done.stdout == "" and file.read_text() == old.stdout
    done = spawnfix("check", str(repo), "--output-file", str(file), cache=cache)
    assert done.stdout == "" and "3 findings in 2 of 2 files" in file.read_text()
    done = spawnfix("check", str(repo), "--statistics", "--output-format", "json", cache=cache)
    assert json.loads(done.stdout)[0] == {"rule": "lambdas", "count": 2, "fixable": 2, "unsafe": 0, "refused": 0}
    done = spawnfix("check", str(repo), "--statistics", "--output-format", "sarif", cache=cache)
    assert done.returncode == 2 and "--statistics goes with text and json" in done.stderr
    (repo / "sub").mkdir()
    (repo / "sub" / "more.py").write_text(TRAIN)
    git(repo, "add", ".")
    paths = [str(repo / "sub"), str(repo / "config.py")]
    done = spawnfix("check", *paths, "--output-format", "json", cache=cache)
    assert [finding["path"] for finding in json.loads(done.stdout)["findings"]] == [
        "config.py",
        "sub/more.py",
        "sub/more.py",
    ]
    done = spawnfix("check", paths[0], str(tmp_path), cache=cache)
    assert done.returncode == 2 and "of one git repository" in done.stderr
    done = spawnfix("check", str(repo), str(repo / "sub"), "--format", "json", cache=cache)
    assert len(json.loads(done.stdout)["findings"]) == 5


def test_paths_are_those_from_the_working_directory(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / "sub").mkdir()
    for folder, name in ((repo, "config.py:6"), (repo / "sub", "../config.py:6"), (tmp_path, "work/config.py:6")):
        monkeypatch.chdir(folder)
        done = spawnfix("check", str(repo), "--select", "dict-views", cache=tmp_path / "cache")
        assert done.stdout.splitlines()[0].startswith(f"{name}:"), done.stdout
        data = spawnfix("check", str(repo), "--select", "dict-views", "--format", "json", cache=tmp_path / "cache")
        assert json.loads(data.stdout)["findings"][0]["path"] == "config.py"


@pytest.mark.slow
def test_the_program_has_no_pager_without_a_terminal(repo: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "cli.py"), "migrate", "--dry-run", str(repo)],
        env={**os.environ, "GIT_PAGER": f"touch {tmp_path / 'seen'}", "SPAWNFIX_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        check=True,
    )
    assert done.stdout.startswith(b"diff --git") and b"\x1b" not in done.stdout and not (tmp_path / "seen").exists()
