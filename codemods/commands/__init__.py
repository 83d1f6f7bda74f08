"""The command line: arguments in, exit codes out. Everything slow is imported by the command that needs it."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Annotated

import typer

from ..engine.time_limit import TimeIsUp
from ..problem import Problem
from ..version import __version__
from . import batch, check, diagnose, explain, lsp, migrate
from .output import say

app = typer.Typer(
    name="spawnfix",
    help="Make PyTorch research code survive spawn, forkserver and distributed launchers.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"spawnfix {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        with contextlib.redirect_stdout(sys.stderr):  # Typer prints some help itself and returns the rest
            typer.echo(context.get_help())
        raise typer.Exit(2)


for _command in (
    migrate.migrate,
    check.check,
    explain.rules,
    explain.explain,
    explain.new_rule,
    batch.batch,
    diagnose.diagnose,
    lsp.lsp,
    diagnose.demo,
):
    app.command()(_command)


def main() -> None:
    """The `spawnfix` program: exit codes as docs say, never a traceback unless SPAWNFIX_DEBUG is set."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by who started us
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(prog_name="spawnfix", standalone_mode=False)
        sys.stdout.flush()
    except Problem as problem:
        say(f"spawnfix: {problem}")
        code = 2
    except TimeIsUp as late:
        say(f"spawnfix: {late}")
        code = 2
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:  # the reader has had enough
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
        code = 141
    except Exception as error:
        code = _failed(error)
        if isinstance(error, OSError):  # Python would try once more to write what is left for stdout
            sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
    sys.exit(code if isinstance(code, int) else 0)


def _failed(error: Exception) -> int:
    message = getattr(error, "format_message", None)
    if message is not None:  # Typer's usage errors
        context = getattr(error, "ctx", None)
        words = message().replace("Value error, ", "")
        say(f"spawnfix: {words} (see {context.command_path if context else 'spawnfix'} --help)")
        return 2
    if os.environ.get("SPAWNFIX_DEBUG"):
        raise error
    if isinstance(error, OSError) and error.strerror:  # of the machine rather than ours: disk full, out of files...
        say(f"spawnfix: {error.filename or 'writing the output'}: {error.strerror}")
        return 2
    first = str(error).partition("\n")[0]
    say(
        f"spawnfix: internal error, nothing more was done: {type(error).__name__}: {first} "
        "(please report it, with what SPAWNFIX_DEBUG=1 shows)"
    )
    return 2
