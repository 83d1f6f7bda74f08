"""Tasks of a batch that use more than they may, in a process that is as little limited as one on Windows."""

from __future__ import annotations

import time
from pathlib import Path

from codemods.batch.spec import Outcome, Spec, Status
from codemods.operating_system import limit


def fill(spec: Spec, scratch: Path) -> Outcome:
    """Write 4 MiB, then wait."""
    limit(0, 0)
    (scratch / "clone").write_bytes(bytes(4 * 2**20))
    time.sleep(60)
    return Outcome(Status.CLEAN)


def swell(spec: Spec, scratch: Path) -> Outcome:
    """Take 400 MiB of memory, then wait."""
    limit(0, 0)
    block = bytearray(b"x") * (400 * 2**20)
    time.sleep(60)
    return Outcome(Status.CLEAN, str(len(block)))
