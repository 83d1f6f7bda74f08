"""Python 2 files and Bowler queries: nothing but the fix changes, whatever the newlines, encoding and BOM."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from codemods.engine.migrate import check, plan
from codemods.finding import Confidence
from codemods.problem import Problem
from codemods.python2.own_query import own_query
from codemods.settings import Settings
from codemods.tree import python2 as bowler
from codemods.tree.files import MemoryFiles
from codemods.tree.source import Source
from harness.each_row import each_row

ROOT = Path(__file__).resolve().parents[2]
OLD = """# -*- coding: {cookie} -*-
class Config:
    def __init__(self, ranges):
        self.names = ranges.keys()  # {word}
        self.plain = 1; self.rows = self.table[0].items()
        local = ranges.values()
        print "loaded", `self.names`, 0777


try:
    pass
except ValueError, error:
    raise IOError, "no"
"""
ALL = Settings(confidence=Confidence.POSSIBLE, unsafe_fixes=True, cache=False)


def fixed(data: bytes) -> bytes:
    for part in (b"ranges.keys()", b"self.table[0].items()"):
        data = data.replace(part, b"list(%s)" % part)
    return data


JAPANESE = OLD.format(cookie="shift_jis", word="ソ表").encode("shift_jis")
PLAIN = OLD.format(cookie="utf-8", word="été").encode()


@each_row(
    "lines",
    [
        "a.x.b.c.", "x.a.b.c.", "a.b.c.x.", "a.b.c.x", "a.c.", "b.c.", "a.b.", "a.x.c.", "a.x.y.c.", "x.", "a.b.c", "",
        "x", "x.y.b.c.", "a.b.x.y.", "a.x.y", "a.b.c..", ".a.b.c.", "a..c.", "a.b.c.d.e", "c.",
    ],
)  # fmt: skip
def test_edits_make_of_one_text_the_other(lines: str) -> None:
    after = lines.replace(".", "\n")
    for before in ("a\nb\nc\n", "a\nb\nc"):
        source = Source("a.py", before, "utf-8", False)
        assert source.apply(bowler._differences(source, before, after)) == after, before


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(PLAIN, id="lf"),
        pytest.param(PLAIN.replace(b"\n", b"\r\n"), id="crlf"),
        pytest.param(PLAIN.replace(b"\n", b"\r"), id="cr"),
        pytest.param(PLAIN.replace(b"\n", b"\r\n", 5), id="mixed"),
        pytest.param(PLAIN.rstrip(b"\n"), id="no newline at the end"),
        pytest.param(PLAIN.replace(b"\n", b"\r\n").rstrip(b"\r\n"), id="crlf, none at the end"),
        pytest.param(b"\xef\xbb\xbf" + PLAIN, id="bom"),
        pytest.param(OLD.format(cookie="latin-1", word="été").encode("latin-1"), id="latin-1"),
        pytest.param(JAPANESE.replace(b"\n", b"\r\n"), id="shift_jis"),
        pytest.param(PLAIN.replace(b"\n\n\n", b"\n\f\n"), id="form feed"),
        pytest.param(PLAIN.replace(b"    ", b"\t"), id="tabs"),
    ],
)
def test_fixes_are_exact(data: bytes) -> None:
    files = MemoryFiles({"old.py": data})
    done = plan(files, ALL)
    assert done.contents == {"old.py": fixed(data)}
    assert [row.reason for row in done.skipped] == ["Python 2: only a few plain patterns are looked for"]
    again = plan(MemoryFiles(done.contents), ALL)
    assert not again.changes and not again.remaining


def test_reported_as_unsafe_and_only_when_asked() -> None:
    files = MemoryFiles({"old.py": PLAIN})
    assert not check(files, Settings(cache=False)).findings
    report = check(files, Settings(confidence=Confidence.POSSIBLE, cache=False))
    assert [(found.rule, found.span.line) for found in report.findings] == [("dict-views", 4), ("dict-views", 5)]
    assert all("an old Python" in str(report.why_not(found)) for found in report.findings)
    assert not plan(files, Settings(confidence=Confidence.POSSIBLE, cache=False)).changes


def test_without_bowler_the_reason_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bowler, "installed", lambda: False)
    report = check(MemoryFiles({"old.py": PLAIN}), ALL)
    assert not report.findings
    assert [row.reason for row in report.skipped] == ["Python 2: pip install bowler to have it looked at"]


def test_python_2_stays_python_2_beside_a_keyword_of_python_3_7_as_a_name() -> None:
    assert reason_of("print 1\nrun(async=True)\n") == "Python 2: only a few plain patterns are looked for"
    assert reason_of("f(:\nrun(async=True)\n").startswith("line 1: ")


def reason_of(text: str) -> str:
    report = check(MemoryFiles({"old.py": f"{text}self.x = d.keys()\n".encode()}), ALL)
    return report.skipped[0].reason


def test_what_neither_python_reads_is_named_as_before() -> None:
    report = check(MemoryFiles({"old.py": b"def f(:\n    self.x = d.keys()\n"}), ALL)
    assert [row.reason for row in report.skipped] == ["line 1: invalid syntax"]


# --bowler-query


QUERY = """
from bowler import Query

query = lambda: Query([]).select_function("load").rename("read")
"""


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "cli.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=os.environ)


@pytest.mark.slow
def test_a_query_of_ones_own(tmp_path: Path) -> None:
    code = tmp_path / "code"
    code.mkdir()
    new = b"\xef\xbb\xbfdef load(x):\r\n    return x\r\n\r\nload(1)"
    (code / "new.py").write_bytes(new)
    (code / "old.py").write_bytes(b"print load(2)\r")
    (code / "other.py").write_bytes(b"x = 1\r\n\r")
    (tmp_path / "query.py").write_text(QUERY)
    done = run("migrate", "--no-git", code, "--bowler-query", tmp_path / "query.py")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert (code / "new.py").read_bytes() == new.replace(b"load", b"read")
    assert (code / "old.py").read_bytes() == b"print read(2)\r"
    assert (code / "other.py").read_bytes() == b"x = 1\r\n\r"
    assert "bowler-query: 2 fixed" in done.stderr


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("x = 1", "has no `query`"),
        ("1 / 0", "ZeroDivisionError"),
        ("def", "SyntaxError"),
        (None, "No such file"),
    ],
)
def test_query_files_that_do_not_do(tmp_path: Path, query: str | None, message: str) -> None:
    file = tmp_path / "query.py"
    if query is not None:
        file.write_text(query)
    with pytest.raises(Problem, match=re.escape(message)):
        own_query(file)


@pytest.mark.parametrize(
    ("modifier", "reason"),
    [
        ("lambda node, capture, name: 1 / 0", "the query failed: ZeroDivisionError"),
        ("lambda node, capture, name: Leaf(1, ')(')", "does not compile|query failed"),
    ],
)
def test_a_query_that_breaks_things_changes_nothing(tmp_path: Path, modifier: str, reason: str) -> None:
    file = tmp_path / "query.py"
    file.write_text(
        "from bowler import Query\nfrom fissix.pytree import Leaf\n"
        f"query = lambda: Query([]).select(\"'load'\").modify({modifier})\n"
    )
    done = plan(MemoryFiles({"a.py": b"load(1)\n"}), ALL, rules={"bowler-query": own_query(file)})
    assert not done.changes
    assert [re.search(reason, str(found.reason)) is not None for found in done.remaining] == [True]
