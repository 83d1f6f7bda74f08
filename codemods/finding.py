"""What the analysis says about a place in the code, and what would fix it. Frozen and picklable throughout."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, replace


class Confidence(enum.Enum):
    """How sure we are that the value crosses a process boundary."""

    POSSIBLE = "possible"
    LIKELY = "likely"
    PROVEN = "proven"

    @property
    def rank(self) -> int:
        """Position on the scale, 0 (possible) to 2 (proven)."""
        return ("possible", "likely", "proven").index(self.value)

    def reaches(self, bar: Confidence) -> bool:
        """True when this confidence is at or above `bar`."""
        return self.rank >= bar.rank


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a trace: at `path`:`line` (1-based) the value does `what`, in words."""

    path: str
    line: int
    what: str


Trace = tuple[Hop, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of source: lines and columns are 1-based, columns count characters, the end column is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace characters `start`..`end` (offsets into `Source.text`) of `path` by `text`.

    `text` is written with "\\n"; the file's own newline is put in when the edit is applied.
    """

    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Import:
    """A fix needs `import module` (name None) or `from module import name` at the top of `path`.

    `early`: among the first imports, since code that runs before a later import uses it.
    """

    path: str
    module: str
    name: str | None = None
    early: bool = False


class _HashedOnce:
    """A place for the hash, which is not pickled: another process has other hashes of text."""

    __slots__ = ("_hash",)

    _hash: int


@dataclass(frozen=True, slots=True)
class Fix(_HashedOnce):
    """A rewrite that is applied whole or not at all. Findings that one rewrite fixes together carry equal fixes.

    `unsafe` is None for a rewrite that keeps the meaning, else the reason, in words, why it might not.
    """

    title: str
    edits: tuple[Edit, ...]
    imports: tuple[Import, ...] = ()
    unsafe: str | None = None

    def __hash__(self) -> int:  # a fix of many findings has as many edits, and each of them is hashed with it
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(self, "_hash", hash((self.title, self.edits, self.imports, self.unsafe)))
            return self._hash

    @property
    def paths(self) -> frozenset[str]:
        """Files that this fix touches."""
        return frozenset(edit.path for edit in self.edits) | frozenset(need.path for need in self.imports)

    def why_not(self, unsafe_too: bool) -> str | None:
        """None where it is applied, else the reason, in words; `unsafe_too`: unsafe fixes are wanted as well."""
        return None if unsafe_too else self.unsafe


class Refused(Exception):
    """There is no rewrite that is shown to keep the meaning; `reason` says why, and what a person can do, in words.

    One class for both ways: code deep inside a rule raises it, and a plan returns it in place of a `Fix`.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def alone(self) -> Refused:
        """An equal one without the frames that it was raised in: with them, an answer keeps the whole project alive."""
        return Refused(self.reason)

    def why_not(self, unsafe_too: bool) -> str:  # as a `Fix` has it
        return self.reason


Answer = Fix | Refused


@dataclass(frozen=True, slots=True)
class Finding:
    """A hazard at one place. Exactly one of `fix` and `reason` (why there is none, in words) is set."""

    rule: str
    path: str
    span: Span
    message: str
    confidence: Confidence
    trace: Trace = ()
    fix: Fix | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        if (self.fix is None) == (self.reason is None):
            raise ValueError(f"{self.rule} at {self.path}:{self.span.line}: a finding has a fix or a reason, not both")

    @classmethod
    def answered(
        cls, rule: str, path: str, span: Span, message: str, confidence: Confidence, trace: Trace, answer: Answer
    ) -> Finding:
        """A finding with the fix, or the reason, that `answer` is."""
        if isinstance(answer, Refused):
            return cls(rule, path, span, message, confidence, trace, reason=answer.reason)
        return cls(rule, path, span, message, confidence, trace, fix=answer)

    def why_not(self, unsafe_too: bool) -> str | None:
        """None where its fix is applied, else the reason, in words."""
        return self.reason if self.fix is None else self.fix.why_not(unsafe_too)

    @property
    def sort_key(self) -> tuple[str, int, int, str]:
        """Order of reports: path, place, rule."""
        return (self.path, self.span.line, self.span.column, self.rule)

    def refused(self, reason: str) -> Finding:
        """The same finding without its fix, `reason` saying why."""
        return replace(self, fix=None, reason=reason)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not, or not wholly, looked at, and why."""

    path: str
    reason: str
    failed: str | None = None  # the rule that crashed over it: what it would have found is not known
    partly: bool = False  # some rules looked at some of it
    unread: bool = False  # the system did not let us read it

    @property
    def missed(self) -> bool:
        """True when no rule looked at any of it."""
        return not self.partly and self.failed is None


def missed(skipped: Iterable[Skipped]) -> list[str]:
    """The paths of the files that no rule looked at, sorted."""
    return sorted({row.path for row in skipped if row.missed})
