"""Diffs that git takes, and the reports: text, JSON, SARIF, workflow commands."""

from __future__ import annotations

import difflib
import io
import json
import random
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from rich.console import Console

from codemods.delivery.diff import changed_lines, quoted, unified_diff
from codemods.engine.migrate import Report
from codemods.finding import (
    Confidence,
    Edit,
    Finding,
    Fix,
    Hop,
    Import,
    Skipped,
    Span,
)
from codemods.review.github import to_github
from codemods.review.json_report import to_json
from codemods.review.sarif import to_sarif
from codemods.review.text import clean, render_text
from codemods.tree.source import Source
from harness.each_row import each_row

HERE = Path(__file__).resolve().parents[1]


# Diffs


def git(*arguments: str, cwd: Path, given: bytes = b"") -> bytes:
    done = subprocess.run(
        ["git", "-c", "core.autocrlf=false", "-c", "init.defaultBranch=main", *arguments],
        cwd=cwd,
        input=given,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace") + given.decode(errors="replace")
    return done.stdout


def applied(before: Mapping[str, bytes], after: Mapping[str, bytes], folder: Path) -> dict[str, bytes]:
    """What real git makes of `before` with our patch to `after`."""
    for path, data in before.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    patch = unified_diff(before, after)
    if patch:
        git("apply", "--whitespace=nowarn", "-", cwd=folder, given=patch)
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and ".git" not in file.relative_to(folder).parts
    }


lines = st.sampled_from(
    [b"a", b"b", b"", b"x = 1", b"\xe9 latin", "ü".encode(), b"\ttab", b"-- x", b"+++ y", b"\x0c", b"\\ No newline"]
)
ends = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\r"])
contents = st.lists(st.tuples(lines, ends), max_size=14).map(lambda pairs: b"".join(a + b for a, b in pairs))
texts = st.tuples(contents, st.sampled_from([b"", b"last"])).map(b"".join)
parts = st.text(st.sampled_from("ab cé\"'\\\t\n你 $;*[#"), min_size=1, max_size=6).map(lambda name: f"n{name}n")
names = st.lists(parts, min_size=1, max_size=2).map("/".join)
trees = st.dictionaries(names, texts, max_size=3).filter(
    lambda tree: not any(f"{one}/" in f"{other}/" and one != other for one in tree for other in tree)
)


@seed(20)
@settings(max_examples=50)
@given(before=trees, data=st.data())
@pytest.mark.slow
def test_git_apply_takes_every_diff(
    before: dict[str, bytes], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    after = {path: data.draw(st.one_of(texts, st.just(old))) for path, old in before.items()}
    folder = tmp_path_factory.mktemp("repo")  # git apply needs no repository
    assert applied(before, after, folder) == after


def test_new_and_deleted_files(tmp_path: Path) -> None:
    git("init", "-q", cwd=tmp_path)
    before = {"old.py": b"x\n", "both.py": b"1\n", "empty": b""}
    after = {"new file.py": b"y", "both.py": b"2\n", "fresh": b""}
    assert applied(before, after, tmp_path) == after


def test_the_diff_is_the_one_git_makes(tmp_path: Path) -> None:
    before = {"b ä.py": b"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "a.py": b"x\r\ny"}
    after = {"b ä.py": b"1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "a.py": b"x\r\nz"}
    git("init", "-q", cwd=tmp_path)
    for path, data in before.items():
        (tmp_path / path).write_bytes(data)
    git("add", ".", cwd=tmp_path)
    for path, data in after.items():
        (tmp_path / path).write_bytes(data)
    theirs = git("diff", "--no-ext-diff", cwd=tmp_path)
    assert re.sub(rb"^index .*\n", b"", theirs, flags=re.MULTILINE) == unified_diff(before, after)


LINES = [b"a", b"b", b"", b"  c"]
lines = st.lists(st.sampled_from(LINES), max_size=12)


def test_changed_lines_are_few_and_rebuild_the_text() -> None:
    """Without Hypothesis, whose first test takes a second."""
    pick = random.Random(20)
    for _ in range(100):
        old, new = (pick.choices(LINES, k=pick.randint(0, 12)) for _ in range(2))
        check_changed_lines(old, new)


@pytest.mark.slow
@seed(21)
@settings(max_examples=500)
@given(lines, lines)
def test_changed_lines_of_many_texts(old: list[bytes], new: list[bytes]) -> None:
    check_changed_lines(old, new)


def check_changed_lines(old: list[bytes], new: list[bytes]) -> None:
    changes = changed_lines(old, new)
    built, at = list[bytes](), 0
    for i1, i2, j1, j2 in changes:
        assert at <= i1 <= i2 and (i1 < i2 or j1 < j2)
        built += old[at:i1] + new[j1:j2]
        at = i2
    assert built + old[at:] == new
    naive = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    size = sum(i2 - i1 + j2 - j1 for tag, i1, i2, j1, j2 in naive if tag != "equal")
    assert sum(i2 - i1 + j2 - j1 for i1, i2, j1, j2 in changes) <= size


def test_an_added_function_starts_at_its_def() -> None:
    old = [b"def a():", b"    pass", b"", b"", b"def c():", b"    pass"]
    new = [*old[:4], b"def b():", b"    pass", b"", b"", *old[4:]]
    assert changed_lines(old, new) == [(4, 4, 4, 8)]


class Line(bytes):
    """A line that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Line.compared += 1
        return bytes.__eq__(self, other)

    __hash__ = bytes.__hash__


def test_long_files_of_equal_lines_are_compared_a_few_times_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Line, "compared", 0)
    old = [Line(b"    return None"), Line(b"")] * 5_000
    new = [b"first", *old[1:-1], b"last"]
    assert changed_lines(old, new) == [(0, 1, 0, 1), (9_999, 10_000, 9_999, 10_000)]
    assert 10_000 < Line.compared < 60_000  # difflib compares each with each


@pytest.mark.slow
@pytest.mark.in_process
def test_other_texts_altogether() -> None:
    old, new = [b"%d" % n for n in range(2000)], [b"%d" % -n for n in range(2000)]
    assert [old[i1:i2] for i1, i2, _, _ in changed_lines(old, new)] == [old[1:]]


def test_equal_files_make_no_diff() -> None:
    assert unified_diff({"a": b"x", "b": b"y"}, {"a": b"x", "b": b"y"}) == b""


@each_row(
    ("path", "header"),
    [
        ("plain/a b.py", b"plain/a b.py"),
        ("é", rb'"\303\251"'),
        ('a"b', rb'"a\"b"'),
        ("a\\b\tc\nd\x01", rb'"a\\b\tc\nd\001"'),
    ],
)
def test_names_are_quoted_as_git_does_it(path: str, header: bytes) -> None:
    assert quoted(path) == header


# Reports


def source(path: str, data: bytes) -> Source:
    return Source.from_bytes(path, data)


SOURCES = {
    "data/reader.py": source(
        "data/reader.py",
        b"import os\r\n\r\nclass Reader:\r\n    def __init__(self, d):\r\n\tself.x = d.keys()\r\n".replace(
            b"\t", b" " * 8
        ),
    ),
    "old.py": source("old.py", b"# coding: latin-1\nx = '\xe9', lambda: 1\n"),
    "run me.sh": source("run me.sh", b"python -m torch.distributed.launch \\\n  train.py\n"),
    "train.py": source("train.py", b"loader = 1\n"),
}


def at(path: str, piece: str) -> tuple[Span, int, int]:
    start = SOURCES[path].text.index(piece)
    return SOURCES[path].span(start, start + len(piece)), start, start + len(piece)


def example() -> Report:
    view, low, high = at("data/reader.py", "d.keys()")
    function, _, _ = at("old.py", "lambda: 1")
    launch, first, last = at("run me.sh", "python -m torch.distributed.launch \\\n  train.py")
    findings = (
        Finding(
            "dict-views",
            "data/reader.py",
            view,
            "a dict view is kept on `Reader`, which DataLoader workers unpickle",
            Confidence.PROVEN,
            (
                Hop("data/reader.py", 5, "d.keys() makes a view"),
                Hop("data/reader.py", 5, "it is kept in self.x"),
                Hop("train.py", 1, "a Reader is the dataset of this DataLoader"),
            ),
            Fix(
                "make it a list",
                (Edit("data/reader.py", low, low, "list("), Edit("data/reader.py", high, high, ")")),
                (Import("data/reader.py", "copy"),),
            ),
        ),
        Finding(
            "lambdas",
            "old.py",
            function,
            "a lambda\x1b[31m crosses",
            Confidence.LIKELY,
            reason="it captures `i`, which changes later:\nbind it first",
        ),
        Finding(
            "dist-launcher",
            "run me.sh",
            launch,
            "torch.distributed.launch is gone",
            Confidence.POSSIBLE,
            fix=Fix(
                "use torchrun", (Edit("run me.sh", first, last, "torchrun \\\n  train.py"),), unsafe="ranks may differ"
            ),
        ),
    )
    skipped = (Skipped("bad.py", "line 3: invalid syntax"),)
    return Report("here", findings, skipped, 12, SOURCES)


def shown(report: Report, **options: object) -> str:
    out = io.StringIO()
    render_text(report, Console(file=out, highlight=False, width=100, **options))  # type: ignore[arg-type]
    return out.getvalue()


def test_text() -> None:
    expected = """\
data/reader.py:5:18  dict-views  proven  [fixable]
  a dict view is kept on `Reader`, which DataLoader workers unpickle
    |
  5 |         self.x = d.keys()
    |                  ^^^^^^^^
  1. data/reader.py:5  d.keys() makes a view
  2. data/reader.py:5  it is kept in self.x
  3. train.py:1        a Reader is the dataset of this DataLoader
  fix: make it a list

old.py:2:10  lambdas  likely  [refused]
  a lambda[31m crosses
    |
  2 | x = 'é', lambda: 1
    |          ^^^^^^^^^
  refused: it captures `i`, which changes later: bind it first

run me.sh:1:1  dist-launcher  possible  [unsafe]
  torch.distributed.launch is gone
    |
  1 | python -m torch.distributed.launch \\
    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  2 |   train.py
  fix: use torchrun
  unsafe: only with --unsafe-fixes: ranks may differ

1 file not, or not wholly, looked at:
  bad.py: line 3: invalid syntax

3 findings in 3 of 12 files: 1 dict-views, 1 dist-launcher, 1 lambdas; 1 file was not looked at: bad.py.
1 can be fixed; 1 only with --unsafe-fixes; 1 refused, the reason is above.
Fix them on a branch of their own: spawnfix migrate here
"""
    assert shown(example()) == expected


def test_a_terminal_gets_colors_and_the_same_words() -> None:
    colored = shown(example(), force_terminal=True, color_system="standard")
    assert "\x1b[" in colored
    plain = re.sub(r"\x1b\[[0-9;]*m", "", colored).replace("│", "|")
    assert plain == shown(example())


def test_nothing_found() -> None:
    assert shown(Report("here", (), (), 1)) == "Nothing found in 1 file.\n"


def test_many_skipped_files_are_counted() -> None:
    skipped = tuple(Skipped(f"{number}.py", "no") for number in range(14))
    text = shown(Report("here", (), skipped, 14))
    assert text.count(".py: no") == 10 and "... and 4 more" in text


def test_long_lines_are_cut_around_the_place() -> None:
    code = "x = [" + "'aaaa', " * 200 + "d.keys()]\n"
    start = code.index("d.keys")
    here = Source("a.py", code)
    found = Finding("r", "a.py", here.span(start, start + 8), "m", Confidence.LIKELY, reason="no")
    text = shown(Report("r", (found,), (), 1, {"a.py": here}))
    frame, carets = next((a, b) for a, b in zip(text.splitlines(), text.splitlines()[1:], strict=False) if "^" in b)
    assert frame[carets.index("^") : carets.rindex("^") + 1] == "d.keys()"
    assert len(frame) < 180


@each_row("before", ["\t", "'你好', ", "'a\u0301', ", "'\u202e', ", "'\x1b[1m', "])
def test_carets_stand_below_the_place(before: str) -> None:
    from rich.cells import cell_len

    code = f"{before}d.keys()\n"
    here = Source("run.sh", code)
    start = code.index("d.keys")
    found = Finding("r", "run.sh", here.span(start, start + 8), "m", Confidence.LIKELY, reason="no")
    text = shown(Report("r", (found,), (), 1, {"run.sh": here}))
    frame, carets = next((a, b) for a, b in zip(text.splitlines(), text.splitlines()[1:], strict=False) if "^" in b)
    assert cell_len(frame[: frame.index("d.keys")]) == carets.index("^")
    assert carets.count("^") == 8


def test_what_steers_terminals_is_dropped() -> None:
    assert clean("a\x1b[2Jb\x00\x07\u202ec\u200b\u2028d\te\x85") == "a[2Jbcd    e"
    assert clean("\udcff") == "?"


def test_json_keeps_its_contract() -> None:
    schema = json.loads((HERE.parent / "docs" / "findings.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    report = json.loads(json.dumps(to_json(example())))
    validator.validate(report)
    validator.validate(json.loads(json.dumps(to_json(Report("here", (), (), 0)))))
    assert report["root"] == "here"
    assert report["skipped"] == [{"path": "bad.py", "reason": "line 3: invalid syntax"}]
    first, second, third = report["findings"]
    assert {key: first[key] for key in ("rule", "path", "line", "column", "end_line", "end_column")} == {
        "rule": "dict-views",
        "path": "data/reader.py",
        "line": 5,
        "column": 18,
        "end_line": 5,
        "end_column": 26,
    }
    assert first["fixable"] is True and first["reason"] is None and first["confidence"] == "proven"
    assert first["trace"][2] == {"path": "train.py", "line": 1, "what": "a Reader is the dataset of this DataLoader"}
    assert first["fix"]["diff"].splitlines()[2:] == [
        "+++ b/data/reader.py",
        "@@ -1,5 +1,6 @@",
        "+import copy",
        " import os",
        " ",
        " class Reader:",
        "     def __init__(self, d):",
        "-        self.x = d.keys()",
        "+        self.x = list(d.keys())",
    ]
    assert (second["fixable"], second["fix"]) == (False, None) and "bind it first" in second["reason"]
    assert third["fixable"] is False and third["reason"] == "only with --unsafe-fixes: ranks may differ"
    assert "+torchrun \\\n" in third["fix"]["diff"]
    for broken in ({**report, "more": 1}, {**report, "findings": [{**first, "fixable": False}]}):
        assert not validator.is_valid(broken)


def test_the_diff_of_one_finding_applies(tmp_path: Path) -> None:
    git("init", "-q", cwd=tmp_path)
    for path, text in SOURCES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(text.encode(text.text))
    for found in json.loads(json.dumps(to_json(example())))["findings"]:
        if found["fix"]:
            git("apply", "--whitespace=nowarn", "-", cwd=tmp_path, given=found["fix"]["diff"].encode())
    assert b"import copy\r\nimport os\r\n" in (tmp_path / "data/reader.py").read_bytes()
    assert (tmp_path / "run me.sh").read_bytes() == b"torchrun \\\n  train.py\n"


def test_sarif_is_valid() -> None:
    schema = json.loads((HERE / "data" / "sarif-schema-2.1.0.json").read_text())
    validator = jsonschema.Draft4Validator(schema)
    log = json.loads(json.dumps(to_sarif(example())))
    assert log["$schema"] == "https://json.schemastore.org/sarif-2.1.0.json"
    validator.validate(log)
    validator.validate(json.loads(json.dumps(to_sarif(Report("here", (), (), 0)))))
    assert not validator.is_valid({**log, "version": "2.0.0"})
    (run,) = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    names = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    first, second, third = run["results"]
    assert [names[result["ruleIndex"]] for result in run["results"]] == ["dict-views", "lambdas", "dist-launcher"]
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note"]
    steps = first["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps] == [5, 5, 1]
    region = first["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 5, "startColumn": 18, "endLine": 5, "endColumn": 26}
    replacements = first["fixes"][0]["artifactChanges"][0]["replacements"]
    assert [each["insertedContent"]["text"] for each in replacements] == ["import copy\r\n", "list(", ")"]
    assert replacements[1]["deletedRegion"] == {"startLine": 5, "startColumn": 18, "endLine": 5, "endColumn": 18}
    assert "bind it first" in second["message"]["text"] and "fixes" not in second
    assert third["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "run%20me.sh"
    assert (
        run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == "skipped: line 3: invalid syntax"
    )


def test_fingerprints_outlive_new_lines_and_tell_twins_apart() -> None:
    def prints(text: str) -> list[str]:
        here = Source("a.py", text)
        found = tuple(
            Finding("r", "a.py", here.span(m.start(), m.end()), "m", Confidence.LIKELY, reason="no")
            for m in re.finditer("BAD", text)
        )
        runs = json.loads(json.dumps(to_sarif(Report("r", found, (), 1, {"a.py": here}), {})))["runs"]
        return [result["partialFingerprints"]["spawnfix/v1"] for result in runs[0]["results"]]

    before = prints("x = BAD\nx = BAD\ny = BAD\n")
    assert len(set(before)) == 3
    assert prints("import os\n\nx = BAD\n  x = BAD\ny = BAD\n") == before


def test_github_annotations() -> None:
    first, second, third, skipped = to_github(example()).splitlines()
    assert first == (
        "::error file=data/reader.py,line=5,col=18,endLine=5,endColumn=26,title=spawnfix%3A dict-views"
        "::a dict view is kept on `Reader`, which DataLoader workers unpickle%0AFix: make it a list (spawnfix migrate)"
    )
    assert second.startswith("::warning file=old.py,line=2") and "%0ANot fixed: it captures `i`" in second
    assert third.startswith("::notice file=run me.sh,line=1,col=1,endLine=2,title=")
    assert skipped == "::notice file=bad.py,title=spawnfix%3A skipped::line 3: invalid syntax"
