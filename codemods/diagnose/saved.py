"""Sites that a diagnosis saw fail, for the static side: `diagnose --save d.json`, then `migrate --from d.json`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..problem import Problem
from ..settings import Settings
from ..tree.guarded import read_named
from ..tree.writing import written
from .report import Diagnosis

MAX_BYTES = 64 * 2**20
Site = tuple[str, str, int, str]  # rule, path relative to the root of the files, line (1-based), what was seen


def save(diagnosis: Diagnosis, file: Path) -> None:
    """Write `diagnosis` to `file`, all or nothing. Raises Problem."""
    try:
        written(file, (json.dumps(diagnosis.to_json(), indent=2) + "\n").encode())
    except OSError as error:
        raise Problem(f"{file}: {error.strerror or error}") from None


def sites(file: Path, root: str) -> tuple[Site, ...]:
    """The places below the folder `root` that the diagnosis in `file` names. Raises Problem."""
    try:
        data = json.loads(read_named(file, MAX_BYTES).decode("utf-8"))
        base = Path(data.get("root") or ".")
        found = [site for row in data["problems"] for site in _sites(row, base, Path(root).resolve())]
    except OSError as error:
        raise Problem(f"{file}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Problem(f"{file}: not written by spawnfix diagnose --save") from None
    return tuple(dict.fromkeys(found))


def _sites(row: dict[str, Any], base: Path, root: Path) -> list[Site]:
    found: list[Site] = []
    rule, seen = row["rule"], f"seen at run time: {row['path']}: {row['error']}"
    for key in ("assigned_at", "defined_at"):
        place = row.get(key)
        if place is None or rule is None:
            continue
        full = (base / place["path"]).resolve()
        if full.is_relative_to(root):
            found.append((rule, full.relative_to(root).as_posix(), int(place["line"]), seen))
    return found


def with_sites(settings: Settings, file: Path, root: str) -> Settings:
    """`settings` that take the places in `file` as proven. Raises Problem."""
    return replace(settings, proven=sites(file, root))
