"""The kinds of files that hold shell commands."""

from __future__ import annotations

import enum


class Host(enum.Enum):
    """Where a piece of shell text stands."""

    SCRIPT = "script"
    RECIPE = "recipe"  # of a Makefile
    IMAGE = "image"  # a Dockerfile
    WORKFLOW = "workflow"  # YAML: continuous integration, pods
    GUIDE = "guide"  # Markdown, reStructuredText
    DOCUMENT = "here-document"
    WINDOWS = "windows"  # batch, PowerShell: reported only
