"""The values that some options take, by name."""

from __future__ import annotations

import enum


class Format(str, enum.Enum):
    """How `check` reports."""

    text = "text"
    concise = "concise"
    full = "full"
    json = "json"
    sarif = "sarif"
    github = "github"
    markdown = "markdown"


class ReportFormat(str, enum.Enum):
    """How `diagnose` reports."""

    text = "text"
    json = "json"


class Launcher(str, enum.Enum):
    """What replaces torch.distributed.launch."""

    auto = "auto"
    torchrun = "torchrun"
    python = "python"


class StartMethod(str, enum.Enum):
    """How workers will be started."""

    spawn = "spawn"
    forkserver = "forkserver"
