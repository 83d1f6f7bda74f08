"""For the tests of a rule: what it must leave alone, and what it must find and fix.

    from spawnfix.testing import Invalid, Valid, check_case

    check_case(RULE, Valid("names = list(table)"))
    check_case(RULE, Invalid("names = table.old()", "names = table.new()", line=1))

Both go the whole way of `check` and `migrate`: screen, findings, fixes, verification of the new text, a second run.
"""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

from .engine.migrate import Report, check, plan
from .finding import Confidence, Finding
from .rule import Rule
from .settings import Settings
from .tree.files import MemoryFiles

Files = str | Mapping[str, str]  # the text of `example.py`, or of several files by path; common indentation is removed


@dataclass(frozen=True)
class Valid:
    """Code in which the rule finds nothing, at any confidence unless `confidence` says otherwise."""

    code: Files
    confidence: Confidence = Confidence.POSSIBLE


@dataclass(frozen=True)
class Invalid:
    """Code in which the rule finds something, and what `migrate` makes of it.

    `expected`: the files after it, only those that differ (None: nothing may be rewritten). What is None of the rest is
    not looked at: `line` (1-based) of the first finding, a part of its `message`, a part of the `reason` why it is not
    fixed. `count`: how many findings there are. `unsafe_fixes`: as with the option of that name.
    """

    code: Files
    expected: Files | None = None
    line: int | None = None
    message: str | None = None
    reason: str | None = None
    count: int | None = None
    confidence: Confidence = Confidence.POSSIBLE
    unsafe_fixes: bool = False


def check_case(rule: Rule, case: Valid | Invalid) -> None:
    """Raise AssertionError, with findings or a diff in it, when `rule` does not do to `case` what it says."""
    files = _files(case.code)
    unsafe = isinstance(case, Invalid) and case.unsafe_fixes
    settings = Settings(confidence=case.confidence, unsafe_fixes=unsafe)
    report = _report(rule, files, settings)
    found = report.findings
    if isinstance(case, Valid):
        if found:
            raise AssertionError(f"{rule.id} finds something in code that is right:\n{_listed(found)}")
        return
    if not found:
        raise AssertionError(f"{rule.id} finds nothing")
    if case.count is not None and len(found) != case.count:
        raise AssertionError(f"{rule.id} has {len(found)} findings, not {case.count}:\n{_listed(found)}")
    first = found[0]
    for what, wanted, there in (
        ("message", case.message, first.message),
        ("reason", case.reason, report.why_not(first) or ""),
    ):
        if wanted is not None and wanted not in there:
            raise AssertionError(f"{rule.id}: {wanted!r} is not in the {what}: {there!r}")
    if case.line is not None and first.span.line != case.line:
        raise AssertionError(f"{rule.id} finds it in line {first.span.line}, not {case.line}:\n{_listed(found)}")
    _check_result(rule, files, {} if case.expected is None else _files(case.expected), settings)


def _check_result(rule: Rule, files: dict[str, str], expected: dict[str, str], settings: Settings) -> None:
    wanted = {**files, **expected}
    once, reasons = _rewritten(rule, files, settings)
    if once != wanted:
        text = _diff(wanted, once) + "".join(f"not fixed: {reason}\n" for reason in reasons)
        raise AssertionError(f"{rule.id} writes something else (-: expected, +: written):\n{text}")
    twice, _ = _rewritten(rule, once, settings)
    if twice != once:
        raise AssertionError(f"{rule.id} changes what it wrote in a second run:\n{_diff(once, twice)}")


def _files(code: Files) -> dict[str, str]:
    by_path = {"example.py": code} if isinstance(code, str) else code
    return {path: textwrap.dedent(text).removeprefix("\n") for path, text in by_path.items()}


def _memory(files: Mapping[str, str]) -> MemoryFiles:
    return MemoryFiles({path: text.encode() for path, text in files.items()})


def _report(rule: Rule, files: Mapping[str, str], settings: Settings) -> Report:
    report = check(_memory(files), settings, rules={rule.id: rule})
    broken = [f"{row.path}: {row.reason}" for row in report.skipped]
    if broken:
        raise AssertionError("not looked at:\n" + "\n".join(broken))
    return report


def _rewritten(rule: Rule, files: Mapping[str, str], settings: Settings) -> tuple[dict[str, str], list[str]]:
    """The files after `migrate`, and why what is left was not fixed."""
    done = plan(_memory(files), settings, rules={rule.id: rule})
    reasons = [found.reason for found in done.remaining if found.reason is not None]
    return {**files, **{path: data.decode() for path, data in done.contents.items()}}, reasons


def _listed(found: tuple[Finding, ...]) -> str:
    return "\n".join(f"  {item.path}:{item.span.line}: {item.message}" for item in found)


def _diff(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    return "".join(
        line if line.endswith("\n") else line + "\n"
        for path in sorted({*before, *after})
        for line in difflib.unified_diff(
            before.get(path, "").splitlines(True), after.get(path, "").splitlines(True), path, path
        )
    )
