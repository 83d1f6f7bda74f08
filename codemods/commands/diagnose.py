"""`spawnfix diagnose` and `spawnfix demo`: the commands that run programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from .output import put
from .values import ReportFormat


def diagnose(
    arguments: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Argument(
            metavar="TARGET | - | -- COMMAND...",
            help="pkg.mod:name, 'pkg.mod:factory()' or 'script.py:factory()' (in quotes, for the shell); "
            "- for a traceback on stdin; or after -- a command that is run and watched.",
        ),
    ] = None,
    python: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--python", metavar="INTERPRETER", help="The Python that has what TARGET imports."),
    ] = None,
    dry_run_fork: Annotated[
        bool,
        typer.Option("--dry-run-fork", help="With a command: also look at what it starts by fork, as if by spawn."),
    ] = False,
    format: Annotated[ReportFormat, typer.Option(help="How to report.")] = ReportFormat.text,
    save: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Also write the report to FILE, as JSON, for migrate --from."),
    ] = None,
    seconds: Annotated[float, typer.Option(help="How long to look at one object.", min=0.1)] = 30.0,
    child: Annotated[
        bool, typer.Option("--child/--no-child", help="With TARGET: let a spawned process build the object again.")
    ] = True,
    quiet: Annotated[bool, typer.Option("--quiet", help="With -: don't print what the program printed.")] = False,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="With a command: end it at its first start of a process that would fail under spawn, and save the "
            "report for migrate --from.",
        ),
    ] = False,
) -> None:
    """Look at an object, a running program or a traceback: what can't reach a worker, and what fixes it.

    Runs your code, in your interpreter. Exit code: 0 nothing is in the way (or the program shows no error), 1 problems
    or an error that is explained, 2 the object could not be had or the error is of another kind, 130 Ctrl-C.
    """
    from ..diagnose.command import DiagnoseOptions, run_diagnose

    options = DiagnoseOptions(python, dry_run_fork, format.value == "json", save, seconds, child, quiet, watch)
    raise typer.Exit(run_diagnose(arguments or [], "--" in sys.argv, options, put))


def demo(
    keep: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FOLDER", help="Leave the demo repository in FOLDER, which is new or empty."),
    ] = None,
) -> None:
    """Migrate a small example and run it before and after: a first look that touches nothing of yours."""
    from ..demo import run_demo

    raise typer.Exit(run_demo(keep))
