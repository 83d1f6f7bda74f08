"""What the rule is called, and the bytes without which a repository has no finding of it. Loaded by every run."""

from __future__ import annotations

import re

ID = "dist-launcher"
SCREEN = re.compile(rb"torch\.distributed\.(?:launch|run)|torchrun|--local[_-]rank|init_process_group|\bdeepspeed\b")
