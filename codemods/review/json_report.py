"""A report as JSON; `docs/findings.schema.json` says what is in it."""

from __future__ import annotations

from collections.abc import Mapping

from ..delivery.diff import unified_diff
from ..engine.apply import preview
from ..engine.results import Report
from ..finding import Finding, Fix
from ..tree.source import Source
from ..version import __version__


def to_json(report: Report) -> dict[str, object]:
    """`report` as the object that `check --format json` prints."""
    fixes = dict.fromkeys(finding.fix for finding in report.findings if finding.fix is not None)
    diffs = {fix: fix_diff(fix, report.sources) for fix in fixes}  # many findings may share one
    return {
        "version": __version__,
        "root": report.root,
        "findings": [_finding(report, finding, diffs) for finding in report.findings],
        "skipped": [{"path": row.path, "reason": row.reason} for row in report.skipped],
    }


def _finding(report: Report, finding: Finding, diffs: Mapping[Fix, str]) -> dict[str, object]:
    reason = report.why_not(finding)
    return {
        "rule": finding.rule,
        "path": finding.path,
        "line": finding.span.line,
        "column": finding.span.column,
        "end_line": finding.span.end_line,
        "end_column": finding.span.end_column,
        "message": finding.message,
        "confidence": finding.confidence.value,
        "fixable": reason is None,
        "reason": reason,
        "trace": [{"path": hop.path, "line": hop.line, "what": hop.what} for hop in finding.trace],
        "fix": None if finding.fix is None else {"diff": diffs[finding.fix]},
    }


def fix_diff(fix: Fix, sources: Mapping[str, Source]) -> str:
    """The patch of `fix` alone against `sources`, as text: each file decoded as the file itself is."""
    before, after = preview(fix, sources)
    return "".join(
        unified_diff({path: before[path]}, {path: after[path]}).decode(sources[path].encoding, "replace")
        for path in sorted(after)
    )
