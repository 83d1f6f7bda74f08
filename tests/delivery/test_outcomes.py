"""What a command's end says: of its exit status, and of the JUnit file that it may have written."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.delivery import command_run
from codemods.delivery.command_run import Outcome
from codemods.problem import Problem
from harness.each_row import each_row

FINE, ONE, TWO = frozenset[str](), frozenset({"a"}), frozenset({"a", "b"})
ONE_FAILS = '<testcase classname="t" name="one"><failure/></testcase>'
CASES = f'{ONE_FAILS}<testcase name="two"/><testcase name="3"><error/></testcase>'


@each_row(
    ("base", "later", "why"),
    [
        ((0, None), (0, None), None),
        ((0, None), (1, None), "the command failed with exit code 1"),
        ((1, None), (1, None), None),
        ((1, ONE), (1, TWO), "1 more tests fail: b"),
        ((1, TWO), (1, ONE), None),
        ((1, ONE), (1, None), None),
        ((1, None), (1, ONE), None),
        ((0, FINE), (1, None), "the command failed with exit code 1"),
        ((0, FINE), (1, FINE), "the command failed with exit code 1"),
    ],
)
def test_worse_than(
    base: tuple[int, frozenset[str] | None], later: tuple[int, frozenset[str] | None], why: str | None
) -> None:
    before, after = (Outcome(code, 1.0, "", failed=failed) for code, failed in (base, later))
    assert after.worse_than(before) == why


@each_row(
    ("outcome", "passed", "ending", "caution"),
    [
        (Outcome(0, 1, ""), True, "passed", ""),
        (Outcome(0, 2.6, "", timed_out=True), False, "was not done after 3 seconds", "; it can't show what the "),
        (Outcome(-9, 2.6, "", timed_out=True), False, "was not done after 3 seconds", "; it can't show what the "),
        (Outcome(2, 1, ""), False, "failed with exit code 2", "; it can't show what the changes break"),
        (Outcome(1, 1, "", failed=TWO), False, "failed with exit code 1", ", 2 tests fail: "),
        (Outcome(1, 1, "", failed=FINE), False, "failed with exit code 1", ", 0 tests fail: "),
    ],
)
def test_how_it_ended(outcome: Outcome, passed: bool, ending: str, caution: str) -> None:
    assert (outcome.passed, outcome.ending, outcome.words) == (passed, ending, ending)
    assert outcome.caution.startswith(caution) and bool(outcome.caution) == bool(caution)


def test_a_few_of_the_tests_that_fail_are_named() -> None:
    four = Outcome(1, 1.0, "", failed=frozenset("abcd"))
    assert four.worse_than(Outcome(0, 1.0, "", failed=FINE)) == "4 more tests fail: a, b, c..."
    assert four.worse_than(Outcome(1, 1.0, "", failed=frozenset("x"))) == "4 more tests fail: a, b, c..."


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        (f"<suite>{CASES}</suite>", {"t::one", "3"}),
        ("<suite/>", set()),
        ("<suite>", None),
        ("<!DOCTYPE x><suite/>", None),
        ("<!DOCTYPE x [<!ENTITY e 'e'>]><suite/>", None),
        (f"<suite>{CASES}</suite>{' ' * 400}", None),
    ],
    ids=["failures", "no test", "cut off", "document type", "entity", "too large"],
)
def test_failed_tests(text: str, failed: set[str] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_run, "MAX_REPORT", 300)
    (tmp_path / "junit.xml").write_text(text)
    assert command_run._failed_tests(tmp_path, "junit.xml") == failed


def test_a_command_that_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(Problem) as raised:
        command_run.run_command("true", tmp_path / "gone", 9)
    assert str(raised.value) == "`true` can't be started: No such file or directory"


def test_what_is_no_plain_file_says_nothing(tmp_path: Path) -> None:
    assert command_run._failed_tests(tmp_path, "junit.xml") is None
    (tmp_path / "folder").mkdir()
    (tmp_path / "junit.xml").write_text("<suite/>")
    (tmp_path / "link.xml").symlink_to("junit.xml")
    assert command_run._failed_tests(tmp_path, "folder") is None is command_run._failed_tests(tmp_path, "link.xml")
