"""What one rule makes of a project, with all that its run leaves behind: small, picklable, the same in any process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..finding import Finding, Skipped
from ..reads import Reads
from .trials import MAX_RETRIED


@dataclass(frozen=True)
class Part:
    """What a rule finds in one file, before anything is left out of it, and what that depends on."""

    findings: tuple[Finding, ...]
    reads: Reads


@dataclass(frozen=True)
class Look:
    """The findings that count, those that comments silence, and the files that were not (wholly) looked at."""

    findings: tuple[Finding, ...]
    silenced: tuple[Finding, ...] = ()
    crashes: tuple[Skipped, ...] = ()
    skipped: dict[str, Skipped] = field(default_factory=dict)  # by path: all that the project knows of after it
    spent: int = 0  # characters that were tested again; see `Trials`
    limited: bool = False  # files were left out because of what was read before: another order may leave out others
    reads: Reads = field(default_factory=Reads)  # what of the files it depends on, what `parts` read left out
    parts: dict[str, Part] = field(default_factory=dict)  # by path, of a rule that looks at each file for itself

    def said(self) -> tuple[Finding, ...]:
        """All that it says of places."""
        return self.findings + self.silenced

    def all_reads(self) -> Iterator[Reads]:
        """What it depends on, and what each of its parts depends on."""
        yield self.reads
        yield from (part.reads for part in self.parts.values())


def beyond_limits(looks: Iterable[Look]) -> bool:
    """True when rules share less than all they wanted to read or to test: their order decides who gets it."""
    looks = tuple(looks)
    return sum(look.spent for look in looks) > MAX_RETRIED or any(look.limited for look in looks)
