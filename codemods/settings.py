"""What a run is asked to do: `[tool.spawnfix]` of the target's pyproject.toml, then flags."""

from __future__ import annotations

from dataclasses import dataclass, field

from .finding import Confidence


@dataclass(frozen=True)
class Settings:
    """Validated settings. Paths and globs are relative to the root, with forward slashes."""

    select: tuple[str, ...] = ()  # rule ids; empty: all
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()  # globs of files not looked at
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()  # (glob, rule ids)
    confidence: Confidence = Confidence.LIKELY
    boundaries: tuple[dict[str, object], ...] = field(default=())  # entries in the form of flow/boundaries.toml
    unsafe_fixes: bool = False
    launcher: str = "auto"  # torchrun | python | auto
    start_method: str = "spawn"
