"""Every program of `before_after/<rule>/<case>/` is run for real: as researchers wrote it, and migrated.

CONTRIBUTING.md describes a case.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from codemods.transforms import rules
from harness.case import BadCase, Case, Tree, folders, read_tree
from harness.programs import Outcome, alone, fresh_copy, run
from harness.tool import findings, spawnfix, text_diff, tree_diff

FOLDERS = folders()
_CHECK_FLAGS = ("--confidence", "--select", "--ignore")  # those of `migrate` that `check` takes too


@pytest.mark.parametrize(
    "folder", [pytest.param(folder, id=f"{folder.parent.name}/{folder.name}") for folder in FOLDERS]
)
def test_program(folder: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    case = Case.load(folder)
    with alone("launcher-port") if case.default_port else contextlib.nullcontext():
        _check(case, tmp_path, bool(request.config.getoption("--forkserver")))


def _check(case: Case, tmp_path: Path, all_forkserver: bool) -> None:
    numbers = iter(range(100))

    def program(tree: Path, method: str | None, extra: dict[str, str] | None = None) -> Outcome:
        # each run has a copy to itself, so that what a program writes can't help or hurt the next
        copy = fresh_copy(tree, tmp_path / f"run{next(numbers)}")
        return run(
            case.command, copy, method, ranks=case.ranks, timeout=case.timeout, extra={**case.env, **(extra or {})}
        )

    before = program(case.before, "spawn")
    reference = _reference(case, program)
    _check_before(case, before, reference)

    migrated = fresh_copy(case.before, tmp_path / "migrated")
    _check_findings(case, migrated, tmp_path / "cache")
    _migrate(case, migrated, case.expected(), tmp_path / "cache", "migrate")
    _migrate(case, migrated, case.expected(), tmp_path / "cache", "a second migrate")
    if case.after is None:
        return  # nothing changed, byte for byte, so there is nothing new to run

    methods = ["spawn", "fork"] + (["forkserver"] if case.forkserver or all_forkserver else [])
    for method in methods:
        outcome = program(migrated, method)
        assert outcome.code == 0 and not outcome.timed_out, f"migrated, under {method}, it fails: {outcome}"
        assert outcome.stdout == reference, (
            f"migrated, under {method}, it prints something else:\n"
            f"{text_diff(reference, outcome.stdout, ('reference', method))}\n{outcome}"
        )


def _reference(case: Case, program: Callable[..., Outcome]) -> str:
    """What the program must print when all is well; "" for one that nothing repairs."""
    if case.fails is not None and case.after is None:
        return ""
    if isinstance(case.reference, dict) and "file" in case.reference:
        return (case.folder / str(case.reference["file"])).read_text(encoding="utf-8")
    extra = case.reference["env"] if isinstance(case.reference, dict) else {}
    outcome = program(case.before, "fork", extra)
    assert outcome.code == 0 and not outcome.timed_out, (
        f"the reference run (before/, {case.reference}) fails: {outcome}"
    )
    assert outcome.stdout.strip(), f"the reference run prints nothing, so there is nothing to compare: {outcome}"
    return outcome.stdout


def _check_before(case: Case, before: Outcome, reference: str) -> None:
    assert not before.timed_out, f"before/, under spawn, does not end: {before}"
    if case.fails is None:
        assert before.code == 0, f"before/, under spawn, fails; case.toml does not say so: {before}"
        assert before.stdout == reference, (
            "before/ prints something else under spawn; case.toml does not say so:\n"
            f"{text_diff(reference, before.stdout, ('reference', 'spawn'))}"
        )
        return
    if case.silent:
        assert before.code == 0, f"before/ should be silently wrong, but fails: {before}"
        assert case.after is None or before.stdout != reference, f"before/ prints what is right: {before}"
    else:
        assert before.code != 0, f"before/, under spawn, should fail: {before}"
    assert re.search(case.fails, before.stdout + before.stderr), f"no match for {case.fails!r} in: {before}"


def _check_findings(case: Case, tree: Path, cache: Path) -> None:
    flags = tuple(
        flag
        for name, value in zip(case.migrate, case.migrate[1:], strict=False)
        if name in _CHECK_FLAGS
        for flag in (name, value)
    )
    found = [finding for finding in findings(tree, flags, cache) if finding["rule"] == case.rule]
    if case.after is not None:
        assert any(finding["fixable"] for finding in found), f"check finds nothing of {case.rule} to repair: {found}"
    if case.lookalike:
        assert not found, f"check takes a look-alike for a hazard: {found}"
    if case.reason is not None:
        reasons = [finding["reason"] for finding in found if not finding["fixable"]]
        assert any(re.search(case.reason, reason) for reason in reasons), f"no reason matches {case.reason!r}: {found}"


def _migrate(case: Case, tree: Path, expected: Tree, cache: Path, what: str) -> None:
    done = spawnfix("migrate", "--no-git", *case.migrate, str(tree), cache=cache)
    assert done.returncode == 0, f"{what} failed ({done.returncode}):\n{done.stdout}\n{done.stderr}"
    if difference := tree_diff(expected, read_tree(tree)):
        pytest.fail(f"{what} leaves another tree than after/ says:\n{difference}\n{done.stderr}", pytrace=False)


@pytest.mark.parametrize(
    "folder", [pytest.param(folder, id=f"{folder.parent.name}/{folder.name}") for folder in FOLDERS]
)
def test_case_is_well_formed(folder: Path) -> None:
    try:
        case = Case.load(folder)
    except BadCase as error:
        pytest.fail(str(error), pytrace=False)
    assert case.rule in rules(), f"no rule is called {case.rule}"
    assert len(case.why) > 20, "why says in one sentence what this case shows"
    assert {path.name for path in folder.iterdir()} <= {"before", "after", "case.toml", _reference_file(case)}
    before, after = read_tree(case.before), read_tree(case.after) if case.after else {}
    assert before, "before/ is empty"
    assert case.after is None or after, "after/ is empty: leave the folder out when nothing changes"
    assert not (unknown := after.keys() - before.keys()), f"after/ has files that before/ lacks: {unknown}"
    assert not (same := [path for path in after if after[path] == before[path]]), (
        f"after/ repeats unchanged files: {same}"
    )


def _reference_file(case: Case) -> str:
    return str(case.reference.get("file", "")) if isinstance(case.reference, dict) else ""


@pytest.mark.parametrize("rule", sorted(rules()))
def test_rule_has_enough_cases(rule: str) -> None:
    cases = [Case.load(folder) for folder in FOLDERS if folder.parent.name == rule]
    failing = [case.folder.name for case in cases if case.fails is not None]
    lookalikes = [case.folder.name for case in cases if case.lookalike]
    assert len(failing) >= 8, f"programs that fail before: {failing}"
    assert len(lookalikes) >= 2, f"look-alikes that must not change: {lookalikes}"
