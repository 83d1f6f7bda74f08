"""What the rule knows of libraries: names.toml, as patterns of dotted names."""

from __future__ import annotations

import re

from ...name_tables import names_of

names = names_of(__name__)
COPYING_CLASSES = names("copying_classes")


def endings(*tables: str) -> re.Pattern[str]:
    """Matches (by `search`) a dotted name that ends in one of the names: `torch.nn.DataParallel` in `DataParallel`."""
    return re.compile(rf"(?:^|\.)(?:{_alternatives(*tables)})$")


def whole(*tables: str) -> re.Pattern[str]:
    """Matches (by `search`) a dotted name that is one of the names."""
    return re.compile(rf"^(?:{_alternatives(*tables)})$")


def ending(table: str) -> re.Pattern[str]:
    """Matches (by `search`) a single name that ends in one of the names: `CLIPVisionModel` in `Model`."""
    return re.compile(rf"(?:{_alternatives(table)})$")


def either(*patterns: re.Pattern[str]) -> re.Pattern[str]:
    """Matches what one of the patterns matches."""
    return re.compile("|".join(pattern.pattern for pattern in patterns))


def _alternatives(*tables: str) -> str:
    listed = sorted(name for table in tables for name in names(table))
    return "|".join(re.escape(name).replace(r"\*", r"\w*") for name in listed)
