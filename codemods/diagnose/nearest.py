"""The known error that an unknown text is most like: a question to ask, never an answer."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache

from ..known_error import KnownError
from .causes import Row, canonical, known_rows
from .families import ProseFamily, prose_families
from .literals import alternatives

_WORD = re.compile(r"\b(?!\w*error\b)[a-z]{4,}")
_SYNTAX = re.compile(r"\(\?P<\w+>|\\[a-zA-Z]|\(\?[:!=<]*")
_COMMON = {
    "name",
    "type",
    "with",
    "that",
    "this",
    "from",
    "have",
    "were",
    "been",
    "when",
    "what",
    "must",
    "such",
    "device",
    "devices",
    "file",
    "directory",
    "argument",
    "option",
    "options",
    "local",
    "driver",
    "multiprocessing",
    "expected",
    "command",
    "failed",
    "exit",
    "status",
    "cannot",
    "space",
    "left",
    "converted",
    "python",
}
_FROM_CAUSE = 0.4  # what a word of the explanation is worth, beside one of the message itself
_LEAST = 1.35  # rare words in common, weighed by how few rows have them
_SHARE = 0.3  # of the text's own words, by the same weight: a long text has something of every row
_MOST_WORDS = 60
_LONGEST_PROSE = 20_000  # characters; more is a log


def nearest_family(text: str) -> KnownError | None:
    """The row whose words are most like those of `text`; None when none is near."""
    words = set(_WORD.findall(canonical(text).lower())) - _COMMON
    rows, weights = _index()
    known = words & set(weights)
    least = max(_LEAST, _SHARE * sum(weights[word] for word in known))
    if len(words) > _MOST_WORDS:
        return None
    best: tuple[float, KnownError] | None = None
    for row, message, cause in rows:
        in_message = message & words
        if len(in_message) < 2 or not row.fits(text):
            continue
        score = sum(weights[word] for word in in_message)
        score += _FROM_CAUSE * sum(weights[word] for word in (cause & words) - message)
        if score >= least and (best is None or score > best[0]):
            best = (score, row.error)
    return None if best is None else best[1]


def described_by(text: str) -> ProseFamily | None:
    """The family that a description in words, without an error, speaks of; None when it fits none."""
    if len(text) > _LONGEST_PROSE:
        return None
    for row in prose_families():
        if all(pattern.search(text) for pattern in row.patterns) and not (row.unless and row.unless.search(text)):
            return row
    return None


@cache
def _index() -> tuple[tuple[tuple[Row, frozenset[str], frozenset[str]], ...], dict[str, float]]:
    """The words of each pattern and of its cause; what a word is worth: less where more rows have it."""
    rows = tuple(
        (
            row,
            frozenset(_WORD.findall(_SYNTAX.sub(" ", part).lower())) - _COMMON,
            frozenset(_WORD.findall(row.error.cause.lower())) - _COMMON,
        )
        for row in known_rows()
        if not row.error.exact
        for part in alternatives(row.error.pattern)
    )
    of_error: dict[str, set[str]] = {}
    for row, message, cause in rows:
        of_error.setdefault(row.error.pattern, set()).update(message | cause)
    count = Counter(word for words in of_error.values() for word in words)
    return rows, {word: 1 - math.log(number) / math.log(len(of_error)) for word, number in count.items()}
