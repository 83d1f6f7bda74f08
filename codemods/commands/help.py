"""How the help of a command looks: no type beside an option that takes no value."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


def _plain(parameters: Any) -> Any:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters


class Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> Any:
        """Its options and arguments, `--help` too."""
        return _plain(super().get_params(ctx))


class Group(TyperGroup):
    """A command with sub-commands."""

    def get_params(self, ctx: Any) -> Any:
        """Its options, `--help` too."""
        return _plain(super().get_params(ctx))
