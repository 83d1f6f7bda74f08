"""Every case of `before_after/<rule>/<case>/`: what `check` and `migrate` do with it, and what its programs do.

CONTRIBUTING.md describes a case.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from codemods.transforms import rules
from harness.case import BadCase, Case, folders, read_tree
from harness.check import check_again_in_memory, check_case, check_in_memory, check_rewrite
from harness.each_row import each_row
from harness.programs import alone
from harness.snapshots import NAME, difference

FOLDERS = folders()


CASES = [pytest.param(folder, id=f"{folder.parent.name}/{folder.name}") for folder in FOLDERS]
EVERY_CASE = pytest.mark.parametrize("folder", CASES)


@EVERY_CASE
def test_rewrite(folder: Path) -> None:
    check_in_memory(Case.load(folder))


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("folder", [case for case in CASES if (case.values[0] / "after").is_dir()])
def test_rewrite_again(folder: Path) -> None:
    check_again_in_memory(Case.load(folder))


@EVERY_CASE
def test_findings(folder: Path) -> None:
    changed = difference(Case.load(folder))
    assert not changed, f"`make snapshots` writes this; is it what you meant?\n{changed}"


@pytest.mark.parametrize("rule", sorted(rules()))
def test_rewrite_by_the_command_line(rule: str, tmp_path: Path) -> None:
    """The longest case of each rule; the slow tests do it for all."""
    cases = [Case.load(folder) for folder in FOLDERS if folder.parent.name == rule]
    check_rewrite(max(cases, key=lambda case: sum(map(len, case.contents().values()))), tmp_path)


@pytest.mark.slow
@EVERY_CASE
def test_program(folder: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    case = Case.load(folder)
    with alone("launcher-port") if case.default_port else contextlib.nullcontext():
        check_case(
            case,
            tmp_path,
            all_forkserver=bool(request.config.getoption("--forkserver")),
            cold=bool(request.config.getoption("--cold")),
        )


@each_row("folder", CASES)
def test_case_is_well_formed(folder: Path) -> None:
    try:
        case = Case.load(folder)
    except BadCase as error:
        pytest.fail(str(error), pytrace=False)
    assert case.rule in rules(), f"no rule is called {case.rule}"
    assert len(case.why) > 20, "why says in one sentence what this case shows"
    known = {"before", "after", "case.toml", NAME, _reference_file(case)}
    assert {path.name for path in folder.iterdir()} <= known
    before, after = read_tree(case.before), read_tree(case.after) if case.after else {}
    assert before, "before/ is empty"
    assert case.after is None or after, "after/ is empty: leave the folder out when nothing changes"
    assert not (unknown := after.keys() - before.keys()), f"after/ has files that before/ lacks: {unknown}"
    assert not (same := [path for path in after if after[path] == before[path]]), (
        f"after/ repeats unchanged files: {same}"
    )


def _reference_file(case: Case) -> str:
    return str(case.reference.get("file", "")) if isinstance(case.reference, dict) else ""


@each_row("rule", sorted(rules()))
def test_rule_has_enough_cases(rule: str) -> None:
    cases = [Case.load(folder) for folder in FOLDERS if folder.parent.name == rule]
    failing = [case.folder.name for case in cases if case.fails is not None]
    lookalikes = [case.folder.name for case in cases if case.lookalike]
    assert len(failing) >= 8, f"programs that fail before: {failing}"
    assert len(lookalikes) >= 2, f"look-alikes that must not change: {lookalikes}"
