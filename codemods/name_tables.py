"""Lists of library names that live beside the code as `names.toml`, each with its source."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Callable
from functools import cache

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@cache
def name_tables(package: str) -> dict[str, frozenset[str]]:
    """The names of each table of `names.toml` in `package`.

    Raises ValueError for a table without a source, without names, or with a name twice.
    """
    entries = tomllib.loads((pkgutil.get_data(package, "names.toml") or b"").decode())
    found: dict[str, frozenset[str]] = {}
    for table, entry in entries.items():
        names = entry.get("names")
        if set(entry) != {"source", "names"} or not names or not all(isinstance(name, str) for name in names):
            raise ValueError(f"names.toml of {package}: [{table}] needs a source and a list of names")
        if len(set(names)) != len(names):
            raise ValueError(f"names.toml of {package}: [{table}] has a name twice")
        found[table] = frozenset(names)
    return found


def names_of(module: str) -> Callable[[str], frozenset[str]]:
    """A function that looks up a table of `names.toml` beside `module` (its `__name__`)."""
    package = module.rpartition(".")[0]
    return lambda table: name_tables(package)[table]
