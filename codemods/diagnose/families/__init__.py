"""Families of errors that no rule fixes: the rows of the TOML files beside this module. Each row has

- `patterns`: regular expressions, searched for in the line of the error in any case; {NAME} is a qualified name;
- `cause`: what went wrong; `next`: what to do first; `reference`: where it is documented;

and where it is needed

- `context`, `unless`: what the error's line or its traceback must, or must not, match too;
- `general`: tried after all others;
- `symptom`: counts less than a cause;
- `secondary`: only says that another process failed, whose error matters;
- `harmless`: a warning; a program that shows nothing else has not failed;
- `noise`: a harmless symptom, and what the text describes or its frames show comes before it;
- `question`: the words fit other causes too, so the cause is asked about, not stated;
- `exact`: never offered for a text whose words are only alike;
- `own`: the advice is for the code that failed; where that is an installed package's, it is said;
- `unfinished`: matches a source line, and counts only where the last line of the traceback is missing.

Rows of frames.toml have `frames` (regular expressions for `path:function`) in place of `patterns`, and the flags
`interrupted` (Ctrl-C ended the program), `certain` (an answer, not a question), `last` (the innermost frame alone
counts) and `unfinished` (as above); with `error`, the words of the error match that too.

Rows of prose.toml have `all` (regular expressions that all must match somewhere) in place of `patterns`: what people
describe in words. They are asked about, in texts without any error.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from importlib import resources

from ...known_error import NAME_IN_ERROR, KnownError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILES = (
    "elsewhere",
    "pickling",
    "starting",
    "limits",
    "workers",
    "pools",
    "ended",
    "services",
    "mpi",
    "frameworks",
    "warnings",
    "distributed",
    "training",
)  # the order in which rows are tried
_FRAMES = "frames"  # the file of what frames alone say
_PROSE = "prose"  # the file of what people describe in words
_TEXTS = {"cause", "next", "reference", "context", "unless"}
_FLAGS = {"general", "secondary", "symptom", "harmless", "noise", "question", "unfinished", "exact", "own"}


@cache
def families() -> tuple[KnownError, ...]:
    """All rows, in their order. Raises ValueError for a row that is not complete."""
    here = resources.files(__package__)
    texts = (here.joinpath(f"{name}.toml").read_text("utf-8") for name in FILES)
    return tuple(_row(family, entry) for text in texts for family, entry in tomllib.loads(text).items())


def _row(family: str, entry: dict[str, object]) -> KnownError:
    missing = {"patterns", "cause", "next", "reference"} - set(entry)
    unknown = set(entry) - {"patterns"} - _TEXTS - _FLAGS
    patterns = entry.get("patterns")
    if missing or unknown or not isinstance(patterns, list) or not patterns:
        raise ValueError(f"[{family}]: missing {sorted(missing)}, unknown {sorted(unknown)}")
    text = {key: str(entry.get(key, "")) for key in _TEXTS}
    noise = bool(entry.get("noise"))
    return KnownError(
        "|".join(str(pattern) for pattern in patterns).replace("{NAME}", NAME_IN_ERROR),
        text["cause"],
        text["next"],
        general=bool(entry.get("general")),
        secondary=bool(entry.get("secondary")),
        family=family,
        symptom=bool(entry.get("symptom")) or noise,
        harmless=bool(entry.get("harmless")) or noise,
        noise=noise,
        question=bool(entry.get("question")),
        unfinished=bool(entry.get("unfinished")),
        exact=bool(entry.get("exact")),
        own=bool(entry.get("own")),
        context=text["context"],
        unless=text["unless"],
        reference=text["reference"],
    )


@dataclass(frozen=True)
class FrameFamily:
    """What frames say of an error whose own words are missing or not known."""

    family: str
    pattern: re.Pattern[str]  # of `path:function`, with forward slashes
    cause: str
    next: str
    reference: str
    interrupted: bool  # only for Ctrl-C; the others are never for that
    certain: bool  # an answer; the others are questions
    unfinished: bool  # only where the error's own line is missing
    last: bool  # only the innermost frame counts
    error: re.Pattern[str] | None  # what the words of the error match


@cache
def frame_families() -> tuple[FrameFamily, ...]:
    """All of them, in the order in which they are tried. Raises KeyError for a row that is not complete."""
    text = resources.files(__package__).joinpath(f"{_FRAMES}.toml").read_text("utf-8")
    return tuple(
        FrameFamily(
            family,
            re.compile("|".join(entry["frames"])),
            entry["cause"],
            entry["next"],
            entry["reference"],
            entry.get("interrupted", False),
            entry.get("certain", False),
            entry.get("unfinished", False),
            entry.get("last", False),
            re.compile(entry["error"]) if "error" in entry else None,
        )
        for family, entry in tomllib.loads(text).items()
    )


@dataclass(frozen=True)
class ProseFamily:
    """What a description without an error speaks of."""

    family: str
    patterns: tuple[re.Pattern[str], ...]  # all of them match
    unless: re.Pattern[str] | None
    cause: str
    next: str
    reference: str


@cache
def prose_families() -> tuple[ProseFamily, ...]:
    """All of them, in the order in which they are tried. Raises KeyError for a row that is not complete."""
    text = resources.files(__package__).joinpath(f"{_PROSE}.toml").read_text("utf-8")
    return tuple(
        ProseFamily(
            family,
            tuple(re.compile(pattern, re.IGNORECASE) for pattern in entry["all"]),
            re.compile(entry["unless"], re.IGNORECASE) if "unless" in entry else None,
            entry["cause"],
            entry["next"],
            entry["reference"],
        )
        for family, entry in tomllib.loads(text).items()
    )
