"""Families of errors that belong to no rule: the rows of `families.toml`."""

from __future__ import annotations

import sys
from functools import cache
from importlib import resources

from ..known_error import NAME_IN_ERROR, KnownError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_TEXTS = {"cause", "next", "reference", "context", "unless"}
_FLAGS = {"general", "secondary", "symptom", "harmless"}


@cache
def families() -> tuple[KnownError, ...]:
    """All rows, in the order of the file. Raises ValueError for a row that is not complete."""
    entries = tomllib.loads(resources.files(__package__).joinpath("families.toml").read_text("utf-8"))
    return tuple(_row(family, entry) for family, entry in entries.items())


def _row(family: str, entry: dict[str, object]) -> KnownError:
    missing = {"patterns", "cause", "next", "reference"} - set(entry)
    unknown = set(entry) - {"patterns"} - _TEXTS - _FLAGS
    patterns = entry.get("patterns")
    if missing or unknown or not isinstance(patterns, list) or not patterns:
        raise ValueError(f"families.toml: [{family}]: missing {sorted(missing)}, unknown {sorted(unknown)}")
    text = {key: str(entry.get(key, "")) for key in _TEXTS}
    return KnownError(
        "|".join(str(pattern) for pattern in patterns).replace("{NAME}", NAME_IN_ERROR),
        text["cause"],
        text["next"],
        general=bool(entry.get("general")),
        secondary=bool(entry.get("secondary")),
        family=family,
        symptom=bool(entry.get("symptom")),
        harmless=bool(entry.get("harmless")),
        context=text["context"],
        unless=text["unless"],
        reference=text["reference"],
    )
