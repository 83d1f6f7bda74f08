"""The commands by name, each in a module that is imported when it is needed."""

from __future__ import annotations

import contextlib
import importlib
import sys
from typing import Annotated

import typer

from ..version import __version__
from .help import Command

# In the order that the help lists them: name, module and function.
COMMANDS = {
    "migrate": ("migrate", "migrate"),
    "review": ("review", "review"),
    "check": ("check", "check"),
    "rules": ("explain", "rules"),
    "explain": ("explain", "explain"),
    "new-rule": ("explain", "new_rule"),
    "batch": ("batch", "batch"),
    "diagnose": ("diagnose", "diagnose"),
    "lsp": ("lsp", "lsp"),
    "cache": ("cache", "cache"),
    "demo": ("diagnose", "demo"),
}


def application(only: str | None = None) -> typer.Typer:
    """The program with all commands; with the command `only` alone, where that is one: others cost as much again."""
    app = typer.Typer(
        name="spawnfix",
        help="Make PyTorch research code survive spawn, forkserver and distributed launchers.",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_start)
    for name in (only,) if only in COMMANDS else COMMANDS:
        module, function = COMMANDS[name]
        command = getattr(importlib.import_module(f".{module}", __package__), function)
        if isinstance(command, typer.Typer):  # with sub-commands
            app.add_typer(command, name=name)
        else:
            app.command(name, cls=Command)(command)
    return app


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
