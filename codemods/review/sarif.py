"""A report as SARIF 2.1.0, for code scanning services and editors."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections import Counter
from collections.abc import Mapping
from urllib.parse import quote

from ..engine.apply import edits_of, parsed, written
from ..engine.results import Report
from ..finding import Confidence, Finding, Fix, Hop, Span
from ..rule import Rule
from ..transforms import rules as all_rules
from ..tree.source import Source
from ..version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ABOUT = "https://docs.python.org/3/library/multiprocessing.html#the-spawn-and-forkserver-start-methods"
_LINK = re.compile(r"https://[^\s)>\]]+")
_LEVEL = {Confidence.PROVEN: "error", Confidence.LIKELY: "warning", Confidence.POSSIBLE: "note"}
_Object = dict[str, object]


def to_sarif(report: Report, rules: Mapping[str, Rule] | None = None) -> _Object:
    """`report` as a SARIF log with one run; paths are relative to %SRCROOT%."""
    known = all_rules() if rules is None else rules
    ids = sorted({*known, *(finding.rule for finding in report.findings)})
    prints: Counter[str] = Counter()
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "spawnfix",
                        "fullName": f"spawnfix {__version__}",
                        "semanticVersion": __version__,
                        "informationUri": _ABOUT,
                        "shortDescription": {
                            "text": "Finds values that cross a process boundary and can't be pickled."
                        },
                        "rules": [_rule(name, known.get(name)) for name in ids],
                    }
                },
                "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The root of the repository."}}},
                "automationDetails": {"id": "spawnfix/"},
                "columnKind": "unicodeCodePoints",
                "invocations": [
                    {
                        "executionSuccessful": not any(row.failed or row.unread for row in report.skipped),
                        "toolExecutionNotifications": [
                            {
                                "level": "error" if row.failed or row.unread else "warning",
                                "message": {"text": f"skipped: {row.reason}"},
                                "locations": [{"physicalLocation": {"artifactLocation": _artifact(row.path)}}],
                            }
                            for row in report.skipped
                        ],
                    }
                ],
                "results": [_result(report, finding, ids, prints) for finding in report.findings],
            }
        ],
    }


def _rule(name: str, rule: Rule | None) -> _Object:
    """What there is to say about a rule; code scanning shows it beside each result."""
    summary = rule.summary if rule is not None else name
    help_text = inspect.cleandoc(rule.documentation) if rule is not None else ""
    first = help_text.partition("\n\n")[0].replace("\n", " ")
    link = _LINK.search(help_text.rpartition("References")[2])
    return {
        "id": name,
        "name": f"{''.join(word.capitalize() for word in re.split(r'[^A-Za-z0-9]+', name))}Rule",  # never as the id
        "shortDescription": {"text": f"{summary.rstrip('.')}."},
        "fullDescription": {"text": first or f"{summary.rstrip('.')}."},
        "help": {"text": help_text or summary, "markdown": help_text or summary},
        "helpUri": link.group() if link is not None else _ABOUT,
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["multiprocessing", "pickle"], "precision": "high", "problem.severity": "warning"},
    }


def _result(report: Report, finding: Finding, ids: list[str], prints: Counter[str]) -> _Object:
    why = report.why_not(finding)
    result: _Object = {
        "ruleId": finding.rule,
        "ruleIndex": ids.index(finding.rule),
        "level": _LEVEL[finding.confidence],
        "message": {"text": finding.message if why is None else f"{finding.message}\nNot fixed: {why}"},
        "locations": [{"physicalLocation": _place(finding.path, finding.span)}],
        "partialFingerprints": {"spawnfix/v1": _fingerprint(report, finding, prints)},
        "properties": {"confidence": finding.confidence.value, "fixable": why is None},
    }
    if finding.trace:
        result["codeFlows"] = [{"threadFlows": [{"locations": [{"location": _hop(hop)} for hop in finding.trace]}]}]
    if finding.fix is not None:
        result["fixes"] = [_fix(finding.fix, report.sources)]
    return result


def _fingerprint(report: Report, finding: Finding, prints: Counter[str]) -> str:
    """The same for the same hazard when lines above it come and go: rule, file, its line's text, and which of these."""
    source = report.sources.get(finding.path)
    line = source.line_text(finding.span.line).strip() if source is not None else ""
    digest = hashlib.sha256("\0".join((finding.rule, finding.path, line)).encode("utf-8", "replace")).hexdigest()[:32]
    prints[digest] += 1
    return f"{digest}:{prints[digest]}"


def _artifact(path: str) -> _Object:
    return {"uri": quote(path.encode("utf-8", "surrogateescape")), "uriBaseId": "%SRCROOT%"}


def _region(span: Span) -> _Object:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _place(path: str, span: Span) -> _Object:
    return {"artifactLocation": _artifact(path), "region": _region(span)}


def _hop(hop: Hop) -> _Object:
    place: _Object = {"artifactLocation": _artifact(hop.path), "region": {"startLine": hop.line}}
    return {"physicalLocation": place, "message": {"text": hop.what}}


def _fix(fix: Fix, sources: Mapping[str, Source]) -> _Object:
    changes = []
    for path, edits in sorted(edits_of([fix], sources.get, parsed(sources)).items()):
        source = sources[path]
        replacements = [
            {
                "deletedRegion": _region(source.span(edit.start, edit.end)),
                "insertedContent": {"text": written(source, edit)},
            }
            for edit in edits
        ]
        if replacements:
            changes.append({"artifactLocation": _artifact(path), "replacements": replacements})
    text = fix.title if fix.unsafe is None else f"{fix.title} (unsafe: {fix.unsafe})"
    return {"description": {"text": text}, "artifactChanges": changes}
