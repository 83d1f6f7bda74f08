"""Loads names.toml: what the libraries' functions do."""

from __future__ import annotations

import sys
from functools import cache
from importlib import resources

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@cache
def _tables() -> dict[str, frozenset[str]]:
    entries = tomllib.loads(resources.files(__package__).joinpath("names.toml").read_text("utf-8"))
    found: dict[str, frozenset[str]] = {}
    for table, entry in entries.items():
        listed = entry.get("names")
        if set(entry) != {"source", "names"} or not listed or not all(isinstance(name, str) for name in listed):
            raise ValueError(f"names.toml: [{table}] needs a source and a list of names")
        if len(set(listed)) != len(listed):
            raise ValueError(f"names.toml: [{table}] has a name twice")
        found[table] = frozenset(listed)
    return found


def names(table: str) -> frozenset[str]:
    """The names of one table."""
    return _tables()[table]
