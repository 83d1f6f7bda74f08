"""What keeps a script's `--local_rank` from being rewritten, and what happens to it when nobody passes it."""

from __future__ import annotations

import ast

from ..rewrite.argparse_options import Option
from . import entry as entries


class Refused(Exception):
    """The launch line stays as it is; the message says why, and what a person could do."""


def rewritable(program: entries.Program, found: list[Option]) -> None:
    """Raises Refused when the option's default can't be given with the same meaning."""
    option = found[0]
    where = f"--local_rank at {option.path}:{option.line}"
    if len(found) > 1:
        lines = ", ".join(f"{each.path}:{each.line}" for each in found)
        raise Refused(f"several parsers take --local_rank ({lines}): give each LOCAL_RANK as its default")
    if option.odd is not None:
        raise Refused(f"{where} can't be rewritten ({option.odd}): give it LOCAL_RANK as its default")
    if option.type not in ("int", "str"):
        raise Refused(f"{where} has a type of its own: give it LOCAL_RANK as its default by hand")
    overwritten = entries.overwritten_defaults(program)
    if overwritten is not None:
        raise Refused(f"{program.path}:{overwritten} can overwrite the default: read LOCAL_RANK after that line")


def plain(default: ast.expr | None) -> bool:
    """Is the default a plain value, so that no call or variable behind it may know the rank?"""
    return default is None or isinstance(default, (ast.Constant, ast.UnaryOp))


def kept_default(option: Option) -> str:
    """What every rank does when it is passed no local rank, in words."""
    if option.required:
        return "the script stops, as its --local_rank is required"
    if option.default is None:
        return "every rank would keep the default None"
    value = ast.unparse(option.default).strip("'\"")
    if value == "-1":
        return "every rank would keep the default -1 and train alone"
    if value == "0":
        return "every rank would keep the default 0 and use the first GPU"
    return f"every rank would keep the default {value}"
