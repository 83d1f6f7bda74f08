"""What the rule is called, and the bytes without which a repository has no finding of it. Loaded by every run."""

from __future__ import annotations

import re

from .third_party_table import TEXT as INSTALLED

ID = "dict-views"
SCREEN = re.compile(rb"\.\s*(?:keys|values|items)\s*\(|" + INSTALLED.pattern.encode())
