"""`spawnfix check`: report, change nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .checking import run_check
from .options import (
    Bar,
    Baseline,
    Ignore,
    Jobs,
    Launch,
    LocalRules,
    NoCache,
    Seconds,
    Select,
    Since,
    Targets_,
    Unsafe,
)
from .values import Format, StartMethod


def check(
    paths: Targets_,
    select: Select = None,
    ignore: Ignore = None,
    confidence: Bar = None,
    unsafe_fixes: Unsafe = None,
    launcher: Launch = None,
    format: Annotated[
        Format,
        typer.Option(
            "--output-format",
            "--format",
            metavar="FORMAT",
            help="How to report: text folds equal findings, full does not, concise takes a line for each; "
            "json, sarif, github or markdown.",
        ),
    ] = Format.text,
    output_file: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Write the report to FILE, not to stdout."),
    ] = None,
    statistics: Annotated[bool, typer.Option("--statistics", help="Only count, rule by rule (text or json).")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show every finding, with its whole trace.")] = False,
    since: Since = None,
    baseline: Baseline = None,
    write_baseline: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="List the findings in FILE, for --baseline, and exit 0."),
    ] = None,
    add_ignores: Annotated[
        bool, typer.Option("--add-ignores", help="Write a suppressing comment beside each finding.")
    ] = False,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit 0 also when something was found.")] = False,
    start_method: Annotated[
        Optional[StartMethod],  # noqa: UP045
        typer.Option(metavar="METHOD", help="How workers will be started: spawn or forkserver.  [default: spawn]"),
    ] = None,
    no_cache: NoCache = False,
    allow_local_rules: LocalRules = False,
    timeout: Seconds = 0,
    jobs: Jobs = 1,
) -> None:
    """Report what can't cross a process boundary, and why; change nothing."""
    code = run_check(
        paths,
        select=select,
        ignore=ignore,
        confidence=confidence,
        unsafe_fixes=unsafe_fixes,
        launcher=launcher,
        format=format,
        output_file=output_file,
        statistics=statistics,
        verbose=verbose,
        since=since,
        baseline=baseline,
        write_baseline=write_baseline,
        add_ignores=add_ignores,
        exit_zero=exit_zero,
        start_method=start_method,
        no_cache=no_cache,
        allow_local_rules=allow_local_rules,
        timeout=timeout,
        jobs=jobs,
    )
    raise typer.Exit(code)
