"""What one task is told, and what it answers: plain data that goes to another process, or another machine, as JSON.

The conversion is ours: it is ten lines, and each process that works on a repository would import msgspec (16 ms of CPU)
or cattrs (25 ms) for it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from enum import Enum

TASK = f"{__package__}.task:migrate_repository"


class Status(str, Enum):
    """What became of a repository; a text, as the ledger and the reports have it."""

    MIGRATED = "migrated"
    CLEAN = "clean"
    FAILED = "failed"
    UNCHANGED = "unchanged"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Flags:
    """The selection flags of the command line; None where it is absent."""

    select: str | None = None
    ignore: str | None = None
    confidence: str | None = None
    unsafe_fixes: bool | None = None
    launcher: str | None = None


@dataclass(frozen=True)
class Limits:
    """What one repository may take: seconds, and MiB of memory and of any file written (0: no limit)."""

    seconds: float = 600
    memory: int = 4096
    disk: int = 2048


@dataclass(frozen=True)
class Spec:
    """One repository to work on."""

    name: str
    location: str  # may hold a password: never stored, never shown
    source: str
    ref: str | None
    remote: bool
    version: str  # of the program that made the batch
    wrong: str | None = None
    known: str | None = None  # the commit of a result that is still good
    flags: Flags = field(default_factory=Flags)
    limits: Limits = field(default_factory=Limits)
    protocols: tuple[str, ...] = ()
    in_place: bool = False
    push: bool = False
    push_remote: str | None = None
    no_cache: bool = False
    task: str = TASK

    def to_json(self) -> dict[str, object]:
        """As plain data."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, object]) -> Spec:
        """The reverse of `to_json`."""
        values = dict(data)
        values["flags"] = Flags(**data["flags"])  # type: ignore[arg-type]
        values["limits"] = Limits(**data["limits"])  # type: ignore[arg-type]
        values["protocols"] = tuple(data["protocols"])  # type: ignore[arg-type]
        return cls(**values)  # type: ignore[arg-type]


@dataclass
class Outcome:
    """What became of one repository. `files` are those of its folder in the report: text, or bytes in base64."""

    status: Status
    reason: str | None = None
    stage: str | None = None  # where it failed
    commit: str | None = None
    findings: dict[str, int] = field(default_factory=dict)
    confidence: dict[str, dict[str, int]] = field(default_factory=dict)  # rule -> confidence -> number
    fixed: int = 0
    refused: int = 0
    skipped: int = 0
    crashes: list[list[str]] = field(default_factory=list)  # [path, what our code died of there]
    files_seen: int = 0
    size: int = 0  # bytes read
    seconds: float = 0.0
    memory: int = 0  # peak, MiB
    cache: list[int] = field(default_factory=lambda: [0, 0])  # files whose facts were known, files looked up
    branch: str | None = None
    pushed: str | None = None
    files: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """As plain data."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, object]) -> Outcome:
        """The reverse of `to_json`."""
        return cls(**{**data, "status": Status(data["status"])})  # type: ignore[arg-type]
