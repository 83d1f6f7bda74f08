"""Scripts that a here-document writes, and whose text the same file reads again: it would read other words."""

from __future__ import annotations

import re

from .names import names

_TARGET = re.compile(r">>?[ \t]*((?:\"[^\"\n]*\"|'[^'\n]*'|[^\s;|<>&\"'])+)")
_ENDS = re.compile(r"&&|\|\||[;|&()`\n]")
_BEFORE_A_COMMAND = re.compile(r"(?:[ \t{!\"]|(?:if|then|else|elif|do|while|until)(?=[ \t])|\w+=[^\s\"']*[ \t]+)*")
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
_ASSIGNED = re.compile(r"(?:(?:export|local|readonly|declare)[ \t]+)?(\w+)=\S+[ \t]*")


def read_as_text(text: str, start: int, end: int) -> tuple[int, str] | None:
    """Where the file that gets the here-document `text[start:end]` is read, but not run: the offset, and the command.

    None too where no file gets it.
    """
    opening = text[text.rfind("\n", 0, start - 1) + 1 : start]
    writer = next((part for part in _ENDS.split(opening) if "<<" in part), "")
    target = _TARGET.search(opening)
    if target is None or _name(_words(writer)[0]) in names("take_scripts"):
        return None
    file = re.sub("[\"']", "", target.group(1))
    known = [_mentions(file)]
    if (variable := _VARIABLE.fullmatch(file)) is not None:
        known += map(_mentions, re.findall(rf"\b{variable.group(1)}=[\"']?([^\s\"';]+)", text))
    parts = _parts(text, start, end)
    for (offset, part, mark), (_, behind, _) in zip(parts, [*parts[1:], (0, "", "")], strict=True):
        named = next((found for name in known if (found := name.search(part)) is not None), None)
        if named is None or re.search(r">[ \t]*[\"']?$", part[: named.start()]):
            continue
        assigned = _ASSIGNED.fullmatch(part.lstrip())
        if assigned is not None:
            known.append(_mentions(f"${assigned.group(1)}"))
            continue
        command = _words(part)
        if command[0] == "cat" and mark not in (")", "`"):  # shown, or passed to what runs it
            command = _words(behind) if mark == "|" else ["echo"]
        if not _runs(command, named.group()):
            return offset + named.start(), _name(command[0])
    return None


def _parts(text: str, start: int, end: int) -> list[tuple[int, str, str]]:
    """The simple commands of a script without its comments and `text[start:end]`: offset, text, and what ends it."""
    outside = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    outside = re.sub(r"(?m)(?<!\S)#.*", lambda comment: " " * len(comment.group()), outside).replace("\\\n", "  ")
    found, at = [], 0
    for match in _ENDS.finditer(outside):
        found.append((at, outside[at : match.start()], match.group()))
        at = match.end()
    return [*found, (at, outside[at:], "")]


def _words(part: str) -> list[str]:
    """The words of a command, never none."""
    before = _BEFORE_A_COMMAND.match(part)
    return part[before.end() if before is not None else 0 :].split() or [""]


def _runs(command: list[str], file: str) -> bool:
    """It runs the file, or does something that doesn't depend on its words."""
    first, takers = _name(command[0]), names("take_scripts")
    if first in names("shell_wrappers"):
        return "/" in file or any(_name(word) in takers for word in command)
    return first in takers or first in names("leave_text_alone") or file.strip("\"'") in command[0]


def _name(word: str) -> str:
    return word.strip("\"'").rpartition("/")[2]


def _mentions(file: str) -> re.Pattern[str]:
    """How the file may be named further down: by another way to it, or `${NAME}` for `$NAME`."""
    if (variable := _VARIABLE.fullmatch(file)) is not None:
        return re.compile(rf"\$(?:{{{variable.group(1)}}}|{variable.group(1)}(?!\w))")
    return re.compile(rf"(?<![\w.$-])(?:[^\s\"'=<>]*/)?{re.escape(file.rpartition('/')[2])}(?![\w.-])")
