"""What must hold of a case: it fails as it says, migrate leaves what it says, and that prints what is right."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from codemods.engine.migrate import Report, plan
from codemods.finding import Finding
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles

from .case import Case, read_tree
from .programs import Outcome, fresh_copy, run
from .tool import findings, spawnfix, text_diff, tree_diff

# What torchrun's agent of one node logs when that of another node is gone first, after all ranks have ended well.
_AGENT = re.compile(r"^[EW]\d{4} \S+ \d+ torch/distributed/elastic/agent/.*\n?", re.MULTILINE)
_CHECK_FLAGS = ("--confidence", "--select", "--ignore", "--launcher")  # those of `migrate` that `check` takes too


def check_case(case: Case, tmp_path: Path, *, all_forkserver: bool = False, cold: bool = False) -> None:
    """Run it all, in folders below `tmp_path`. Raises AssertionError with what the programs printed."""
    numbers = iter(range(100))

    def program(tree: Path, method: str | None, extra: dict[str, str] | None = None) -> Outcome:
        # each run has a copy to itself, so that what a program writes can't help or hurt the next
        copy = fresh_copy(tree, tmp_path / f"run{next(numbers)}")
        return run(
            case.command,
            copy,
            method,
            ranks=case.ranks,
            timeout=case.timeout,
            extra={**case.env, **(extra or {})},
            warm=case.imports_torch and not cold,
        )

    before = program(case.before, "spawn")
    reference = _reference(case, program)
    _check_before(case, before, reference)

    migrated = check_rewrite(case, tmp_path)
    if case.after is None:
        return  # nothing changed, byte for byte, so there is nothing new to run

    methods = ["spawn", "fork"] + (["forkserver"] if case.forkserver or all_forkserver else [])
    for method in methods:
        outcome = program(migrated, method)
        assert outcome.code == 0 and not outcome.timed_out, f"migrated, under {method}, it fails: {outcome}"
        assert "Traceback (most recent call last)" not in _AGENT.sub("", outcome.stderr), (
            f"migrated, under {method}, one of its processes fails: {outcome}"
        )
        assert outcome.stdout == reference, (
            f"migrated, under {method}, it prints something else:\n"
            f"{text_diff(reference, outcome.stdout, ('reference', method))}\n{outcome}"
        )


def check_rewrite(case: Case, folder: Path) -> Path:
    """Run `check`, `migrate` and `migrate` again on a copy of `before/` below `folder`, which is returned.

    Raises AssertionError. Runs no program of the case.
    """
    migrated, cache = fresh_copy(case.before, folder / "migrated"), folder / "cache"
    _check_findings(case, migrated, cache)
    _migrate(case, migrated, cache, "migrate")
    again = _migrate(case, migrated, cache, "a second migrate")
    assert "rewrote" not in again.stderr, f"a second migrate has work to do: {again.stderr}"
    return migrated


def check_in_memory(case: Case) -> None:
    """What `check_rewrite` checks of the first `migrate`, without the command line. Raises AssertionError."""
    contents, settings = case.contents(), case.settings()
    done = plan(MemoryFiles(contents), settings)
    fixed = [finding for change in done.changes for finding in change.findings]
    _compare([_row(finding, settings) for finding in (*fixed, *done.remaining)], case)
    _agrees(case, contents | done.contents, "migrate", done.remaining)


def check_again_in_memory(case: Case) -> None:
    """What `check_rewrite` checks of the second `migrate`: it sees what the rules saw at the end of the first."""
    contents, settings = case.contents(), case.settings()
    contents |= plan(MemoryFiles(contents), settings).contents
    again = plan(MemoryFiles(contents), settings)
    assert not again.changes, f"a second migrate has work to do: {again.changes}"
    _agrees(case, contents, "a second migrate", again.remaining)


def _agrees(case: Case, contents: dict[str, bytes], what: str, remaining: Sequence[Finding]) -> None:
    expected = {path: content for path, content in case.expected().items() if path in contents}
    difference = tree_diff(expected, {path: (data, expected[path][1]) for path, data in contents.items()})
    assert not difference, f"{what} leaves another tree than the case says:\n{difference}\n{remaining}"


def _row(finding: Finding, settings: Settings) -> dict[str, Any]:
    """`finding` as `check --format json` shows it, as far as `_compare` looks."""
    reason = Report(".", (finding,), (), 1, unsafe_fixes=settings.unsafe_fixes).why_not(finding)
    return {"rule": finding.rule, "fixable": reason is None, "reason": reason}


def _reference(case: Case, program: Callable[..., Outcome]) -> str:
    """What the program must print when all is well; "" for one that nothing fixes."""
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
    _compare(findings(tree, flags, cache), case)


def _compare(found: list[dict[str, Any]], case: Case) -> None:
    """`found` is what was found, as in JSON; those of other rules don't matter."""
    found = [finding for finding in found if finding["rule"] == case.rule]
    if case.after is not None and "--unsafe-fixes" not in case.migrate:  # `check` calls those not fixable
        assert any(finding["fixable"] for finding in found), f"check finds nothing of {case.rule} to fix: {found}"
    if case.lookalike:
        assert not found, f"check takes a look-alike for a hazard: {found}"
    if case.reason is not None:
        reasons = [finding["reason"] for finding in found if not finding["fixable"]]
        assert any(re.search(case.reason, reason) for reason in reasons), f"no reason matches {case.reason!r}: {found}"


def _migrate(case: Case, tree: Path, cache: Path, what: str) -> subprocess.CompletedProcess[str]:
    done = spawnfix("migrate", "--no-git", *case.migrate, str(tree), cache=cache)
    assert done.returncode == 0, f"{what} failed ({done.returncode}):\n{done.stdout}\n{done.stderr}"
    difference = tree_diff(case.expected(), read_tree(tree))
    assert not difference, f"{what} leaves another tree than the case says:\n{difference}\n{done.stderr}"
    return done
