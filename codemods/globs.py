"""Globs of the settings. No regular expressions: a repository may bring globs and names that keep one busy for ever."""

from __future__ import annotations

import re
from functools import cache

_PART = re.compile(r"\*\*/?|\*|\?|\[!?\]?[^]]*\]|.", re.DOTALL)
_MOST = 100_000  # steps that are remembered


class Glob:
    """Which paths a glob means; an automaton whose steps are worked out when they are first taken.

    State `i` stands before part `i`, and state `n` behind all `n` parts. A `**/` that has been entered stays so: it has
    a state of its own, `n + 2 + i`. State `n + 1` is below a folder that was named, where all matches.
    """

    def __init__(self, glob: str) -> None:
        parts: list[str] = _PART.findall(glob.strip("/"))
        self._parts = parts if "/" in glob.rstrip("/") else ["**/", *parts]
        self._letters = {part: _Letters(part) for part in self._parts if len(part) > 1 and part[0] == "["}
        self._steps: dict[tuple[int, str], int] = {}
        self._start = self._at(0)

    def match(self, path: str) -> bool:
        """True when `path`, or a folder that it lies in, is meant."""
        states, end = self._start, 3 << len(self._parts)
        for letter in path:
            after = self._steps.get((states, letter))
            if after is None:
                if len(self._steps) > _MOST:
                    self._steps.clear()
                after = self._steps[states, letter] = self._step(states, letter)
            states = after
            if not states:
                return False
        return states & end != 0

    def _at(self, place: int) -> int:
        """State `place` and those that follow without a letter."""
        states = 1 << place
        while place < len(self._parts) and self._parts[place][0] == "*":
            place += 1
            states |= 1 << place
        return states

    def _step(self, states: int, letter: str) -> int:
        after, count = 0, len(self._parts)
        for place, part in enumerate(self._parts):
            entered = 1 << (count + 2 + place)
            here = states >> place & 1
            if part == "**/":
                if here or states & entered:
                    after |= entered | (self._at(place + 1) if letter == "/" else 0)
            elif not here:
                continue
            elif part == "**" or (part == "*" and letter != "/"):
                after |= self._at(place)
            elif part[0] != "*" and self._takes(part, letter):
                after |= self._at(place + 1)
        if (states >> count & 1 and letter == "/") or states >> (count + 1) & 1:
            after |= 1 << (count + 1)
        return after

    def _takes(self, part: str, letter: str) -> bool:
        if part in self._letters:
            return self._letters[part].takes(letter)
        return letter != "/" if part == "?" else letter == part


class _Letters:
    """The letters that `[a-z_]` or `[!a-z]` means; no classes like `[:alpha:]`. Raises re.error."""

    def __init__(self, part: str) -> None:
        inside = part[1:-1]
        self._negated = inside.startswith("!")
        inside = inside[1:] if self._negated else inside
        self._ranges: list[tuple[str, str]] = []
        at = 0
        while at < len(inside):
            first = last = inside[at]
            at += 1
            if inside[at : at + 1] == "-" and at + 1 < len(inside):
                last = inside[at + 1]
                at += 2
            if last < first:
                raise re.error(f"bad character range {first}-{last}")
            self._ranges.append((first, last))

    def takes(self, letter: str) -> bool:
        """True for one of them."""
        return any(first <= letter <= last for first, last in self._ranges) != self._negated


@cache
def glob_pattern(glob: str) -> Glob:
    """What `glob` means: `*` and `?` stay within one folder, `**` does not.

    Without a slash in it the glob names a file or folder anywhere, else it starts at the root. Naming a folder means
    all below it. Raises re.error.
    """
    return Glob(glob)
