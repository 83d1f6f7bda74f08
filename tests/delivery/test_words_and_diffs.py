"""The message of each commit, the summary of a run, and where blocks of a diff begin."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from codemods.delivery.commit_message import commit_message
from codemods.delivery.deliver import summary
from codemods.delivery.diff import changed_lines, quoted
from codemods.delivery.proof import Prover
from codemods.delivery.target import Target
from codemods.engine.results import Plan, RuleChange
from codemods.finding import Confidence, Edit, Finding, Fix, Hop, Skipped, Span
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

HOPS = (Hop("a.py", 3, "`x` is a lambda"), Hop("b.py", 4, "`DataLoader` sends it"))


def finding(line: int = 3, rule: str = "lambdas", title: str | None = "use partial", unsafe: str | None = None,
            message: str = "it crosses", path: str = "src/a.py") -> Finding:  # fmt: skip
    fix = Fix(title, (Edit(path, 0, 0, "x"),), unsafe=unsafe) if title is not None else None
    reason = "used twice" if fix is None else None
    return Finding(rule, path, Span(line, 1, line, 9), message, Confidence.LIKELY, HOPS, fix, reason)


def message(*findings: Finding, words: str = "Send no lambdas.", alone: bool = False, verified: str = "") -> list[str]:
    change = RuleChange("lambdas", findings, {}, verified=verified)
    return commit_message(change, words, "1.2", alone).split("\n")


def test_a_commit_of_one_place() -> None:
    assert message(finding()) == [
        "lambdas: send no lambdas (1 place)",
        "",
        "src/a.py:3 use partial",
        "    why: it crosses (likely)",
        "      -> a.py:3 `x` is a lambda",
        "      -> b.py:4 `DataLoader` sends it",
        "",
        "Spawnfix-Rule: lambdas",
        "Spawnfix-Version: 1.2",
        "",
    ]


def test_an_unsafe_fix_that_was_verified() -> None:
    lines = message(finding(unsafe="may differ"), finding(9, title=None), verified="make\ntest: passes")
    assert lines[0] == "lambdas: send no lambdas (2 places)"
    assert lines[6] == "    unsafe: may differ"
    assert lines[7:9] == ["src/a.py:9 it crosses", "    why: it crosses (likely)"]
    assert lines[-5:] == [
        "",
        "Spawnfix-Rule: lambdas",
        "Spawnfix-Verified: make test: passes",
        "Spawnfix-Version: 1.2",
        "",
    ]


@each_row(
    ("words", "subject", "opening"),
    [
        ("IO is closed", "lambdas: IO is closed (1 place)", []),
        ("x" * 53 + ".", "lambdas: " + "x" * 53 + " (1 place)", []),
        ("x" * 54, "lambdas: " + "x" * 54, []),
        ("x" * 51, "lambdas: " + "x" * 51 + " (1 place)", []),
        ("x" * 63, "lambdas: " + "x" * 63, []),
        ("x" * 64, "lambdas: fix 1 place", ["x" * 64, ""]),
        ("word " * 30, "lambdas: fix 1 place", ["word " * 17 + "word", "word " * 11 + "word", ""]),
    ],
)
def test_subjects_are_short(words: str, subject: str, opening: list[str]) -> None:
    lines = message(finding(), words=words)
    assert lines[0] == subject and lines[1] == "" and lines[2 : 2 + len(opening)] == opening
    assert lines[2 + len(opening)] == "src/a.py:3 use partial"


def test_a_commit_of_several_rules() -> None:
    lines = message(finding(), finding(4, "dict-views"), finding(5))
    assert lines[0] == "spawnfix: fix 3 places of 2 rules"
    assert lines[-4:] == ["Spawnfix-Rule: lambdas", "Spawnfix-Rule: dict-views", "Spawnfix-Version: 1.2", ""]


@each_row(
    ("findings", "subject"),
    [
        ([finding(title="use\ta def")], "lambdas: use a def"),
        ([finding(title="y" * 63)], "lambdas: " + "y" * 63),
        ([finding(title="y" * 64)], "lambdas: fix a.py:3"),
        ([finding(title="y" * 64, path="src/" + "z" * 99)], "lambdas: fix " + "z" * 59),
        ([finding(), finding(title="another")], "lambdas: send no lambdas (2 places)"),
        ([finding(title=None)], "lambdas: send no lambdas (1 place)"),
    ],
)
def test_the_subject_of_a_fix_alone(findings: list[Finding], subject: str) -> None:
    assert message(*findings, alone=True)[0] == subject


def test_long_lines_are_wrapped_between_words() -> None:
    lines = message(finding(message="some-long " * 19 + "some-long", title="z" * 120))
    assert lines[2:8] == [
        "src/a.py:3",
        "    " + "z" * 120,
        "    why: some-long some-long some-long some-long some-long some-long some-long some-long",
        "        some-long some-long some-long some-long some-long some-long some-long some-long",
        "        some-long some-long some-long some-long (likely)",
        "      -> a.py:3 `x` is a lambda",
    ]


# the summary

SKIPPED = (Skipped("s.py", "binary"), Skipped("t.py", "too large"))


def plan(fixed: tuple[Finding, ...] = (), remaining: tuple[Finding, ...] = (), declined: tuple[Finding, ...] = (),
         skipped: tuple[Skipped, ...] = (), seen: int = 2) -> Plan:  # fmt: skip
    return Plan((RuleChange("lambdas", fixed, {}),) if fixed else (), remaining, skipped, seen, declined=declined)


REFUSED, UNSAFE = finding(title=None), finding(unsafe="may differ")


@each_row(
    ("done", "would", "lines"),
    [
        (plan((finding(), finding(4))), False, ["lambdas: 2 fixed"]),
        (plan((finding(),)), True, ["lambdas: 1 to fix"]),
        (
            plan((finding(), finding(4, "dict-views")), (REFUSED, UNSAFE, UNSAFE), (finding(8),)),
            False,
            [
                "dict-views: 1 fixed",
                "lambdas: 1 fixed, 1 refused, 2 only with --unsafe-fixes, 1 left as is",
                "`spawnfix check` shows each with its reason",
            ],
        ),
        (
            plan(remaining=(UNSAFE,)),
            False,
            ["lambdas: 0 fixed, 1 only with --unsafe-fixes", "nothing to fix in 2 files"],
        ),
        (plan(declined=(UNSAFE,), seen=1), False, ["lambdas: 0 fixed, 1 left as is", "nothing to fix in 1 file"]),
        (plan(), False, ["nothing found in 2 files"]),
        (
            plan(skipped=SKIPPED[:1]),
            False,
            ["skipped s.py: binary", "nothing found in 2 files; 1 file was not looked at"],
        ),
        (
            plan(skipped=SKIPPED),
            False,
            [
                "skipped s.py: binary",
                "skipped t.py: too large",
                "nothing found in 2 files; 2 files were not looked at",
            ],
        ),
        (plan(skipped=SKIPPED[:1], seen=0), False, ["skipped s.py: binary"]),
        (plan(seen=0), False, ["nothing found in 0 files"]),
        (plan(skipped=(Skipped("s.py", "a rule failed", failed="lambdas"),)), False, ["skipped s.py: a rule failed"]),
    ],
)
def test_what_a_run_came_to(done: Plan, would: bool, lines: list[str]) -> None:
    assert list(summary(done, would)) == lines


# where a block begins that could begin at several lines


@each_row(
    ("old", "new", "changes"),
    [
        ("a\n\nb", "a\n\nx\n\nb", [(2, 2, 2, 4)]),  # with the blank line behind it, not before
        ("a\n\nx\n\nb", "a\n\nb", [(2, 4, 2, 2)]),
        ("k\n  p\nq", "k\n  p\n  p\nq", [(2, 2, 2, 3)]),
        ("k\nd\n  p\nd\n  p\nz", "k\nd\n  p\nd\n  p\nd\n  p\nz", [(5, 5, 5, 7)]),  # as far down as it is the same
        ("k\nd\n  p\nz", "k\nd\n  p\nd\n  p\nz", [(3, 3, 3, 5)]),
        ("d\n  p\nz", "d\n  p\nd\n  p\nz", [(0, 0, 0, 2)]),  # nothing stands before it
        ("  p\nd\n  p\nz", "  p\nd\n  p\nd\n  p\nz", [(3, 3, 3, 5)]),
        ("k\nx\nx\ny\nx\nx", "k\nx\ny\nx", [(2, 3, 2, 2), (5, 6, 4, 4)]),  # two blocks do not slide over each other
        ("\n\na", "\n\n\n\na", [(2, 2, 2, 4)]),
        ("p\n\nd\nd\nz", "p\n\nd\nd\nd\nz", [(2, 2, 2, 3)]),  # behind the blank line, though more of it follows
        ("\nk\nd\nz", "\nk\nd\nd\nz", [(3, 3, 3, 4)]),  # a blank line two above is none before it
        ("a\nb", "a\nc\nb", [(1, 1, 1, 2)]),
        ("a\nb\nc", "a\nx\nc", [(1, 2, 1, 2)]),
    ],
)
def test_a_block_begins_like_a_block(old: str, new: str, changes: list[tuple[int, int, int, int]]) -> None:
    before, after = old.encode().split(b"\n"), new.encode().split(b"\n")
    assert changed_lines(before, after) == changes
    built, at = list[bytes](), 0
    for i1, i2, j1, j2 in changes:
        built += before[at:i1] + after[j1:j2]
        at = i2
    assert built + before[at:] == after


# the first of several fixes that makes a command fail


@pytest.mark.parametrize(("many", "bad"), [(many, bad) for many in range(1, 8) for bad in range(many)])
def test_the_first_bad_of_many(many: int, bad: int, monkeypatch: pytest.MonkeyPatch) -> None:
    prover = Prover.__new__(Prover)
    tried: list[int] = []

    def worse(base: object, taken: frozenset[int], edited: object) -> str | None:
        tried.append(len(taken) - 1)
        return "it fails" if 10 + bad in taken else None

    monkeypatch.setattr(prover, "_worse", worse)
    assert prover._first_bad(None, frozenset({99}), range(10, 10 + many), {}) == bad  # type: ignore[arg-type]
    assert len(tried) <= 3 and all(0 < number < many for number in tried)


# the files that are asked for


@each_row(
    ("scope", "scopes", "covered"),
    [
        ("", (), ["a.py", "src/a.py", "src2/a.py", "src"]),
        ("src", (), ["src/a.py", "src"]),
        ("src/a.py", (), ["src/a.py"]),
        ("", ("src", "src2"), ["src/a.py", "src2/a.py", "src"]),
        ("a.py", ("src",), ["src/a.py", "src"]),
    ],
)
def test_the_paths_that_count(scope: str, scopes: tuple[str, ...], covered: list[str]) -> None:
    target = Target(MemoryFiles({}), scope, scopes=scopes)
    assert [path for path in ("a.py", "src/a.py", "src2/a.py", "src") if target.covers(path)] == covered


def test_a_cache_among_the_files_came_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from codemods.tree.directory import DirectoryFiles

    tree, other = tmp_path / "tree", tmp_path / "other"
    for folder, name in itertools.product((tree, other), ("cache/facts", "empty")):
        (folder / name).mkdir(parents=True)
    (tree / "cache/facts/a.py").write_text("x = 1\n")
    target = Target(DirectoryFiles(tree), "")
    brings = {}
    for place in (tree / "cache", tree / "empty", tree, other / "cache"):
        monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(place))
        brings[place.relative_to(tmp_path).as_posix()] = target.brings_cache()
    monkeypatch.setattr("codemods.store.folder", lambda: None)
    assert not target.brings_cache()
    assert brings == {"tree/cache": True, "tree/empty": False, "tree": True, "other/cache": False}


def test_which_characters_of_a_path_are_quoted() -> None:
    """As git does it: control characters, quotes, backslashes, and all that is not ASCII."""
    for byte in range(1, 128):
        path = f"a{chr(byte)}b"
        plain = 32 <= byte < 127 and chr(byte) not in '"\\'
        assert (quoted(path) == path.encode()) is plain, byte
        assert quoted(path).startswith(b'"a') is not plain
    assert quoted("\t") == b'"\\t"' and quoted('"') == b'"\\""' and quoted("\\") == b'"\\\\"'
    assert quoted("\x01") == b'"\\001"' and quoted("\x7f") == b'"\\177"' and quoted("ä") == b'"\\303\\244"'
