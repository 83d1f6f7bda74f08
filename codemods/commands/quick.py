"""The arguments of a plain `check`, read without Typer, which takes longer to import than a small run takes.

Anything else, and every mistake, is left to Typer: it reads the same arguments in the same way, and explains.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import operating_system
from ..finding import Confidence
from .values import Format

FLAGS: dict[str, tuple[str, bool]] = {
    "--exit-zero": ("exit_zero", True),
    "--no-cache": ("no_cache", True),
    "--statistics": ("statistics", True),
    "--verbose": ("verbose", True),
    "-v": ("verbose", True),
    "--unsafe-fixes": ("unsafe_fixes", True),
    "--no-unsafe-fixes": ("unsafe_fixes", False),
}
CHOICES: dict[str, tuple[str, type[enum.Enum]]] = {
    "--format": ("format", Format),
    "--output-format": ("format", Format),
    "--confidence": ("confidence", Confidence),
}
LISTS = {"--select": "select", "--ignore": "ignore"}
_EXPANDED = "*?[~$%"  # what is looked up in arguments on Windows


def arguments(words: Sequence[str]) -> dict[str, Any] | None:
    """The arguments of `run_check` for the command line `words`; None when Typer has to read it."""
    if words[:1] != ["check"] or "_SPAWNFIX_COMPLETE" in os.environ:
        return None
    if operating_system.HERE.windows and any(sign in word for word in words for sign in _EXPANDED):
        return None
    found: dict[str, Any] = {}
    paths: list[Path] = []
    rest = [*reversed(words[1:])]
    while rest:
        word = rest.pop()
        if not word.startswith("-"):
            if not word:
                return None
            paths.append(Path(word))
            continue
        read: tuple[str, Any] | None = FLAGS.get(word) or _value(*_named(word, rest))
        if read is None:
            return None
        name, value = read
        if name in found and not isinstance(value, list):
            return None  # the last counts, or it is a mistake
        found[name] = [*found.get(name, ()), *value] if isinstance(value, list) else value
    return {**found, "paths": paths} if paths else None


def _named(word: str, rest: list[str]) -> tuple[str, str]:
    """The option and its value: `--option value` or `--option=value`. "" for a value that is not there."""
    option, passed, value = word.partition("=")
    if not passed and rest and not rest[-1].startswith("-"):
        value = rest.pop()
    return option, value


def _value(option: str, value: str) -> tuple[str, Any] | None:
    if not value:
        return None
    if option in LISTS:
        return LISTS[option], [value]
    name, kind = CHOICES.get(option, ("", None))
    chosen = next((member for member in kind or () if member.value == value), None)
    return (name, chosen) if chosen is not None else None
