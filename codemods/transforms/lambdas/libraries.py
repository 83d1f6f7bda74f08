"""What the rule knows of libraries: the tables of libraries.toml."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Libraries:
    """The tables, each as the code needs it."""

    pure_decorators: frozenset[str]
    keeping_decorators: frozenset[str]
    method_decorators: frozenset[str]
    pure_calls: frozenset[str]
    lets_through: frozenset[str]
    class_decorators: frozenset[str]
    plain_bases: frozenset[str]
    compilers: frozenset[str]
    datasets: tuple[str, ...]
    handles: dict[str, str]
    process_settings: dict[str, tuple[str, ...]]
    everywhere: dict[str, frozenset[str]]
    removed: dict[str, frozenset[str]]


@cache
def libraries() -> Libraries:
    """The tables of libraries.toml. Raises ValueError for a table without a source."""
    tables: dict[str, Any] = tomllib.loads(
        resources.files(__package__).joinpath("libraries.toml").read_text(encoding="utf-8")
    )
    removed = tables.pop("removed")
    for name, table in [*tables.items(), *removed.items()]:
        if not table.pop("source", ""):
            raise ValueError(f"libraries.toml: [{name}] has no source")
    return Libraries(
        pure_decorators=frozenset(tables["pure_decorators"]["names"]),
        keeping_decorators=frozenset(tables["keeping_decorators"]["names"]),
        method_decorators=frozenset(tables["method_decorators"]["names"]),
        pure_calls=frozenset(tables["pure_calls"]["names"]),
        lets_through=frozenset(tables["lets_through"]["names"]),
        class_decorators=frozenset(tables["class_decorators"]["names"]),
        plain_bases=frozenset(tables["plain_bases"]["names"]),
        compilers=frozenset(tables["compilers"]["names"]),
        datasets=tuple(tables["datasets"]["prefixes"]),
        handles=dict(tables["handles"]),
        process_settings={name: tuple(read) for name, read in tables["process_settings"].items()},
        everywhere={module: frozenset(names) for module, names in tables["everywhere"].items()},
        removed={module: frozenset(table["names"]) for module, table in removed.items()},
    )
