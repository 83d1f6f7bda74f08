"""How often files are verified: once when all is well, a few times more for each fix that is not."""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Iterable
from dataclasses import replace

import pytest

import codemods.engine.steps
import codemods.engine.trials
from codemods.engine.apply import Touched, written
from codemods.engine.migrate import check, plan
from codemods.engine.steps import apart, disjoint, nested
from codemods.engine.trials import TOO_MANY, grouped
from codemods.finding import Confidence, Edit, Finding, Fix, Span
from codemods.project import Project
from codemods.rule import Rule
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from codemods.tree.source import Source
from harness.each_row import each_row


def marks(bad: Iterable[int] = ()) -> Rule:
    """A rule that writes `int(n)` for every `BAD(n)`, but for those numbers in `bad` what does not compile."""

    def find(project: Project) -> Iterable[Finding]:
        for path in project.paths:
            source = project.source(path)
            assert source is not None
            for match in re.finditer(r"BAD\((\d+)\)", source.text):
                text = "int(" if int(match[1]) in bad else f"int({match[1]})"
                fix = Fix(f"write {match[1]}", (Edit(path, match.start(), match.end(), text),))
                span = source.span(match.start(), match.end())
                yield Finding("marks", path, span, "a mark", Confidence.LIKELY, fix=fix)

    return Rule(id="marks", summary="Find marks", screen=re.compile(b"BAD"), find=find)


def text(count: int) -> bytes:
    return "".join(f"x{n} = BAD({n})\n" for n in range(count)).encode()


@pytest.fixture
def verified(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The path of each file that is verified, in order."""
    calls: list[str] = []
    verify = codemods.engine.steps.verify

    def counted(before: Source, after: str, edits: list[Edit], thorough: bool) -> str | None:
        calls.append(before.path)
        return verify(before, after, edits, thorough)

    monkeypatch.setattr(codemods.engine.steps, "verify", counted)
    return calls


@pytest.mark.parametrize("count", [3, 300])
@pytest.mark.parametrize("job", [check, plan])
def test_each_file_is_verified_once_however_many_fixes_it_has(verified: list[str], job: object, count: int) -> None:
    files = MemoryFiles({"a.py": text(count), "b.py": text(count)})
    job(files, Settings(), "", {"marks": marks()})  # type: ignore[operator]
    assert verified == ["a.py", "b.py"]


@pytest.mark.parametrize("bad", [{0}, {3, 4, 63}])
def test_those_that_fail_are_found_by_halves(verified: list[str], bad: set[int]) -> None:
    files = MemoryFiles({"a.py": text(64), "b.py": text(64)})
    report = check(files, Settings(), "", {"marks": marks(bad)})
    refused = [(finding.path, finding.span.line - 1) for finding in report.findings if finding.fix is None]
    assert refused == [(path, n) for path in ("a.py", "b.py") for n in sorted(bad)]
    assert len(verified) <= 2 * (1 + 2 * 6 * len(bad))


def test_all_but_the_bad_are_applied(verified: list[str]) -> None:
    done = plan(MemoryFiles({"a.py": text(64)}), Settings(), "", {"marks": marks({5, 40})})
    after = done.contents["a.py"].decode().splitlines()
    assert after == [f"x{n} = {'BAD' if n in (5, 40) else 'int'}({n})" for n in range(64)]
    assert {finding.span.line for finding in done.remaining} == {6, 41}
    assert len(verified) <= 5 * (1 + 2 * 6 * 2)


def test_a_file_full_of_bad_fixes_is_given_up(verified: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    data = text(300)
    monkeypatch.setattr(codemods.engine.trials, "MAX_TRIED", 10 * len(data))
    report = check(MemoryFiles({"a.py": data, "b.py": text(2)}), Settings(), "", {"marks": marks(range(2, 300))})
    fixed = [finding for finding in report.findings if finding.fix is not None]
    assert len(verified) <= 14 and {finding.path for finding in fixed} >= {"b.py"}
    reasons = {finding.reason for finding in report.findings if finding.reason}
    assert f"internal check failed: {TOO_MANY}" in reasons


def test_a_run_full_of_bad_fixes_is_given_up(verified: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    data = text(32)
    monkeypatch.setattr(codemods.engine.trials, "MAX_RETRIED", 10 * len(data))
    files = {f"f{n:02}.py": data for n in range(40)}
    check(MemoryFiles(files), Settings(), "", {"marks": marks({1})})
    assert len(verified) <= 40 + 14 + 40  # each file once, what there is room for, and one try of each to see that


def chained(bad: Iterable[int] = ()) -> Rule:
    """As `marks`, but the fix of each mark holds those of all marks above it."""

    def find(project: Project) -> Iterable[Finding]:
        edits: tuple[Edit, ...] = ()
        for finding in marks(bad).find(project):
            assert finding.fix is not None
            edits += finding.fix.edits
            yield replace(finding, fix=replace(finding.fix, edits=edits))

    return Rule(id="marks", summary="Find marks", screen=re.compile(b"BAD"), find=find)


@pytest.mark.parametrize("count", [3, 300])
def test_fixes_that_hold_each_other_are_verified_together(verified: list[str], count: int) -> None:
    report = check(MemoryFiles({"a.py": text(count)}), Settings(), "", {"marks": chained()})
    assert verified == ["a.py", "a.py"]  # the first fix alone, and all others
    assert [len(finding.fix.edits) for finding in report.findings if finding.fix] == [*range(1, count + 1)]


@pytest.mark.parametrize("bad", [0, 1, 40, 63])
def test_what_holds_a_bad_fix_is_refused(verified: list[str], bad: int) -> None:
    report = check(MemoryFiles({"a.py": text(64)}), Settings(), "", {"marks": chained({bad})})
    assert [finding.fix is not None for finding in report.findings] == [n < bad for n in range(64)]
    assert len(verified) <= 2 * 64


def test_fixes_that_have_only_a_part_in_common_are_verified_apart() -> None:
    helper, one, other = Edit("a", 0, 0, "x"), Edit("a", 4, 5, "y"), Edit("a", 6, 7, "z")
    fixes = [Fix("one", (helper, one)), Fix("other", (helper, other))]
    assert nested(fixes) == fixes[:1]
    base = Fix("base", (helper,))
    assert nested([*fixes, base]) == [base, *fixes]
    assert [fix.edits for fix in apart([base, *fixes])] == [(helper,), (one,), (other,)]


def test_a_fix_that_writes_the_same_twice_keeps_both() -> None:
    twice = Fix("twice", (Edit("a", 3, 3, ")"), Edit("a", 3, 3, ")")))
    assert nested([twice]) == apart([twice]) == [twice]


def test_the_hash_of_a_fix_is_not_sent_to_other_processes() -> None:
    fix = Fix("one", (Edit("a", 4, 5, "y"),))
    assert hash(fix) == hash(Fix("one", (Edit("a", 4, 5, "y"),)))
    again = pickle.loads(pickle.dumps(fix))
    assert again == fix and not hasattr(again, "_hash")


def naive(fixes: list[Fix]) -> list[Fix]:
    chosen: list[Fix] = []
    for fix in fixes:
        pairs = ((a, b) for other in chosen for a in fix.edits for b in other.edits if a.path == b.path)
        if not any((a.start < b.end and b.start < a.end) or a == b for a, b in pairs):
            chosen.append(fix)
    return chosen


@each_row("seed", range(40))
def test_fixes_that_are_in_each_others_way(seed: int) -> None:
    dice = random.Random(seed)

    def edit(at: int) -> Edit:
        return Edit(dice.choice("ab"), at, at + dice.choice([0, 0, 1, 5]), dice.choice("xy"))

    fixes = [Fix(str(n), (edit(dice.randrange(60)), edit(dice.randrange(60, 120)))) for n in range(40)]
    assert disjoint(fixes) == naive(fixes)


def naive_areas(source: Source, edits: list[Edit], span: Span) -> tuple[Span, Span]:
    start = source.line_starts[span.line - 1] + span.column - 1
    end = source.line_starts[span.end_line - 1] + span.end_column - 1
    for edit in edits:
        if edit.start < end and start < edit.end:
            start, end = min(start, edit.start), max(end, edit.end)
    sizes = [(edit, len(written(source, edit)) - (edit.end - edit.start)) for edit in edits]
    low = start + sum(size for edit, size in sizes if edit.end <= start and edit.start < start)
    high = end + sum(size for edit, size in sizes if edit.end <= end and edit.start < end)
    return source.span(start, end), Source(source.path, source.apply(edits)).span(low, high)


@each_row("seed", range(40))
def test_where_a_place_is_after_edits(seed: int) -> None:
    dice = random.Random(seed)
    source = Source("a.py", "".join(dice.choice("abc\n") for _ in range(100)))
    places = sorted(dice.sample(range(101), 12))
    pairs = zip(places[::2], places[1::2], strict=True)
    edits = [Edit("a.py", start, dice.choice([start, end]), "n\n" * dice.randrange(3)) for start, end in pairs]
    touched = Touched(source, edits)
    for _ in range(30):
        start, end = sorted(dice.sample(range(101), 2))
        assert touched.areas(source.span(start, end)) == naive_areas(source, edits, source.span(start, end))


def test_groups_of_fixes_have_no_file_in_common_and_keep_their_order() -> None:
    def fix(name: str, *paths: str) -> Fix:
        return Fix(name, tuple(Edit(path, 0, 0, name) for path in paths))

    one, two, three, four = fix("1", "a"), fix("2", "b"), fix("3", "c"), fix("4", "c", "a")
    assert grouped([one, two, three, four]) == [[one, three, four], [two]]
    assert grouped([]) == []
