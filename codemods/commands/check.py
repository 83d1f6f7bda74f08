"""`spawnfix check`: report, change nothing."""

from __future__ import annotations

import gc
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ..engine.time_limit import time_limit
from .options import (
    Bar,
    Format,
    Ignore,
    Launch,
    Launcher,
    LocalRules,
    NoCache,
    Seconds,
    Select,
    StartMethod,
    Target_,
    Unsafe,
)
from .output import put, say
from .run import complete, settings_of, watched_rules

if TYPE_CHECKING:
    from ..delivery.target import Target
    from ..engine.results import Report
    from ..finding import Confidence

    Asked = tuple[
        list[str] | None, list[str] | None, Confidence | None, bool | None, Launcher | None, StartMethod | None
    ]


def check(
    path: Target_,
    select: Select = None,
    ignore: Ignore = None,
    confidence: Bar = None,
    unsafe_fixes: Unsafe = None,
    launcher: Launch = None,
    format: Annotated[Format, typer.Option(help="How to report.")] = Format.text,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit 0 also when something was found.")] = False,
    start_method: Annotated[
        Optional[StartMethod],  # noqa: UP045
        typer.Option(help="How workers will be started.  [default: spawn]"),
    ] = None,
    no_cache: NoCache = False,
    allow_local_rules: LocalRules = False,
    timeout: Seconds = 0,
) -> None:
    """Report what can't cross a process boundary, and why; change nothing."""
    gc.disable()
    from ..delivery import target

    where = target.to_check(path)
    asked = (select, ignore, confidence, unsafe_fixes, launcher, start_method)
    with time_limit(timeout):
        report = _report(where, asked, not no_cache, allow_local_rules)
        report = replace(report, skipped=(*report.skipped, *where.untracked()))
    if format is Format.text:
        from ..review.text import render_text

        render_text(report)
    elif format is Format.github:
        from ..review.github import to_github

        put(to_github(report).encode("utf-8", "backslashreplace"))
    else:
        import json

        if format is Format.json:
            from ..review.json_report import to_json as shape
        else:
            from ..review.sarif import to_sarif as shape
        put(json.dumps(shape(report), indent=2).encode() + b"\n")
    if not report.files_seen:
        say(f"{path}: no files to look at")
    complete(report.skipped)
    raise typer.Exit(1 if report.findings and not exit_zero else 0)


def _report(where: Target, asked: Asked, use_cache: bool, allow_local_rules: bool) -> Report:
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
            return find(where.files, settings, where.scope, rules)
        report = find(where.files, settings, "", rules)  # of everything: the next question is about another file of it
    cache.keep(report)
    return within(report, where.scope)
