"""A report as workflow commands of GitHub Actions: each finding becomes an annotation on its line."""

from __future__ import annotations

from ..engine.results import Report
from ..finding import Confidence

_LEVEL = {Confidence.PROVEN: "error", Confidence.LIKELY: "warning", Confidence.POSSIBLE: "notice"}


def to_github(report: Report) -> str:
    """One line per finding, `::warning file=...,line=...::message`; skipped files as notices."""
    lines = []
    for finding in report.findings:
        span = finding.span
        place = f"file={_property(finding.path)},line={span.line},col={span.column},endLine={span.end_line}"
        if span.end_line == span.line:
            place += f",endColumn={span.end_column}"
        why = report.why_not(finding)
        text = f"{finding.message}\nNot fixed: {why}"
        if why is None and finding.fix is not None:
            text = f"{finding.message}\nFix: {finding.fix.title} (spawnfix migrate)"
        title = _property(f"spawnfix: {finding.rule}")
        lines.append(f"::{_LEVEL[finding.confidence]} {place},title={title}::{_data(text)}\n")
    for row in report.skipped:
        level = "warning" if row.failed or row.unread else "notice"
        lines.append(f"::{level} file={_property(row.path)},title=spawnfix%3A skipped::{_data(row.reason)}\n")
    return "".join(lines)


def _data(text: str) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return "".join(letter if letter.isprintable() else "?" for letter in text)  # logs are read in terminals


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
