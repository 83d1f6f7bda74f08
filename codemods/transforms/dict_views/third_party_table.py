"""Loads third_party.toml: objects of installed packages that keep a dict view, and the words that a use of one has."""

from __future__ import annotations

import pkgutil
import re
import sys
from dataclasses import dataclass
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Holder:
    """A row of third_party.toml; see there."""

    view: str
    of: str
    method: str
    owner: str
    home: str
    package: str
    says: str
    source: str
    made_by: tuple[str, ...] = ()
    inherited: tuple[str, ...] = ()
    attribute: str = ""
    unless: str = ""
    only_with: tuple[str, ...] = ()


def _table() -> tuple[Holder, ...]:
    data = pkgutil.get_data(__package__, "third_party.toml") or b""
    rows = tomllib.loads(data.decode())["holder"]
    fields: list[dict[str, Any]] = [{k: tuple(v) if isinstance(v, list) else v for k, v in row.items()} for row in rows]
    return tuple(Holder(**row) for row in fields)


HOLDERS = _table()
NAMES = sorted({name.split(".")[-1] for row in HOLDERS for name in (*row.made_by, *row.inherited)} - {"deserialize"})
TEXT = re.compile(rf"\b(?:{'|'.join(NAMES)})\b")
