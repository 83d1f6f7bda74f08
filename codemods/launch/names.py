"""Loads names.toml: the names that launchers, schedulers and shells define."""

from __future__ import annotations

from ..name_tables import name_tables


def names(table: str) -> frozenset[str]:
    """The names of one table."""
    return name_tables(__name__.rpartition(".")[0])[table]


LOCAL = names("local_rank")  # one process alone is the first, 0
VARIABLES = LOCAL | names("world")  # a default for the others could turn a clear error into a wrong run
