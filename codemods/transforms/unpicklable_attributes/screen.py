"""What the rule is called, and the bytes without which a repository has no finding of it. Loaded by every run."""

from __future__ import annotations

import re

ID = "unpicklable-attributes"
SCREEN = re.compile(
    rb"\bself\s*\.\s*\w+\s*[:=,]|\bfield\s*(?:\(|as\b)|\bcached_property\b|\b__getattr__\b"
    rb"|\bmultiprocessing\b|\bdeepcopy\b|\bDataLoader\s*\((?!\s*\[[\d\]])"
)
