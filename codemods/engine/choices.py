"""Which changes of a plan are wanted, and how they are cut into commits."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path


class Commits(enum.Enum):
    """What becomes a commit of its own."""

    PER_RULE = "per-rule"
    PER_FINDING = "per-finding"
    ONE = "one"


@dataclass(frozen=True)
class Verification:
    """A command of the user that is run before and after the changes."""

    command: str
    seconds: float
    junit: str | None = None  # the JUnit file that it writes
    report: Path | None = None  # where the result goes, as JSON
    watched: bool = False  # it is a program, and what it sends to other processes is looked at


@dataclass(frozen=True)
class Choices:
    """What the command line says about which changes are wanted: those accepted, those that are new."""

    decisions: Path | None = None
    interactive: bool = False
    since: str | None = None
    baseline: Path | None = None
    commits: Commits = Commits.PER_RULE
    verification: Verification | None = None
