"""`migrate --interactive` at a pseudo-terminal: each key does what the help says, and decisions are saved as made."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from pathlib import Path

import pytest
from test_decisions import CONFIG, TRAIN, repo

from harness.repositories import git, own_home
from harness.terminal import Terminal
from harness.tool import spawnfix

__all__ = ["own_home", "repo"]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals there")
ASK = r"Make this change\? \[[^]]*\] "
END = r"Make th.* now\? \[[^]]*\] "


KEPT = """

class Kept:
    def __init__(self, d: dict):
        self.d = d.keys()


def kept(d):
    import pickle

    return pickle.dumps(Kept(dict(d)))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "decisions.json"


def start(repo: Path, tmp_path: Path, *more: str, **environment: str) -> Terminal:
    return Terminal("migrate", "-i", ".", *more, folder=repo, cache=tmp_path / "cache", environment=environment)


def choices(file: Path) -> list[tuple[str, str, str]]:
    return [(row["rule"], row["place"], row["decision"]) for row in json.loads(file.read_text())["decisions"]]


@pytest.mark.slow
def test_yes_and_no_one_by_one_and_saved_as_they_are_made(repo: Path, tmp_path: Path, file: Path) -> None:
    at = start(repo, tmp_path, "--decisions", str(file))
    shown = at.until(ASK)
    assert "dict-views 1 of 3, 3 to decide" in shown and "proven safe" in shown
    assert "config.py:6  in Config.__init__" in shown
    assert "-        self.names = ranges.keys()\n+        self.names = list(ranges.keys())\n" in shown
    assert "\x1b[32m+        self.names = list" in at.screen and "\x1b[31m-        self.names" in at.screen
    assert not file.exists()
    at.press("n")
    assert "train.py:9  in build" in at.until(ASK)
    assert choices(file) == [("dict-views", "config.py: Config.__init__", "rejected")]
    at.press("y")
    at.until(ASK)
    at.press("n")
    assert "1 accepted, 2 rejected" in at.until(END)
    assert git(repo, "branch", "--show-current") == "main"
    at.press("y")
    assert at.end() == 0
    assert git(repo, "branch", "--show-current") == "spawnfix/migrate"
    assert (repo / "config.py").read_text() == CONFIG
    text = (repo / "train.py").read_text()
    assert "lambda rows" not in text and "lambda number" in text
    assert [choice for _, _, choice in choices(file)] == ["rejected", "accepted", "rejected"]


@pytest.mark.slow
def test_quitting_keeps_the_decisions_and_the_next_run_goes_on(repo: Path, tmp_path: Path) -> None:
    at = start(repo, tmp_path)
    at.until(ASK)
    at.press("y")
    at.until(ASK)
    at.press("q")
    said = at.until("spawnfix migrate --decisions .*\n")
    assert "nothing was changed; your decisions are saved in" in said
    assert (
        at.end() == 0 and git(repo, "status", "--porcelain") == "" and git(repo, "branch", "--show-current") == "main"
    )
    at = start(repo, tmp_path)
    assert "lambdas 2 of 3, 2 to decide" in at.until(ASK)
    at.press("d")
    assert "2 changes rejected" in at.until(END)
    at.press("n")
    assert at.end() == 0 and git(repo, "branch", "--show-current") == "main"
    [saved] = (tmp_path / "cache" / "decisions").iterdir()
    done = spawnfix("migrate", str(repo), "--decisions", str(saved), cache=tmp_path / "cache")
    assert done.returncode == 0 and (repo / "train.py").read_text() == TRAIN
    assert "list(ranges.keys())" in (repo / "config.py").read_text()


@pytest.mark.slow
def test_ctrl_c_keeps_the_decisions(repo: Path, tmp_path: Path, file: Path) -> None:
    at = start(repo, tmp_path, "--decisions", str(file))
    at.until(ASK)
    at.press("y")
    at.until(ASK)
    at.press("\x03")
    assert at.end() == 130 and [choice for _, _, choice in choices(file)] == ["accepted"]
    assert git(repo, "branch", "--show-current") == "main" and git(repo, "status", "--porcelain") == ""


@pytest.mark.parametrize(("key", "choice"), [("a", "accepted"), ("d", "rejected")])
@pytest.mark.slow
def test_all_or_none_of_a_rule(key: str, choice: str, repo: Path, tmp_path: Path, file: Path) -> None:
    at = start(repo, tmp_path, "--decisions", str(file))
    at.until(ASK)
    at.press("y")
    at.until(ASK)
    at.press(key)
    at.until(END)
    assert choices(file) == [
        ("dict-views", "config.py: Config.__init__", "accepted"),
        ("lambdas", "train.py: build", choice),
        ("lambdas", "train.py: evaluate", choice),
    ]
    os.killpg(at.process.pid, signal.SIGTERM)
    at.end()


@pytest.mark.parametrize(("key", "choice"), [("A", "accepted"), ("D", "rejected")])
@pytest.mark.slow
def test_all_or_none_of_a_file(key: str, choice: str, repo: Path, tmp_path: Path, file: Path) -> None:
    (repo / "train.py").write_text(TRAIN + KEPT)
    git(repo, "commit", "-qam", "two")
    at = start(repo, tmp_path, "--decisions", str(file))
    at.until(ASK)
    at.press("s")
    assert "train.py:18  in Kept.__init__" in at.until(ASK)
    at.press(key)
    at.until(END if choice == "accepted" else r"Nothing to change\. \[[^]]*\] ")
    assert choices(file) == [
        ("dict-views", "train.py: Kept.__init__", choice),
        ("lambdas", "train.py: build", choice),
        ("lambdas", "train.py: evaluate", choice),
    ]
    at.press("n")
    assert at.end() == 0


@pytest.mark.slow
def test_trace_context_help_search_and_undo(repo: Path, tmp_path: Path, file: Path) -> None:
    at = start(repo, tmp_path, "--decisions", str(file))
    at.until(ASK)
    at.press("c")
    assert " def save(ranges):\n     return pickle.dumps(Config(dict(ranges)))" in at.until(ASK)
    at.press("t")
    assert re.search(r"  1\. config\.py:\d+ a view of a dict", at.until(ASK))
    at.press("?")
    assert "u  undo the last decision" in at.until(ASK)
    at.press("x")
    assert "e  edit the patch in $EDITOR" in at.until(ASK)
    at.press("/")
    at.until("/")
    at.press("worker_init\n")
    assert "train.py:13  in evaluate" in at.until(ASK)
    at.press("/")
    at.until("/")
    at.press("no such text\n")
    assert "nothing with 'no such text'" in at.until(ASK)
    at.press("n")
    at.until(END.replace("Make th", "Nothing") + r"|Nothing to change\. \[[^]]*\] ")
    assert choices(file) == [("lambdas", "train.py: evaluate", "rejected")]
    at.press("u")
    assert "train.py:13  in evaluate" in at.until(ASK)
    assert choices(file) == []
    at.press("u")
    assert "nothing to undo" in at.until(ASK)
    at.press("\x04")
    assert at.end() == 0 and choices(file) == []


def _editor(tmp_path: Path, old: str, new: str) -> str:
    program = tmp_path / "edit.py"
    program.write_text(
        "import pathlib, sys\n"
        "file = pathlib.Path(sys.argv[1])\n"
        "text = file.read_text()\n"
        f"assert text.startswith('# Edit') and {old!r} in text, text\n"
        f"file.write_text(text.replace({old!r}, {new!r}))\n"
    )
    return f"{sys.executable} {program}"


@pytest.mark.slow
def test_an_edited_change_is_checked_before_it_is_accepted(repo: Path, tmp_path: Path, file: Path) -> None:
    editor = _editor(tmp_path, "list(ranges.keys())", "tuple(ranges)")
    at = start(repo, tmp_path, "--decisions", str(file), EDITOR=editor, VISUAL="")
    at.until(ASK)
    at.press("e")
    assert "the edited change passes the checks and is accepted" in at.until(ASK)
    at.press("d")
    at.until(END)
    at.press("y")
    assert at.end() == 0
    assert (repo / "config.py").read_text() == CONFIG.replace("ranges.keys()", "tuple(ranges)")
    assert (repo / "train.py").read_text() == TRAIN


@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("list(nothing)", "the name 'nothing' would not be found"),
        ("list(ranges.keys()", "does not compile"),
        ("ranges.keys() if ranges else ranges.keys()", "finds a hazard"),
    ],
)
@pytest.mark.slow
def test_a_bad_edit_is_refused_with_the_reason(new: str, why: str, repo: Path, tmp_path: Path, file: Path) -> None:
    editor = _editor(tmp_path, "list(ranges.keys())", new)
    at = start(repo, tmp_path, "--decisions", str(file), EDITOR=editor, VISUAL="")
    at.until(ASK)
    at.press("e")
    said = " ".join(at.until(ASK).split())
    assert "the edited change can't be made:" in said and why in said
    at.press("q")
    assert at.end() == 0 and not file.exists()


def test_without_a_terminal_nothing_is_asked(repo: Path, tmp_path: Path) -> None:
    done = spawnfix("migrate", "-i", str(repo), cache=tmp_path / "cache")
    assert done.returncode == 2 and "--interactive asks at a terminal" in done.stderr
    assert git(repo, "branch", "--show-current") == "main"


@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.slow
def test_prose_wraps_at_words_at_any_width(columns: int, repo: Path, tmp_path: Path) -> None:
    at = Terminal("migrate", "-i", ".", folder=repo, cache=tmp_path / "cache", columns=columns)
    shown = at.until(ASK)
    lines = shown.split("\n")
    start = next(index for index, line in enumerate(lines) if line.startswith("  why: "))
    end = next(index for index, line in enumerate(lines) if line.startswith("  fix: "))
    assert all(len(line) <= columns for line in lines[start:end])
    words = " ".join(" ".join(lines[start:end]).split())
    assert words.endswith("stops with `TypeError: cannot pickle 'dict_keys' object`"), words
    at.press("q")
    at.end()
