"""What the rule is called, and the bytes without which a repository has no finding of it. Loaded by every run."""

from __future__ import annotations

import re

from .library import COPYING_CLASSES

ID = "model-deepcopy"
WORDS = ("deepcopy", *sorted(name.rpartition(".")[2] for name in COPYING_CLASSES))
COPIES = re.compile(rf"\b(?:{'|'.join(WORDS)})\b")
SCREEN = re.compile(COPIES.pattern.encode())
