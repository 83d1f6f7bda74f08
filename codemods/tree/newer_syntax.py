"""Syntax that a newer Python than this one reads: what to say of a file that does not parse for it."""

from __future__ import annotations

import re
import sys

# https://docs.python.org/3/whatsnew: by the first version that reads it
_SINCE = (
    (10, re.compile(r"[ \t]*(?:match|case)\b[^=]*:[ \t]*(?:#.*)?$"), "a match statement"),
    (11, re.compile(r"[ \t]*except[ \t]*\*"), "`except*`"),
    (12, re.compile(r"[ \t]*type[ \t]+\w+[ \t]*(?:\[[^=]*\])?[ \t]*="), "a `type` statement"),
    (12, re.compile(r"[ \t]*(?:async[ \t]+def|def|class)[ \t]+\w+[ \t]*\["), "type parameters"),
)


def newer_syntax(line: str, version: int = sys.version_info.minor) -> str | None:
    """What the first line that Python 3.`version` can't read may be, and which Python reads it."""
    for since, pattern, name in _SINCE:
        if since > version and pattern.match(line):
            return f"{name}, which Python 3.{since} introduced: run spawnfix with that Python or a newer one"
    return None
