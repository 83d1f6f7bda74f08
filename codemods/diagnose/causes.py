"""From the words of an error to its cause: which rule fixes it, what went wrong, what a person can do.

The words drift: `can't pickle X objects` (Python 3.6, 3.7), `cannot pickle 'X' object` (3.8), `cannot pickle 'X'
instances` (3.12), `Can't get local object` (3.13), `Can't pickle local object <function ...>` (3.14). What a child does
not find: `Can't get attribute 'X' on <module ...>`, in 3.14 `module '__mp_main__' has no attribute 'X'`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

from ..known_error import KnownError
from ..transforms import rules
from .families import families
from .literals import required_literals

_CANNOT = re.compile(r"\b(?:cannot|can not|cant|can ?n't|can' ?t)(?= (?:be )?(?:pickle|serialize|get|re-init))", re.I)
_BUILTIN = re.compile(  # Python 2 and 3.5: no name is found for the type of a value
    r"can't pickle <(?:class|type) '(?!function|instancemethod)([\w.]+)'>: "
    r"(?:attribute lookup (?:\w+ on (?:builtins|__builtin__|_thread|_io)|__builtin__\.\w+) failed"
    r"|it's not found as (?:builtins|__builtin__)\.\w+)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_SPLIT_NAME = re.compile(r"(?<=[\w>])\.\s+(?=<)|(?<=>)\s*\.\s+(?=[\w<])")
_SPLIT_LAMBDA = re.compile(r"<\s+(?=(?:lambda|locals)>)")


@dataclass(frozen=True)
class Cause:
    """Why a value does not reach a worker. `secondary`: the error that matters is another one, elsewhere."""

    rule: str | None
    what: str
    advice: str
    secondary: bool = False
    type: str = ""  # of the value, normalised; "" when the message does not say
    name: str = ""  # qualified name of a function or class, as in `DataCore.setup_data.<locals>.<lambda>`
    known: KnownError | None = None  # the row that it comes from

    @property
    def family(self) -> str:
        """A short name of the kind of error."""
        return (self.known.family if self.known else "") or self.rule or ""


@dataclass(frozen=True)
class Row:
    """A known error, compiled."""

    pattern: re.Pattern[str]
    rule: str | None
    error: KnownError
    context: re.Pattern[str] | None
    unless: re.Pattern[str] | None
    literals: frozenset[str] | None  # of which a line that matches has one; None: not known

    def fits(self, *texts: str) -> bool:
        """False where `texts` lack what the row asks for beside its pattern, or have what speaks against it."""
        if self.context is not None and not any(map(self.context.search, texts)):
            return False
        return self.unless is None or not any(map(self.unless.search, texts))


@cache
def known_rows() -> tuple[Row, ...]:
    """All rows in the order in which they are tried; loads the rules."""
    rows = [(rule.id, error) for rule in rules().values() for error in rule.errors]
    every: list[tuple[str | None, KnownError]] = [*rows, *((None, error) for error in families())]
    # What only speaks of another error comes last; a row that asks for more comes first.
    every.sort(key=lambda row: (row[1].general, row[1].general and row[1].secondary, not row[1].context))
    return tuple(
        Row(
            _compiled(error.pattern),
            rule,
            error,
            _optional(error.context),
            _optional(error.unless),
            required_literals(error.pattern),
        )
        for rule, error in every
    )


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _optional(pattern: str) -> re.Pattern[str] | None:
    return _compiled(pattern) if pattern else None


@cache
def _by_literal() -> tuple[tuple[tuple[str, int], ...], int]:
    """(text, bits of the rows that need it) and the bits of the rows that are always tried."""
    bits: dict[str, int] = {}
    always = 0
    for number, row in enumerate(known_rows()):
        if row.literals is None:
            always |= 1 << number
        for literal in row.literals or ():
            literal = _NUMBER.sub("0", literal)
            bits[literal] = bits.get(literal, 0) | 1 << number
    return tuple(bits.items()), always


@lru_cache(maxsize=1024)  # the lines of a log differ in their numbers, as a rule
def rows_that_may_match(text: str) -> tuple[Row, ...]:
    """The rows that may match `text`, in their order; it is in lower case, with a 0 for every number."""
    literals, found = _by_literal()
    for literal, bits in literals:
        if literal in text:
            found |= bits
    return tuple(row for number, row in enumerate(known_rows()) if found >> number & 1) if found else ()


def canonical(line: str) -> str:
    """`line` in the words that patterns are written in: one form of "can't", names in one piece."""
    if "\\'" in line:  # the text of an error within the text of another one
        line = line.replace("\\'", "'")
    if "can" in line or "Can" in line or "CAN" in line:
        line = _BUILTIN.sub(r"can't pickle '\1' object", _CANNOT.sub("can't", line))
    if "<" in line:
        line = _SPLIT_LAMBDA.sub("<", _SPLIT_NAME.sub(".", line))
    if "local object '" in line and ".." in line:  # a web page took <locals> and <lambda> for tags
        line = re.sub(r"\.\.(?=\w)", ".<locals>.", line)
        line = re.sub(r"\.\.(?=')", ".<locals>.<lambda>", line)
    return line


def cause_of(error: str, around: str | Callable[[], str] = "") -> Cause | None:
    """The cause that `error` ("TypeError: cannot pickle ..."), or a line that holds it, speaks of; None: not known.

    `around` is the traceback that it ends, or gives it, for errors whose words say nothing without it.
    """
    line = canonical(error)
    text = line.lower() if line == error else f"{line}\n{error}".lower()
    for row in rows_that_may_match(_NUMBER.sub("0", text)):
        match = row.pattern.search(line) or (row.pattern.search(error) if line != error else None)
        if match is None:
            continue
        if callable(around) and (row.context is not None or row.unless is not None):
            around = around()
        if row.fits(str(around), line):
            return _cause(row, match)
    return None


def _cause(row: Row, match: re.Match[str]) -> Cause:
    groups = match.groupdict()
    name = next((groups[key] for key in ("name", "name2", "name3", "name4") if groups.get(key)), "")
    kind = groups.get("type") or groups.get("type2") or ""
    return Cause(
        row.rule,
        row.error.cause,
        row.error.advice,
        row.error.secondary,
        kind.removeprefix("_io."),
        name.removeprefix("__main__."),
        row.error,
    )
