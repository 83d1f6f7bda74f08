"""What was asked of the files of a project: with it, one can tell whether a change of a file could change the answers.

A text that was seen counts whole; of a syntax tree, comments and blank lines do not count. Of a search over all files
is known what was looked for: a file matters when it has it now and had it not, or the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from .text_marks import MARKS, Mark
from .word_index import words_of

Question = tuple[object, ...]  # its name and its arguments
Probe = tuple[str, int]  # a pattern with its flags; with PLAIN a text


PLAIN = -1
_EMPTY: dict[type, Any] = {set: frozenset(), dict: MappingProxyType({})}


class Changed:
    """A file as it is now and as it was, None where it has no text, or none that is known."""

    def __init__(
        self,
        path: str,
        text: str | None,
        may_define: Iterable[str] = (),
        *,
        before: str | None = None,
        might_define: Iterable[str] = (),
    ) -> None:
        self.path, self.text, self.before = path, text, before
        self.defined = frozenset(may_define) ^ frozenset(might_define)  # what only one of the texts may define
        self._marks: dict[tuple[Mark, str], bool] = {}
        self._matches: dict[tuple[str, int, str, tuple[str, ...]], bool] = {}

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that stands in one of the texts alone."""
        return self._words[0] ^ self._words[1]

    @cached_property
    def _words(self) -> tuple[frozenset[str], frozenset[str]]:
        return words_of(self.text), words_of(self.before)

    def other_mark(self, mark: Mark, word: str) -> bool:
        """True when the mark is in one of the texts alone."""
        if (mark, word) not in self._marks:
            now, before = (
                text is not None and word in words and MARKS[mark](text, word)
                for text, words in zip((self.text, self.before), self._words, strict=True)
            )
            self._marks[mark, word] = now != before
        return self._marks[mark, word]

    def other_match(self, search: tuple[str, int, str, tuple[str, ...]]) -> bool:
        """True when one of the texts alone has a match; see `Project.matching`."""
        if search not in self._matches:
            pattern, flags, part, wanted = search
            now, before = (
                text is not None
                and part in text
                and (not wanted or not words.isdisjoint(wanted))
                and re.compile(pattern, flags).search(text) is not None
                for text, words in zip((self.text, self.before), self._words, strict=True)
            )
            self._matches[search] = now != before
        return self._matches[search]


def probed(text: str, probe: Probe) -> bool:
    """True when `text` has a match."""
    pattern, flags = probe
    return pattern in text if flags == PLAIN else re.compile(pattern, flags).search(text) is not None


@dataclass
class Reads:
    """What one computation asked for."""

    texts: set[str] = field(default_factory=set)  # files by path, also those that are not there
    trees: set[str] = field(default_factory=set)  # Python files of which no more than the syntax tree counts
    marks: set[tuple[Mark, str]] = field(default_factory=set)  # looked for in every Python file, see `text_marks`
    words: set[str] = field(default_factory=set)  # looked for as whole words in every Python file
    patterns: set[tuple[str, int, str, tuple[str, ...]]] = field(default_factory=set)  # see `Project.matching`
    names: set[str] = field(default_factory=set)  # of functions and classes that some Python file may define
    probes: dict[str, dict[Probe, bool]] = field(default_factory=dict)  # of Python files: whether they have a match
    keys: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)  # see `Project.with_key`
    facts: bool = False  # the facts of all Python files, but for the places in them
    asked: set[Question] = field(default_factory=set)  # see `Project.ask`
    parsed: bool = False  # which Python files can be parsed, and which are Python 2
    answers: dict[Question, Any] = field(default_factory=dict)  # what was asked of all files together, and the answer

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value}  # most of thousands ask for little

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(vars(Reads()) | state)

    def done(self) -> Reads:
        """The same, when nothing more is noted: thousands are kept, and each of them asked for little."""
        for name, value in vars(self).items():
            if value.__class__ in _EMPTY and not value:
                vars(self)[name] = _EMPTY[value.__class__]
        return self

    def add(self, other: Reads) -> None:
        """Note that all of `other` was asked for too."""
        self.texts |= other.texts
        self.trees |= other.trees
        self.marks |= other.marks
        self.words |= other.words
        self.patterns |= other.patterns
        self.names |= other.names
        for path, probes in other.probes.items():
            self.probes.setdefault(path, {}).update(probes)
        self.keys |= other.keys
        self.facts |= other.facts
        self.asked |= other.asked
        self.parsed |= other.parsed
        self.answers |= other.answers

    def concerned_by(self, changed: Changed) -> bool:
        """True when the change of a file may alter what was read of texts.

        Whether it parses, and what its tree, its facts and all answers are now, is for the caller to find out.
        """
        if changed.path in self.texts:
            return True
        if not changed.path.endswith(".py"):
            return False
        if changed.text is None or changed.before is None:
            return True
        if any(probed(changed.text, probe) != found for probe, found in self.probes.get(changed.path, {}).items()):
            return True
        if not (self.words or self.names or self.patterns or self.marks):
            return False
        if not changed.words.isdisjoint(self.words) or not self.names.isdisjoint(changed.defined):
            return True
        return any(changed.other_mark(*each) for each in self.marks) or any(map(changed.other_match, self.patterns))


@dataclass(frozen=True)
class Answered:
    """The answer to a question, and what it depends on."""

    answer: Any
    reads: Reads


class Notes:
    """Where a project notes what is asked for: in `reads`, if anywhere."""

    def __init__(self) -> None:
        self.reads: Reads | None = None


class Noting:
    """A block in which `reads` takes the notes. A class, because blocks are many and generators slow."""

    __slots__ = ("_before", "_notes", "_reads")

    def __init__(self, notes: Notes, reads: Reads | None) -> None:
        self._notes, self._reads = notes, reads

    def __enter__(self) -> None:
        self._before, self._notes.reads = self._notes.reads, self._reads

    def __exit__(self, *raised: object) -> None:
        self._notes.reads = self._before
