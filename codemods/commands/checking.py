"""What `spawnfix check` does, without the parser of its arguments."""

from __future__ import annotations

import gc
import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..engine.time_limit import time_limit
from ..finding import missed
from ..problem import Problem
from ..quoting import shell
from .narrow import narrowed
from .output import put, say
from .run import complete, settings_of, watched_rules
from .values import Format

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..delivery.target import Target
    from ..engine.results import Report
    from ..finding import Confidence
    from .values import Launcher, StartMethod

    Asked = tuple[
        list[str] | None, list[str] | None, Confidence | None, bool | None, Launcher | None, StartMethod | None
    ]

_ALIVE: list[object] = []  # what the last check built: the process ends before it has to be freed


def run_check(
    paths: Sequence[Path],
    *,
    select: list[str] | None = None,
    ignore: list[str] | None = None,
    confidence: Confidence | None = None,
    unsafe_fixes: bool | None = None,
    launcher: Launcher | None = None,
    format: Format = Format.text,
    output_file: Path | None = None,
    statistics: bool = False,
    verbose: bool = False,
    since: str | None = None,
    baseline: Path | None = None,
    write_baseline: Path | None = None,
    add_ignores: bool = False,
    exit_zero: bool = False,
    start_method: StartMethod | None = None,
    no_cache: bool = False,
    allow_local_rules: bool = False,
    timeout: float = 0,
    jobs: int = 1,
) -> int:
    """The exit code, after the report is printed or written. Raises Problem, TimeIsUp."""
    gc.disable()
    from ..delivery import target

    if statistics and format not in (Format.text, Format.concise, Format.full, Format.json):
        raise Problem(f"--statistics goes with text and json, not with {format.value}")
    where = target.to_check_all(paths)
    asked = (select, ignore, confidence, unsafe_fixes, launcher, start_method)
    with time_limit(timeout):
        report = _report(where, asked, not no_cache and not where.brings_cache(), allow_local_rules, jobs)
        found = tuple(finding for finding in report.findings if where.covers(finding.path))
        skipped = tuple(row for row in report.skipped if row.failed or where.covers(row.path))
        report = replace(report, findings=found, skipped=(*skipped, *where.untracked(), *where.vendored()))
        if where.scope or where.scopes:
            report = replace(report, files_seen=_asked_for(where, missed(report.skipped)))
    report = narrowed(report, where, since, baseline)
    if write_baseline is not None or add_ignores:
        _set_aside(report, where, write_baseline, add_ignores)
        complete(report.skipped, where, report.files_seen, report=True)
        return 0
    if format in (Format.text, Format.full, Format.concise):
        _show(report, Format.full if verbose and format is Format.text else format, statistics, output_file)
    else:
        data = _product(report, format, statistics)
        if output_file is None:
            put(data)
        else:
            _write(output_file, data)
    if not report.files_seen and not report.skipped:
        say(f"{', '.join(map(str, paths))}: no files to look at")
    complete(report.skipped, where, report.files_seen, report=True)
    return 1 if report.findings and not exit_zero else 0


def _asked_for(where: Target, missed: Collection[str]) -> int:
    """How many files were looked at of those that were named: more are read, to see where values go."""
    from ..tree.suffixes import READ

    paths = {entry.path for entry in where.files.entries()}.difference(missed)
    return sum(where.covers(path) and bool(READ.search(path)) for path in paths)


def _report(where: Target, asked: Asked, use_cache: bool, allow_local_rules: bool, jobs: int) -> Report:
    """The report on what lies at `where`: out of the cache, or made now. Raises Problem."""
    from ..engine.report_cache import ReportCache, within

    cache = ReportCache(where.files, asked) if use_cache and not allow_local_rules else None
    known = cache.recall() if cache is not None else None
    if known is not None:
        return within(known, where.scope)
    if cache is not None:
        where = replace(where, files=cache.files)
    settings = settings_of(where, *asked, use_cache, allow_local_rules)
    from ..engine.migrate import check as find

    with watched_rules("checking") as rules:
        if cache is None or settings.local_rules:
            return find(where.files, settings, where.scope, rules, jobs, alive=_ALIVE)
        # of everything: the next question is about another file of it
        report = find(where.files, settings, "", rules, jobs, cache.looks(settings), _ALIVE)
    cache.keep(report)
    return within(report, where.scope)


def _set_aside(report: Report, where: Target, baseline: Path | None, comments: bool) -> None:
    """Take note of the findings, so that the next run leaves them out."""
    if baseline is not None:
        from ..review.baseline import write_baseline

        number = write_baseline(baseline, report.findings, report.sources)
        say(f"{baseline}: {number} findings; leave them out with --baseline {shell(str(baseline))}")
    if comments:
        from ..review.ignores import add_ignores

        for line in add_ignores(report, where.files):
            say(line)


def _show(report: Report, format: Format, statistics: bool, file: Path | None) -> None:
    """The report for people, on stdout or in `file`."""
    from rich.console import Console

    from ..review.text import render_concise, render_statistics, render_text

    text = io.StringIO()
    out = Console(highlight=False) if file is None else Console(file=text, highlight=False, width=120)
    if statistics:
        render_statistics(report, out)
    elif format is Format.concise:
        render_concise(report, out)
    else:
        render_text(report, out, full=format is Format.full)
    sys.stdout.flush()
    if file is not None:
        _write(file, text.getvalue().encode("utf-8", "backslashreplace"))


def _product(report: Report, format: Format, statistics: bool) -> bytes:
    """The report for programs."""
    if statistics:
        from ..review.text import statistics as counted

        return json.dumps(counted(report), indent=2).encode() + b"\n"
    if format is Format.github:
        from ..review.github import to_github

        return to_github(report).encode("utf-8", "backslashreplace")
    if format is Format.markdown:
        from ..review.markdown import to_markdown

        return to_markdown(report).encode("utf-8", "backslashreplace")
    if format is Format.json:
        from ..review.json_report import to_json as shape
    else:
        from ..review.sarif import to_sarif as shape
    return json.dumps(shape(report), indent=2).encode() + b"\n"


def _write(file: Path, data: bytes) -> None:
    from ..tree.writing import written

    try:
        written(file, data)
    except OSError as error:
        raise Problem(f"can't write {file}: {error.strerror or error}") from None
