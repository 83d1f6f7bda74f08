"""Puts the fault that HARNESS_FAULT names ("kill 7 FILE") into the first process that `batch` starts: see faults.py."""

import os
import sys
from pathlib import Path

_wanted = os.environ.get("HARNESS_FAULT", "").split(" ", 2)
if len(_wanted) == 3 and "codemods.batch.child" in " ".join(sys.orig_argv) and not Path(_wanted[2]).exists():
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from harness.faults import fail_at

    fail_at(_wanted[0], int(_wanted[1]), os.open(_wanted[2], os.O_WRONLY | os.O_CREAT | os.O_EXCL))
