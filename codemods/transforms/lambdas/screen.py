"""What the rule is called, and the bytes without which a repository has no finding of it. Loaded by every run."""

from __future__ import annotations

import re

ID = "lambdas"
SCREEN = re.compile(
    rb"\blambda\b|\beval\(|\bmodule_from_spec\b|^[ \t]+(?:async[ \t]+def|def|class)\b"
    rb"|\bnamedtuple\(|\bNamedTuple\(|\bmake_dataclass\(|(?:Enum|Flag|\btype)\(\s*['\"]",
    re.MULTILINE,
)
