"""The text of a pull request that a batch leaves with each repository."""

from __future__ import annotations

from codemods.batch.pull_request import MAX_LENGTH, MOST, pull_request
from codemods.batch.spec import Outcome, Status
from codemods.engine.results import Plan, RuleChange
from codemods.finding import Confidence, Finding, Fix, Hop, Span
from codemods.transforms import rules


def finding(line: int = 3, reason: str | None = None, unsafe: str | None = None, message: str = "crosses") -> Finding:
    fix = Fix("use partial", (), unsafe=unsafe) if reason is None else None
    hops = (Hop("b.py", 7, "`DataLoader` sends it"),)
    return Finding("lambdas", "a.py", Span(line, 1, line, 9), message, Confidence.LIKELY, hops, fix, reason)


def text(*fixed: Finding, remaining: tuple[Finding, ...] = (), files: int = 1) -> list[str]:
    contents = {f"{number}.py": b"" for number in range(files)}
    plan = Plan((RuleChange("lambdas", fixed, contents),), remaining, (), 9)
    done = pull_request(Outcome(Status.MIGRATED, commit="c0", fixed=len(fixed)), plan)
    return done.splitlines()


def test_what_was_changed_and_what_was_not() -> None:
    lines = text(finding(), remaining=(finding(9, "it is used twice"), finding(10, unsafe="the copy is later")))
    assert " fixed 1 place in 1 file, so that this code runs" in lines[2]
    assert f"| `lambdas` | 1 | {rules()['lambdas'].summary} |" in lines
    assert lines[lines.index("## lambdas") + 1 :][:6] == [
        "", "```text", "a.py:3  crosses (likely)", "    use partial", "    -> b.py:7 `DataLoader` sends it", "```",
    ]  # fmt: skip
    assert lines[lines.index("## Left as it is") + 4 :][:8] == [
        "```text",
        "a.py:9  crosses (likely)", "    -> b.py:7 `DataLoader` sends it", "    why not: it is used twice",
        "a.py:10  crosses (likely)", "    -> b.py:7 `DataLoader` sends it",
        "    why not: only with --unsafe-fixes: the copy is later",
        "```",
    ]  # fmt: skip
    assert lines[-1].startswith("Base: `c0`. ")
    both = text(finding(), finding(4), files=2)
    assert " fixed 2 places in 2 files, so" in both[2] and "## Left as it is" not in both


def test_a_fix_that_may_change_the_meaning_says_how() -> None:
    assert "    unsafe: it is later" in text(finding(unsafe="it is later"))
    assert not any("unsafe: " in line for line in text(finding()))


def test_the_text_stays_short_and_whole() -> None:
    many = text(*(finding(line) for line in range(1, MOST + 3)))
    assert "... and 2 more" in many and f"a.py:{MOST}  crosses (likely)" in many
    assert f"a.py:{MOST + 1}  crosses (likely)" not in many
    assert not any("more" in line for line in text(*(finding(line) for line in range(1, MOST + 1))))
    fenced = text(finding(message="x\x1b```\u202e"))
    assert "a.py:3  x?```? (likely)" in fenced and "````text" in fenced
    long = "\n".join(text(finding(message="`````" + "x" * MAX_LENGTH)))
    assert len(long) < MAX_LENGTH + 60 and long.endswith("\n``````\n\n(cut: the commits list the rest)")
