"""What was asked of the files of a project: with it, one can tell whether a change of a file could change the answers.

A text that was seen counts whole. Of a search over all files, those that it found count as seen; of the others is
known that they did not have what was looked for, so they matter when they have it now.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .word_index import words_of

Question = tuple[object, ...]  # its name and its arguments


@dataclass
class Reads:
    """What one computation asked for."""

    texts: set[str] = field(default_factory=set)  # files by path, also those that are not there
    words: set[str] = field(default_factory=set)  # looked for as whole words in every Python file
    patterns: set[tuple[str, int, str, tuple[str, ...]]] = field(default_factory=set)  # see `Project.matching`
    names: set[str] = field(default_factory=set)  # of functions and classes that some Python file may define
    parsed: bool = False  # which Python files can be parsed, and which are Python 2
    answers: dict[Question, Any] = field(default_factory=dict)  # what was asked of all files together, and the answer

    def add(self, other: Reads) -> None:
        """Note that all of `other` was asked for too."""
        self.texts |= other.texts
        self.words |= other.words
        self.patterns |= other.patterns
        self.names |= other.names
        self.parsed |= other.parsed
        self.answers |= other.answers

    def concerned_by(self, path: str, text: str | None, may_define: Iterable[str]) -> bool:
        """True when the file `path`, which has another `text` now, may change what was read.

        Whether it parses and what `answers` are now is for the caller to find out.
        """
        if path in self.texts:
            return True
        if not path.endswith(".py"):
            return False
        if text is None:
            return True
        if not (self.words or self.names or self.patterns):
            return False
        words = words_of(text)
        if not words.isdisjoint(self.words) or not self.names.isdisjoint(may_define):
            return True
        for pattern, flags, part, wanted in self.patterns:
            if (
                part in text
                and (not wanted or not words.isdisjoint(wanted))
                and re.compile(pattern, flags).search(text)
            ):
                return True
        return False


class Notes:
    """Where a project notes what is asked for: in `reads`, if anywhere."""

    def __init__(self) -> None:
        self.reads: Reads | None = None
