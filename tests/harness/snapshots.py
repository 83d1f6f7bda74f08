"""What `check --confidence possible --unsafe-fixes` says about each case, kept as text in its `findings.txt`.

    python tests/harness/snapshots.py             # show what has changed, as a diff; exit 1 if anything has
    python tests/harness/snapshots.py --update    # write it (`make snapshots`); read the diff before you commit it

A case without that file has no findings at all. All rules run. Each finding is written whole: place, rule, confidence,
message, fix or reason, trace, and the lines that its fix takes out and puts in, except where `after/` shows them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

if __name__ == "__main__":  # run as a script from anywhere
    sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from codemods.engine.migrate import Report, check
from codemods.finding import Confidence, Finding, Fix
from codemods.review.json_report import fix_diff
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.case import Case, folders
from harness.tool import text_diff

NAME = "findings.txt"


def snapshot(case: Case) -> str:
    """The text of `findings.txt`; "" where nothing is found."""
    report = check(MemoryFiles(case.contents()), _widest(case))
    rows = [f"skipped {row.path}: {row.reason}" for row in report.skipped]
    shown: list[Fix] = []
    for finding in report.findings:
        rows += _rows(case, report, finding, shown)
    return "".join(f"{row}\n" for row in rows)


def stored(case: Case) -> str:
    """What `findings.txt` says; "" where there is no such file."""
    path = case.folder / NAME
    return path.read_text(encoding="utf-8") if path.exists() else ""


def difference(case: Case) -> str:
    """What changed since the snapshot was written, for people; "" when nothing did."""
    name = f"{case.id}/{NAME}"
    return text_diff(stored(case), snapshot(case), (name, f"{name} now"))


def _widest(case: Case) -> Settings:
    return replace(case.settings(), confidence=Confidence.POSSIBLE, unsafe_fixes=True)


def _rows(case: Case, report: Report, finding: Finding, shown: list[Fix]) -> Iterator[str]:
    """The lines of one finding; `shown` are the fixes that earlier findings have shown."""
    span = finding.span
    place = f"{finding.path}:{span.line}:{span.column}-{span.end_line}:{span.end_column}"
    yield f"{place} {finding.rule} {finding.confidence.value}"
    yield f"    {finding.message}"
    for hop in finding.trace:
        yield f"    at {hop.path}:{hop.line}: {hop.what}"
    if finding.reason is not None:
        yield f"    not fixed: {finding.reason}"
    fix = finding.fix
    if fix is None:
        return
    yield f"    fix: {fix.title}"
    if fix.unsafe is not None:
        yield f"    unsafe: {fix.unsafe}"
    settings = case.settings()
    if finding.confidence.reaches(settings.confidence) and (fix.unsafe is None or settings.unsafe_fixes):
        yield "    as in after/"
    elif fix in shown:
        yield f"    as above, fix {shown.index(fix) + 1}"
    else:
        shown.append(fix)
        lines = fix_diff(fix, report.sources).splitlines()
        yield from (f"    {line}" for line in lines if not line.startswith((" ", "--- ", "@@")))


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--update"]):
        print(__doc__)
        return 2
    changed = 0
    for folder in folders():
        case = Case.load(folder)
        text = difference(case)
        if not text:
            continue
        changed += 1
        print(text)
        if arguments:
            now = snapshot(case)
            path = case.folder / NAME
            path.write_text(now, encoding="utf-8", newline="\n") if now else path.unlink()
    print(f"{changed} of {len(folders())} cases {'written' if arguments else 'differ'}")
    return 1 if changed and not arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
