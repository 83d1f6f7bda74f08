"""The pipeline with rules made for the test: what it applies, in which order, and what it turns down."""

from __future__ import annotations

import ast
import itertools
import pickle
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from codemods.engine.migrate import Plan, check, plan
from codemods.finding import Confidence, Edit, Finding, Fix, Import
from codemods.project import Project
from codemods.rule import Rule
from codemods.settings import Settings
from codemods.tree.files import Entry, MemoryFiles
from codemods.tree.source import Source
from harness.each_row import each_row

Make = Callable[[Source, re.Match[str]], Finding]


def marks(make: Make, pattern: str = r"BAD\((\w*)\)", id: str = "marks", screen: bytes = rb"BAD") -> Rule:
    """A rule that finds every match of `pattern`; `make` gives the finding."""

    def find(project: Project) -> Iterable[Finding]:
        for path in project.paths:
            source = project.source(path)
            if source is None or (path.endswith(".py") and project.module(path) is None):
                continue
            for match in re.finditer(pattern, source.text):
                yield make(source, match)

    return Rule(id=id, summary="Find marks", screen=re.compile(screen), find=find)


def finding(source: Source, match: re.Match[str], fix: Fix | None = None, rule: str = "marks") -> Finding:
    span = source.span(match.start(), match.end())
    reason = None if fix else "can't"
    return Finding(rule, source.path, span, "a mark", Confidence.LIKELY, fix=fix, reason=reason)


def rewriting(new: str, unsafe: str | None = None, imports: Sequence[str] = ()) -> Make:
    """Findings fixed by writing `new` (with the marked word for {}) in place of the match."""

    def make(source: Source, match: re.Match[str]) -> Finding:
        edit = Edit(source.path, match.start(), match.end(), new.format(match[1]))
        needs = tuple(Import(source.path, module) for module in imports)
        return finding(source, match, Fix("write it", (edit,), needs, unsafe))

    return make


def run(files: dict[str, bytes], *rules: Rule, scope: str = "", settings: Settings | None = None) -> Plan:
    return plan(MemoryFiles(files), settings or Settings(), scope, {rule.id: rule for rule in rules})


GOOD = marks(rewriting("int({})"))


# What is applied


def test_repairs_and_reports() -> None:
    done = run({"a.py": b"x = BAD(1)\ny = BAD(2)\n", "b.py": b"z = 1\n"}, GOOD)
    assert done.contents == {"a.py": b"x = int(1)\ny = int(2)\n"}
    assert [change.rule for change in done.changes] == ["marks"]
    assert [finding.span.line for finding in done.changes[0].findings] == [1, 2]
    assert done.remaining == () and done.skipped == () and done.files_seen == 2
    assert pickle.loads(pickle.dumps(done)) == done


@each_row(
    ("before", "after"),
    [
        pytest.param(b"import os\r\nx = BAD(1)\r\n", b"import math\r\nimport os\r\nx = math.ceil(1)\r\n", id="CRLF"),
        pytest.param(
            b"# coding: latin-1\nimport os\nx = '\xe9', BAD(1)",
            b"# coding: latin-1\nimport math\nimport os\nx = '\xe9', math.ceil(1)",
            id="latin-1, no newline at the end",
        ),
        pytest.param(
            b"\xef\xbb\xbfimport os\nx = BAD(1)\n", b"\xef\xbb\xbfimport math\nimport os\nx = math.ceil(1)\n", id="BOM"
        ),
        pytest.param(
            b"import os\n\n\x0c\nx = BAD(1)\n", b"import math\nimport os\n\n\x0c\nx = math.ceil(1)\n", id="\\f"
        ),
    ],
)
def test_bytes_are_kept(before: bytes, after: bytes) -> None:
    assert run({"a.py": before}, marks(rewriting("math.ceil({})", imports=["math"]))).contents == {"a.py": after}


def test_one_import_for_many_fixes() -> None:
    done = run({"a.py": b"x = BAD(1)\ny = BAD(2)\n"}, marks(rewriting("math.ceil({})", imports=["math"])))
    assert done.contents == {"a.py": b"import math\n\nx = math.ceil(1)\ny = math.ceil(2)\n"}


def test_overlapping_fixes_take_a_pass_each() -> None:
    def make(source: Source, match: re.Match[str]) -> Finding:  # rewrites the whole line, as another on it does
        start = source.text.rindex("\n", 0, match.start()) + 1
        end = source.text.index("\n", match.start())
        line = source.text[start:end]
        here = line[: match.start() - start] + f"int({match[1]})" + line[match.end() - start :]
        return finding(source, match, Fix("write it", (Edit(source.path, start, end, here),)))

    done = run({"a.py": b"\nx = BAD(1), BAD(2), BAD(3)\n"}, marks(make))
    assert done.contents == {"a.py": b"\nx = int(1), int(2), int(3)\n"}
    assert len(done.changes) == 1 and len(done.changes[0].findings) == 3


def test_findings_that_share_a_fix_are_repaired_by_one_rewrite() -> None:
    def make(source: Source, match: re.Match[str]) -> Finding:
        edits = tuple(Edit(source.path, m.start(), m.end(), "1") for m in re.finditer(r"BAD\(\w*\)", source.text))
        return finding(source, match, Fix("all at once", edits))

    done = run({"a.py": b"x = BAD(a), BAD(b)\n"}, marks(make))
    assert done.contents == {"a.py": b"x = 1, 1\n"}
    assert len(done.changes[0].findings) == 2


def test_helpers_of_one_name_come_one_pass_after_the_other() -> None:
    def make(source: Source, match: re.Match[str]) -> Finding:
        name = next(f"_h{n}" for n in range(9) if f"def _h{n}(" not in source.text)
        helper = Edit(source.path, 0, 0, f"def {name}():\n    return {match[1]}\n\n\n")
        return finding(source, match, Fix("h", (helper, Edit(source.path, match.start(), match.end(), f"{name}()"))))

    done = run({"a.py": b"x = BAD(1)\ny = BAD(2)\n"}, marks(make))
    assert done.remaining == ()
    text = done.contents["a.py"].decode()
    values: dict[str, int] = {}
    exec(text, values)
    assert (values["x"], values["y"]) == (1, 2)


def shell_and_python(new_python: str) -> Rule:
    """One fix that writes to run.sh and to a.py."""

    def make(source: Source, match: re.Match[str]) -> Finding:
        shell, python = "torchrun BAD()", "x = BAD()\n"
        edits = (
            Edit("run.sh", shell.index("BAD"), shell.index("BAD") + 5, "train.py"),
            Edit("a.py", python.index("BAD"), python.index("BAD") + 5, new_python),
        )
        return finding(source, match, Fix("both", edits))

    return marks(make)


FILES = {"a.py": b"x = BAD()\n", "run.sh": b"torchrun BAD()\n"}


def test_a_fix_over_two_files_lands_whole() -> None:
    done = run(FILES, shell_and_python("1"))
    assert done.contents == {"a.py": b"x = 1\n", "run.sh": b"torchrun train.py\n"}


def test_or_not_at_all() -> None:
    done = run(FILES, shell_and_python("("))
    assert done.contents == {} and done.changes == ()
    assert [f.reason for f in done.remaining if not (f.reason or "").startswith("internal check failed: ")] == []
    assert len(done.remaining) == 2


def test_a_second_run_changes_nothing() -> None:
    files = {"a.py": b"x = BAD(1)\n", "b.py": b"import os\ny = BAD(2)\n"}
    rule = marks(rewriting("math.ceil({})", imports=["math"]))
    once = run(files, rule)
    assert len(once.contents) == 2
    assert run({**files, **once.contents}, rule).changes == ()


def test_rules_work_on_each_others_output() -> None:
    late = marks(rewriting("BAD({})"), pattern=r"WORSE\((\w*)\)", id="worse", screen=b"WORSE")
    first = replace(GOOD, id="again")
    done = plan(
        MemoryFiles({"a.py": b"BAD = WORSE = int\nx = WORSE(1), BAD(2)\n"}),
        Settings(),
        "",
        {"again": first, "worse": late},
    )
    assert [change.rule for change in done.changes] == ["again", "worse", "again"]
    assert [change.contents["a.py"].splitlines()[1] for change in done.changes] == [
        b"x = WORSE(1), int(2)",
        b"x = BAD(1), int(2)",
        b"x = int(1), int(2)",
    ]


def test_a_rule_may_get_its_first_work_from_another() -> None:
    late = marks(rewriting("BAD({})"), pattern=r"WORSE\((\w*)\)", id="worse", screen=b"WORSE")
    files = {"a.py": b"x = WORSE(1)\n", "b.py": b"from x import *\ny = WORSE(1)\n"}
    done = plan(MemoryFiles(files), Settings(), "", {"again": replace(GOOD, id="again"), "worse": late})
    assert done.contents == {"b.py": b"from x import *\ny = int(1)\n"}
    assert [finding.path for finding in done.remaining] == ["a.py"]  # there the name BAD would be new


# What our own checks turn down


def reason_of(done: Plan) -> str:
    assert done.changes == ()
    assert done.remaining[0].fix is None
    return done.remaining[0].reason or ""


def test_a_fix_that_breaks_the_file_is_rolled_back_and_the_others_stay() -> None:
    def make(source: Source, match: re.Match[str]) -> Finding:
        return rewriting("((" if match[1] == "2" else "int({})")(source, match)

    done = run({"a.py": b"x = BAD(1)\ny = BAD(2)\nz = BAD(3)\n"}, marks(make))
    assert done.contents == {"a.py": b"x = int(1)\ny = BAD(2)\nz = int(3)\n"}
    assert len(done.changes[0].findings) == 2
    report = check(MemoryFiles({"a.py": b"x = BAD(1)\ny = BAD(2)\n"}), Settings(), rules={"marks": marks(make)})
    assert [finding.fix is None for finding in report.findings] == [False, True]
    (left,) = done.remaining
    assert left.span.line == 2 and (left.reason or "").startswith("internal check failed: the result does not compile")


def test_a_fix_that_does_not_help_is_rolled_back() -> None:
    assert "still there" in reason_of(run({"a.py": b"x = BAD(1)\n"}, marks(rewriting("list(BAD({}))"))))


def test_a_fix_that_brings_new_hazards_is_rolled_back() -> None:
    assert "not there before: a.py:1, a mark" in reason_of(
        run({"a.py": b"x = BAD(1)\n"}, marks(rewriting("[BAD(2), BAD(3)]")))
    )


def test_a_fix_that_never_ends_is_given_up() -> None:
    ever = itertools.count()

    def make(source: Source, match: re.Match[str]) -> Finding:  # a new message each time: not seen to be the same
        return replace(rewriting("BAD({})")(source, match), message=f"mark {next(ever)}")

    done = run({"a.py": b"x = BAD(1)\n"}, marks(make))
    assert done.changes == ()
    assert ["still changing" in (f.reason or "") for f in done.remaining] == [True]


def test_text_that_the_encoding_lacks_is_refused() -> None:
    done = run({"a.py": b"# coding: latin-1\nx = BAD(1)\n"}, marks(rewriting("'\u4f60'")))
    assert "can't write" in reason_of(done)


# What is asked for


def test_suppressions() -> None:
    text = b"""\
a = BAD(1)  # spawnfix: ignore
b = BAD(2)  # spawnfix: ignore[marks]
c = BAD(3)  # spawnfix: ignore[other]
d = BAD(4), "# spawnfix: ignore"
e = BAD(5)  # noqa  # spawnfix:ignore[other, marks] because
"""
    done = run({"a.py": text}, GOOD)
    assert [finding.span.line for finding in done.changes[0].findings] == [3, 4]
    assert done.remaining == ()


def test_a_suppression_at_the_end_of_a_long_statement() -> None:
    rule = marks(rewriting("1"), pattern=r"BAD\(()\n *\)")
    assert run({"a.py": b"x = BAD(\n)  # spawnfix: ignore\n"}, rule).changes == ()


def test_suppressions_in_shell() -> None:
    text = b"""\
echo BAD(1) # spawnfix: ignore
echo '# spawnfix: ignore' BAD(2)
# spawnfix: ignore[marks]
echo BAD(3) \\
  more
echo a#spawnfix: ignore BAD(4)
"""
    found = check(MemoryFiles({"run.sh": text}), Settings(), rules={"marks": marks(finding)}).findings
    assert [each.span.line for each in found] == [2, 6]


def test_unused_suppressions() -> None:
    text = b"x = BAD(1)  # spawnfix: ignore\ny = 1  # spawnfix: ignore[marks]\n"
    report = check(MemoryFiles({"a.py": text}), Settings(), rules={"marks": marks(finding)})
    assert report.findings == ()
    assert report.suppressed == ("a.py",)
    assert [hop.line for hop in report.idle] == [2]


@each_row(("scope", "found"), [("", 4), ("src", 2), ("src/", 2), ("src/a.py", 1), ("sr", 0)])
def test_scope(scope: str, found: int) -> None:
    files = MemoryFiles(dict.fromkeys(("src/a.py", "src/b.py", "srcs/a.py", "z.py"), b"x = BAD(1)\n"))
    report = check(files, Settings(), scope, {"marks": GOOD})
    assert len(report.findings) == found


@each_row(
    ("settings", "paths"),
    [
        (Settings(), ["a.py", "sub/b.py"]),
        (Settings(exclude=("sub",)), ["a.py"]),
        (Settings(per_file_ignores=(("sub/*.py", ("marks",)),)), ["a.py"]),
        (Settings(per_file_ignores=(("sub/*.py", ("other",)),)), ["a.py", "sub/b.py"]),
        (Settings(select=("other",)), []),
        (Settings(select=("marks",)), ["a.py", "sub/b.py"]),
        (Settings(ignore=("marks",)), []),
        (Settings(confidence=Confidence.LIKELY), ["a.py", "sub/b.py"]),
        (Settings(confidence=Confidence.PROVEN), []),
    ],
)
def test_settings(settings: Settings, paths: list[str]) -> None:
    files = MemoryFiles({"a.py": b"x = BAD(1)\n", "sub/b.py": b"x = BAD(1)\n"})
    assert [f.path for f in check(files, settings, rules={"marks": GOOD}).findings] == paths
    assert sorted(plan(files, settings, rules={"marks": GOOD}).contents) == paths


def test_unsafe_fixes_wait_to_be_asked_for() -> None:
    rule = marks(rewriting("int({})", unsafe="it may differ"))
    files = {"a.py": b"x = BAD(1)\n"}
    done = run(files, rule)
    assert done.changes == () and done.remaining[0].fix is not None
    report = check(MemoryFiles(files), Settings(), rules={"marks": rule})
    assert report.why_not(report.findings[0]) == "only with --unsafe-fixes: it may differ"
    assert run(files, rule, settings=Settings(unsafe_fixes=True)).contents == {"a.py": b"x = int(1)\n"}


# What goes wrong


def crashing(rule: Rule) -> Rule:
    """`rule`, which now fails on every file that says CRASH."""

    def find(project: Project) -> Iterable[Finding]:
        for found in rule.find(project):
            source = project.source(found.path)
            assert source is not None
            if "CRASH" in source.text:
                raise KeyError("oh")
            yield found

    return replace(rule, find=find)


def test_a_rule_that_raises_loses_that_file_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPAWNFIX_DEBUG", raising=False)
    files = {"a.py": b"x = BAD(1)\n", "b.py": b"x = BAD(2) # CRASH\n", "c.py": b"x = BAD(3)\n"}
    rule = crashing(GOOD)
    done = run(files, rule, marks(rewriting("int({})"), pattern=r"(WORSE)", id="second"))
    assert sorted(done.contents) == ["a.py", "c.py"]
    assert {(row.path, row.reason) for row in done.skipped} == {
        ("b.py", "rule marks failed here (our bug): KeyError: 'oh'")
    }
    monkeypatch.setenv("SPAWNFIX_DEBUG", "1")
    with pytest.raises(KeyError):
        run(files, rule)


def test_a_rule_that_raises_nowhere_in_particular(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPAWNFIX_DEBUG", raising=False)

    def fail(project: Project) -> Iterable[Finding]:
        raise RuntimeError("no idea\nwhere")

    done = run({"a.py": b"x = BAD(1)\n"}, replace(GOOD, id="broken", find=fail), GOOD)
    assert done.contents == {"a.py": b"x = int(1)\n"}
    assert [(row.path, row.reason) for row in done.skipped] == [
        (".", "rule broken failed here (our bug): RuntimeError: no idea")
    ]


@dataclass
class Watched:
    """Files that know what was read."""

    contents: dict[str, bytes]
    root: str = "."
    reads: list[str] = field(default_factory=list)

    def entries(self) -> Sequence[Entry]:
        return [Entry(path) for path in sorted(self.contents)]

    def read(self, path: str) -> bytes:
        self.reads.append(path)
        if path == "locked.py":
            raise PermissionError(13, "Permission denied")
        return self.contents[path]


def test_files_that_cannot_be_looked_at_are_listed() -> None:
    files = Watched({"locked.py": b"", "bad.py": b"x = (BAD\n", "nul.py": b"BAD\0", "ok.py": b"x = BAD(1)\n"})
    done = plan(files, Settings(), rules={"marks": GOOD})
    assert sorted(done.contents) == ["ok.py"]
    reasons = {row.path: row.reason for row in done.skipped}
    assert reasons["locked.py"] == "Permission denied"
    assert "line 1" in reasons["bad.py"] and "NUL" in reasons["nul.py"]
    assert len(reasons) == 3


def test_what_no_rule_can_use_is_not_parsed_and_data_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    files = Watched(
        {"a.py": b"x = 1\n", "weights.bin": b"BAD(1)", "img/x.png": b"", "Makefile": b"all:\n", "go": b"#!/bin/sh\n"}
    )

    def no_parsing(*_: object, **__: object) -> ast.Module:
        raise AssertionError("parsed a file that no rule asked for")

    monkeypatch.setattr(ast, "parse", no_parsing)
    report = check(files, Settings(), rules={"marks": GOOD})
    assert report.findings == () and report.files_seen == 3
    assert sorted(files.reads) == ["Makefile", "a.py", "go"]


def test_each_file_is_read_once() -> None:
    files = Watched({"a.py": b"x = BAD(1)\n", "b.py": b"y = 1\n"})
    plan(files, Settings(), rules={"marks": GOOD})
    assert sorted(files.reads) == ["a.py", "b.py"]


def test_a_report_holds_the_text_it_speaks_of_and_can_be_pickled() -> None:
    report = check(MemoryFiles({"a.py": b"x = BAD(1)\n", "b.py": b"y = 1\n"}), Settings(), rules={"marks": GOOD})
    assert set(report.sources) == {"a.py"}
    assert pickle.loads(pickle.dumps(report)) == report


def test_a_refusal_that_a_fix_brings_is_told_from_those_before() -> None:
    def make(source: Source, match: re.Match[str]) -> Finding:
        edit = Edit(source.path, match.start(), match.end(), f"(\n    WORSE({match[2]})\n)")
        line = source.position(match.start())[0]
        worse = match[1] == "WORSE"
        return replace(
            finding(source, match, None if worse else Fix("write it", (edit,))),
            message=f"{match[1]} in line {line}",
            reason=f"see line {line}" if worse else None,
        )

    done = run({"a.py": b"x = BAD(1)\ny = WORSE(2)\n"}, marks(make, r"(BAD|WORSE)\((\d)\)"))
    assert [(item.span.line, item.reason) for item in done.remaining] == [(2, "see line 2"), (4, "see line 4")]
    assert [item.span.line for item in done.appeared] == [2]
