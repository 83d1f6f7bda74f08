"""Which program made a result: the version, and a digest of the code, so that a development copy counts as another."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from ..version import __version__

_PACKAGE = Path(__file__).resolve().parents[1]


@cache
def tool_version() -> str:
    """Like `0.1.0+3f2a9c01`."""
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*")):
        if path.suffix in (".py", ".toml") and path.relative_to(_PACKAGE).parts[0] not in ("batch", "demo_repo"):
            digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{__version__}+{digest.hexdigest()[:8]}"


def release(version: str | None) -> str:
    """The part of a `tool_version` that people know."""
    return (version or "").partition("+")[0]
