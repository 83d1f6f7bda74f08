"""Loads names.toml: what the libraries' classes and functions are."""

from __future__ import annotations

from ...name_tables import name_tables


def names(table: str) -> frozenset[str]:
    """The names of one table."""
    return name_tables(__name__.rpartition(".")[0])[table]
