"""What is printed about a change, the tables in Markdown, and the files of findings that are left for later."""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from codemods.engine.results import Report
from codemods.finding import Confidence, Edit, Finding, Fix, Hop, Skipped, Span
from codemods.problem import Problem
from codemods.review.baseline import key_of, read_baseline, unlisted, write_baseline
from codemods.review.blocks import change_block, dry_run, header, open_lines, show_hunks, trace_block
from codemods.review.hunks import NO_NEWLINE, Hunk
from codemods.review.ignores import add_ignores
from codemods.review.markdown import code, fenced, prose, text, text_part, to_markdown, trace
from codemods.review.model import Change, Open, Review
from codemods.review.pull_request import _change as pull_request_lines
from codemods.review.text import render_concise
from codemods.tree.directory import DirectoryFiles
from codemods.tree.source import Source
from harness.each_row import each_row

HUNK = Hunk("a.py", "f", 1, 1, (" same", "-old", "+new  ", NO_NEWLINE))
HOPS = (Hop("a.py", 3, "`x` is a lambda"), Hop("b.py", 4, "`DataLoader` sends it"))


def finding(line: int = 3, rule: str = "lambdas", unsafe: str | None = "", path: str = "a.py") -> Finding:
    """`unsafe`: None for a finding that is refused, "" for one whose fix is safe."""
    fix = None if unsafe is None else Fix("use partial", (Edit(path, 0, 0, "x"),), unsafe=unsafe or None)
    reason = "it is used twice" if fix is None else None
    return Finding(rule, path, Span(line, 1, line, 9), f"message {line}", Confidence.LIKELY, HOPS, fix, reason)


def change(id: str = "1", unsafe: str | None = None, scope: str = "f", requires: tuple[str, ...] = (),
           findings: int = 1, hunks: tuple[Hunk, ...] = (HUNK,)) -> Change:  # fmt: skip
    found = tuple(finding(3 + number) for number in range(findings))
    return Change(id, 0, "lambdas", "use partial", "it crosses", "a.py", 3, scope, Confidence.PROVEN, unsafe, HOPS,
                  found, hunks, requires)  # fmt: skip


def review(*changes: Change, left: tuple[Open, ...] = ()) -> Review:
    return Review("", "1", changes, left, (), 1)


def console(width: int = 80, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), width=width, force_terminal=terminal, color_system=None, legacy_windows=False)


def shown(out: Console) -> list[str]:
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue().splitlines()


def test_a_change_says_why_and_what() -> None:
    out = console()
    change_block(out, review(), change(), "1 of 2")
    assert shown(out) == [
        "── lambdas 1 of 2 ─────────────────────────────────────────────── proven safe ──",
        "a.py:3  in f",
        "  why: it crosses",
        "  fix: use partial",
        "a.py",
        "@@ -1,2 +1,2 @@ f",
        " same",
        "-old",
        "+new  ",
        "\\ No newline at end of file",
    ]


def test_an_unsafe_change_for_many_places_that_builds_on_another() -> None:
    out = console()
    change_block(out, review(change("7")), change("8", "it may differ", "", ("7",), findings=6), hunks=False)
    assert shown(out) == [
        "── lambdas ──────────────────────────────────────────────────── proven unsafe ──",
        "a.py:3",
        "  why: it crosses",
        "    and a.py:4 message 4",
        "    and a.py:5 message 5",
        "    and a.py:6 message 6",
        "    and 2 more places that the same fix is for",
        "  fix: use partial",
        "  unsafe: it may differ",
        "  builds on: lambdas at a.py:3",
    ]


@each_row(("findings", "more"), [(1, 0), (2, 1), (4, 3), (5, 4)])
def test_three_more_places_are_named(findings: int, more: int) -> None:
    out = console()
    change_block(out, review(), change(findings=findings, hunks=()))
    assert sum(line.startswith("    and ") for line in shown(out)) == more
    assert ("    and 1 more places that the same fix is for" in shown(out)) == (findings == 5)


@pytest.mark.parametrize(("width", "terminal", "length"), [(60, True, 60), (60, False, 80), (8, True, 27)])
def test_the_header_is_as_wide_as_the_terminal(width: int, terminal: bool, length: int) -> None:
    out = console(width, terminal)
    header(out, "lambdas", Confidence.LIKELY, "safe", "green")
    (line,) = shown(out)
    assert len(line) == length and line.startswith("── lambdas ─") and line.endswith("─ likely safe ──")


def test_a_header_for_terminals_of_ascii() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    out = Console(file=stream, width=80, color_system=None)
    header(out, "lambdas", Confidence.LIKELY, "safe", "green")
    stream.flush()
    line = stream.buffer.getvalue().decode().rstrip("\n")  # type: ignore[attr-defined]
    assert line == "-- lambdas " + "-" * 54 + " likely safe --"


def test_hunks_stand_under_their_file() -> None:
    out = console()
    other = Hunk("b.py", "Net.run", 9, 12, ("-\x1b[2J\t", "+\u202e"))
    show_hunks(out, "", [HUNK, HUNK, other])
    lines = shown(out)
    assert [line for line in lines if line in ("a.py", "b.py")] == ["a.py", "b.py"]
    assert lines[-3:] == ["@@ -9 +12 @@ Net.run", "-\\x1b[2J    ", "+\\u202e"]


def test_blanks_at_the_end_of_new_lines_can_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    out = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="standard", legacy_windows=False)
    show_hunks(out, "", [Hunk("a.py", "", 1, 1, ("+x  ", "-y  "))])
    assert shown(out)[-2:] == ["\x1b[32m+x\x1b[0m\x1b[7;31m  \x1b[0m", "\x1b[31m-y\x1b[0m  "]


def test_the_steps_of_a_trace() -> None:
    out = console()
    trace_block(out, "", HOPS)
    trace_block(out, "", [])
    trace_block(out, "", [Hop("a.py", 1, "x")] * 10)
    lines = shown(out)
    assert lines[:3] == [
        "  1. a.py:3 `x` is a lambda",
        "  2. b.py:4 `DataLoader` sends it",
        "  no trace: the place itself is enough",
    ]
    assert lines[3] == "   1. a.py:1 x" and lines[-1] == "  10. a.py:1 x"


def left(line: int, reason: str = "it is used twice", unsafe: str | None = None, rule: str = "lambdas") -> Open:
    return Open(rule, "a.py", line, f"why {line}", Confidence.PROVEN, reason, HOPS, unsafe)


def test_equal_reasons_are_said_once() -> None:
    out = console()
    rows = (left(1), left(2, unsafe="may differ", reason="may differ"), left(3), left(4, rule="dict-views"))
    dry_run(out, review(left=rows), [change(hunks=())])
    lines = shown(out)
    assert [line for line in lines if line.startswith("──")] == [
        "── lambdas 1 of 1 ─────────────────────────────────────────────── proven safe ──",
        "── lambdas ─────────────────────────────────────────────────── proven refused ──",
        "── lambdas ──────────────────────────────────────────────────── proven unsafe ──",
        "── dict-views ──────────────────────────────────────────────── proven refused ──",
    ]
    assert lines[4:] == [
        "",
        lines[5],
        "a.py:1  why 1",
        "a.py:3  why 3",
        "  not fixed: it is used twice",
        lines[9],
        "a.py:2  why 2",
        "  only with --unsafe-fixes: may differ",
        lines[12],
        "a.py:4  why 4",
        "  not fixed: it is used twice",
    ]


def test_nothing_that_stays() -> None:
    out = console()
    open_lines(out, review(), ())
    assert shown(out) == []


# Markdown


@each_row(
    ("words", "shown"),
    [
        ("plain words", "plain words"),
        ("a*b_c", "a\\*b\\_c"),
        ("<script>", "&lt;script&gt;"),
        ("https://h.org/x", "https:&#47;&#47;h.org/x"),
        (" two\n lines ", "two lines"),
    ],
)
def test_words_are_no_markup(words: str, shown: str) -> None:
    assert text(words) == shown


def test_code_between_backticks_stays_code() -> None:
    assert prose("use `f(*a)` *now*") == "use `f(*a)` \\*now\\*"
    assert prose("an odd ` tick") == "an odd \\` tick"
    assert prose("``") == ""
    assert (text_part(" a "), text_part("a "), text_part(" a"), text_part(" "), text_part("")) == (
        " a ",
        "a ",
        " a",
        " ",
        "",
    )


@each_row(
    ("words", "shown"),
    [
        ("", ""),
        ("x = 1", "`x = 1`"),
        ("a`b", "``a`b``"),
        ("a``b`", "``` a``b` ```"),
        ("`a", "`` `a ``"),
        ("a|b*", "<code>a&#124;b\\*</code>"),
    ],
)
def test_inline_code(words: str, shown: str) -> None:
    assert code(words) == shown


def test_a_block_of_code_is_not_ended_by_its_lines() -> None:
    assert fenced(["x"], "python") == ["```python", "x", "```"]
    assert fenced(["``", "````x"], "") == ["`````", "``", "````x", "`````"]


def test_a_folded_trace() -> None:
    assert list(trace(HOPS, Confidence.PROVEN)) == [
        "  <details><summary>trace (proven, 2 steps)</summary>",
        "",
        "  1. `a.py:3` `x` is a lambda",
        "  2. `b.py:4` `DataLoader` sends it",
        "",
        "  </details>",
    ]
    assert list(trace((), Confidence.PROVEN)) == []


def test_a_report_as_tables() -> None:
    findings = (finding(3), finding(4, unsafe=None), finding(5, unsafe="may differ"), finding(6, "dict-views"))
    skipped = (Skipped("s.py", "too *large*"), Skipped("t.py", "a rule failed", failed="lambdas"))
    assert to_markdown(Report("", findings, skipped, files_seen=7)).split("\n") == [
        "## spawnfix",
        "",
        "4 findings in 7 files; 1 file was not looked at.",
        "",
        "### `dict-views`: 1 fixable",
        "",
        "| place | sure | what | fix |",
        "| --- | --- | --- | --- |",
        "| `a.py:6` | likely | message 6 | use partial |",
        "",
        "### `lambdas`: 1 fixable, 1 refused, 1 unsafe",
        "",
        "| place | sure | what | fix |",
        "| --- | --- | --- | --- |",
        "| `a.py:3` | likely | message 3 | use partial |",
        "| `a.py:4` | likely | message 4 | not fixed: it is used twice |",
        "| `a.py:5` | likely | message 5 | not fixed: only with --unsafe-fixes: may differ |",
        "",
        "2 files not, or not wholly, looked at:",
        "",
        "- `s.py`: too \\*large\\*",
        "- `t.py`: a rule failed",
        "",
    ]


def test_a_long_list_of_files_is_cut() -> None:
    skipped = [Skipped(f"{number}.py", "binary") for number in range(11)]
    lines = to_markdown(Report("", (), tuple(skipped), files_seen=0)).split("\n")
    assert lines[2] == "0 findings in 0 files; 11 files were not looked at."
    assert lines[-3:] == ["- `9.py`: binary", "- and 1 more", ""]
    assert "more" not in to_markdown(Report("", (), tuple(skipped[:10]), files_seen=0))


# the baseline

SOURCES = {"a.py": Source("a.py", "one\ntwo\n  three  \nfour")}


@each_row(("path", "line", "known"), [("a.py", 3, "three"), ("a.py", 4, "four"), ("a.py", 5, ""), ("b.py", 1, "")])
def test_a_finding_is_known_by_the_code_of_its_line(path: str, line: int, known: str) -> None:
    assert key_of(finding(line, path=path), SOURCES) == ("lambdas", path, known)


def test_as_many_as_are_listed_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    found = [finding(3), finding(3, unsafe=None), finding(4, "dict-views"), finding(9, path="\u00e9.py")]
    assert write_baseline(file, found, SOURCES) == 4
    assert file.read_text(encoding="ascii") == (
        '{\n  "spawnfix-baseline": 1,\n  "findings": [\n'
        '    {"rule": "dict-views", "path": "a.py", "code": "four"},\n'
        '    {"rule": "lambdas", "path": "a.py", "code": "three", "count": 2},\n'
        '    {"rule": "lambdas", "path": "\\u00e9.py", "code": ""}\n  ]\n}\n'
    )
    listed = read_baseline(file)
    assert listed == {
        ("dict-views", "a.py", "four"): 1,
        ("lambdas", "a.py", "three"): 2,
        ("lambdas", "\u00e9.py", ""): 1,
    }
    assert unlisted(found, SOURCES, listed) == []
    assert unlisted([*found, finding(3), finding(2)], SOURCES, listed) == [finding(3), finding(2)]
    assert unlisted(found, SOURCES, Counter()) == found
    assert listed.total() == 4  # counting does not use it up


def test_a_baseline_of_nothing(tmp_path: Path) -> None:
    assert write_baseline(tmp_path / "b.json", [], {}) == 0
    assert (tmp_path / "b.json").read_text() == '{\n  "spawnfix-baseline": 1,\n  "findings": []\n}\n'
    assert read_baseline(tmp_path / "b.json") == Counter()


ROW = {"rule": "r", "path": "p", "code": "c"}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("{", "not valid JSON: "),
        ("[]", 'no baseline: it needs "spawnfix-baseline": 1 and a list of "findings"'),
        ({"spawnfix-baseline": 2, "findings": []}, "no baseline: "),
        ({"spawnfix-baseline": 1}, "no baseline: "),
        ({"spawnfix-baseline": 1, "findings": {}}, "no baseline: "),
        ({"spawnfix-baseline": 1, "findings": [ROW, 3]}, 'finding 2 needs "rule", "path", "code", and a number'),
        ({"spawnfix-baseline": 1, "findings": [{**ROW, "code": None}]}, "finding 1 needs"),
        ({"spawnfix-baseline": 1, "findings": [{"rule": "r", "path": "p"}]}, "finding 1 needs"),
        ({"spawnfix-baseline": 1, "findings": [{**ROW, "count": "2"}]}, "finding 1 needs"),
    ],
)
def test_what_is_no_baseline(data: object, words: str, tmp_path: Path) -> None:
    file = tmp_path / "b.json"
    file.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8-sig")
    with pytest.raises(Problem) as caught:
        read_baseline(file)
    assert str(caught.value).startswith(f"{file}: {words}")


def test_a_baseline_that_is_not_there_or_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"can't read the baseline .*none.json: No such file.*; --write-baseline writes"):
        read_baseline(tmp_path / "none.json")
    with pytest.raises(Problem, match=r"can't write the baseline .*none/b.json: "):
        write_baseline(tmp_path / "none/b.json", [], {})


# comments that suppress


def ignored(folder: Path, *findings: Finding) -> list[str]:
    return list(add_ignores(Report(str(folder), findings, (), 1), DirectoryFiles(folder)))


def test_a_comment_beside_each_finding(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x = 1\r\ny = 2  # why\r\nz = 3\r\n")
    (tmp_path / "b.py").write_text("x = 1\n")
    found = (finding(1), finding(1, "dict-views"), finding(2), finding(1, path="b.py"))
    assert ignored(tmp_path, *found) == ["suppressed 4 findings in 2 files"]
    assert (tmp_path / "b.py").read_text() == "x = 1  # spawnfix: ignore[lambdas]\n"
    after = (tmp_path / "a.py").read_bytes()
    lines = after.decode().split("\r\n")
    assert lines[0].startswith("x = 1  # spawnfix: ignore[") and "lambdas" in lines[0] and "dict-views" in lines[0]
    assert "why" in lines[1] and "spawnfix: ignore[lambdas]" in lines[1] and lines[2:] == ["z = 3", ""]
    assert ignored(tmp_path, *found) == ["suppressed 4 findings in 0 files"]
    assert (tmp_path / "a.py").read_bytes() == after


def test_no_room_for_a_comment(tmp_path: Path) -> None:
    text = 'x = """a\nb\n"""\n'
    (tmp_path / "a.py").write_text(text)
    assert ignored(tmp_path, finding(2)) == [
        "suppressed 0 findings in 0 files",
        "no room for a comment: a.py:2 lambdas",
    ]
    assert (tmp_path / "a.py").read_text() == text


@pytest.mark.parametrize("data", [None, b"\x00\xff\xfe"])
def test_a_file_that_cannot_be_read(data: bytes | None, tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("x = 1\n")
    if data is not None:
        (tmp_path / "a.py").write_bytes(data)
    with pytest.raises(Problem, match=r"^a\.py: "):
        ignored(tmp_path, finding(1, path="b.py"), finding(1))
    assert (tmp_path / "b.py").read_text() == "x = 1\n"


def test_each_state_has_a_colour_of_its_own() -> None:
    out = Console(
        file=io.StringIO(),
        width=200,
        force_terminal=True,
        color_system="standard",
        no_color=False,
        legacy_windows=False,
    )
    source = Source("a.py", b"x = 1\n" * 5)
    found = (finding(1), finding(2, unsafe="it may differ"), finding(3, unsafe=None))
    render_concise(Report("", found, (), 1, {"a.py": source}), out)
    codes = {"[fixable]": "32", "[unsafe]": "35", "[refused]": "31"}  # green, magenta, red
    for line, (state, colour) in zip(shown(out), codes.items(), strict=False):
        assert line.endswith(f"\x1b[{colour}m{state}\x1b[0m"), line
    sure = {Confidence.PROVEN: "1;31", Confidence.LIKELY: "33", Confidence.POSSIBLE: "2"}
    for confidence, colour in sure.items():
        out.file = io.StringIO()
        render_concise(Report("", (replace(finding(), confidence=confidence),), (), 1, {"a.py": source}), out)
        assert f"\x1b[{colour}m{confidence.value}\x1b[0m" in shown(out)[0]


@each_row(
    "unsafe, words",
    [
        (("",), ["1 can be fixed.", "Fix them on a branch of their own: spawnfix migrate ."]),
        (("why",), ["1 only with --unsafe-fixes.",
                    "Fix them on a branch of their own: spawnfix migrate --unsafe-fixes ."]),
        ((None,), ["1 refused, the reason is above."]),
        (("", "why", None, None), ["1 can be fixed; 1 only with --unsafe-fixes; 2 refused, the reason is above.",
                                   "Fix them on a branch of their own: spawnfix migrate ."]),
    ],
)  # fmt: skip
def test_what_to_do_next(unsafe: tuple[str | None, ...], words: list[str]) -> None:
    out = console(width=200)
    found = tuple(finding(at, unsafe=each) for at, each in enumerate(unsafe, 1))
    render_concise(Report(".", found, (), 1, {"a.py": Source("a.py", "x = 1\n" * 5)}), out)
    lines = shown(out)
    assert lines[-len(words) :] == words
    assert not any("Fix them" in line for line in lines[: -len(words)])


@each_row("scope, where", [("f", "`a.py:3` in `f`: "), ("", "`a.py:3`: ")])
def test_a_change_in_the_text_of_a_pull_request(scope: str, where: str) -> None:
    first, *_ = pull_request_lines(change(scope=scope))
    assert first == f"- {where}use partial"
