"""What the rule is called, and the bytes without which a repository has no finding of it. Loaded by every run."""

from __future__ import annotations

import re

from ...launch.names import VARIABLES

ID = "launcher-env"
_NAMES = "|".join(sorted(VARIABLES))
READ = re.compile(rf"[\"'](?:{_NAMES})[\"']")
SCREEN = re.compile(READ.pattern.encode())
