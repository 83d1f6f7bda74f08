"""Texts that a line must hold for a regular expression to match it: looking for them first is cheap.

Read are the parts of a pattern that stand outside of groups. What is not understood counts as no text at all, and the
pattern is then always tried.
"""

from __future__ import annotations

from dataclasses import dataclass, field

_LEAST = 3  # characters; shorter ones are in every line
_ESCAPED = set(".[](){}*+?^$|\\/ -'\"<>=:,#&~!@%;`_")  # stand for themselves after a backslash


@dataclass
class _Alternative:
    """One branch: its literal runs, and for each group the texts of which one must be there."""

    runs: list[str] = field(default_factory=lambda: [""])
    groups: list[frozenset[str] | None] = field(default_factory=list)

    def add(self, character: str) -> None:
        self.runs[-1] += character

    def cut(self) -> None:
        self.runs.append("")

    def best(self) -> frozenset[str] | None:
        """The longest run, or else a group whose every branch has one; None: nothing is certain."""
        longest = max(self.runs, key=len)
        if len(longest) >= _LEAST:
            return frozenset((longest,))
        return next((group for group in self.groups if group is not None), None)


def required_literals(pattern: str) -> frozenset[str] | None:
    """Texts in lower case, one of which is in (the lower case of) all that matches; None: none is certain."""
    found, _ = _branches(pattern.lower(), 0)
    return found


def alternatives(pattern: str) -> list[str]:
    """The branches of `pattern` that are not inside of a group."""
    found, depth, at = [""], 0, 0
    while at < len(pattern):
        _, end = _single(pattern, at) if pattern[at] in "\\[" else (None, at + 1)
        part = pattern[at:end]
        depth += {"(": 1, ")": -1}.get(part, 0)
        if part == "|" and not depth:
            found.append("")
        else:
            found[-1] += part
        at = end
    return found


def _branches(pattern: str, at: int) -> tuple[frozenset[str] | None, int]:
    """The texts of the alternatives from `at` to the end of the group, and where that is."""
    alternatives = [_Alternative()]
    while at < len(pattern) and pattern[at] != ")":
        own = alternatives[-1]
        character = pattern[at]
        if character == "|":
            alternatives.append(_Alternative())
            at += 1
            continue
        if character == "(":
            group, at = _group(pattern, at)
            own.cut()
            quantifier, at = _quantifier(pattern, at)
            if quantifier not in ("?", "*", "{"):
                own.groups.append(group)
            continue
        literal, at = _single(pattern, at)
        quantifier, at = _quantifier(pattern, at)
        if literal is None or quantifier in ("?", "*", "{"):
            own.cut()
        else:
            own.add(literal)
            if quantifier == "+":
                own.cut()
    texts = [own.best() for own in alternatives]
    certain = [text for text in texts if text is not None]
    return (frozenset().union(*certain) if len(certain) == len(texts) else None), at


def _group(pattern: str, at: int) -> tuple[frozenset[str] | None, int]:
    """What the group that begins at `at` needs, and where it ends; a look-ahead or a flag needs nothing."""
    counts = True
    at += 1
    if pattern.startswith("?", at):
        if pattern.startswith("?:", at):
            at += 2
        elif pattern.startswith("?p<", at):
            at = pattern.index(">", at) + 1
        elif pattern.startswith("?-i:", at):
            at += 4
        else:
            counts = False
            at += 3 if pattern.startswith("?<", at) else 2
    found, end = _branches(pattern, at)
    return (found if counts else None), end + 1


def _single(pattern: str, at: int) -> tuple[str | None, int]:
    """The character at `at`, None for a class of them, and where the next thing begins."""
    character = pattern[at]
    if character == "\\":
        escaped = pattern[at + 1]
        return (escaped if escaped in _ESCAPED else None), at + 2
    if character == "[":
        end = at + 2 if pattern.startswith("[^", at) else at + 1
        end += pattern.startswith("]", end)
        while pattern[end] != "]":
            end += 2 if pattern[end] == "\\" else 1
        return None, end + 1
    return (None if character in ".^$" else character), at + 1


def _quantifier(pattern: str, at: int) -> tuple[str, int]:
    """What stands behind a thing: "?", "*", "+", "{" or "", and where the next thing begins."""
    if at >= len(pattern) or pattern[at] not in "?*+{":
        return "", at
    found = pattern[at]
    at = pattern.index("}", at) + 1 if found == "{" else at + 1
    return found, at + (at < len(pattern) and pattern[at] in "?+")
