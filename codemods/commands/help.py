"""How the help of a command looks: no type beside an option that takes no value, one name of each option."""

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

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Its help. Of an option with two long names it has the first: both leave no room for the text."""
        all_names = [(parameter, parameter.opts) for parameter in self.params]
        for parameter, names in all_names:
            long = [name for name in names if name.startswith("--")]
            parameter.opts = [name for name in names if name not in long[1:]]
        try:
            super().format_help(ctx, formatter)
        finally:
            for parameter, names in all_names:
                parameter.opts = names


class Group(TyperGroup):
    """A command with sub-commands."""

    def get_params(self, ctx: Any) -> Any:
        """Its options, `--help` too."""
        return _plain(super().get_params(ctx))
