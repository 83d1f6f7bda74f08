"""The known error that an unknown text is most like: a question to ask, never an answer."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from ..known_error import KnownError
from .causes import canonical, known_errors

_WORD = re.compile(r"[a-z]{4,}")
_SYNTAX = re.compile(r"\(\?P<\w+>|\\[a-zA-Z]|\(\?[:!=<]*")
_LEAST = 2.0  # rare words in common, weighed by how few rows have them


def nearest_family(text: str) -> KnownError | None:
    """The row whose words are most like those of `text`; None when none is near."""
    words = set(_WORD.findall(canonical(text).lower()))
    rows, weights = _index()
    best: tuple[float, KnownError] | None = None
    for error, own in rows:
        score = sum(weights[word] for word in own & words)
        if score >= _LEAST and (best is None or score > best[0]):
            best = (score, error)
    return None if best is None else best[1]


@cache
def _index() -> tuple[tuple[tuple[KnownError, frozenset[str]], ...], dict[str, float]]:
    """The words of each row's pattern, and what a word is worth: 1 where one row has it, less where many have it."""
    rows = tuple(
        (error, frozenset(_WORD.findall(_SYNTAX.sub(" ", error.pattern).lower())) - {"name", "type", "error"})
        for error in known_errors()
    )
    count = Counter(word for _, words in rows for word in words)
    return rows, {word: 1 / number for word, number in count.items()}
