"""Reads the tracebacks that people paste: of any Python since 3.6, several processes mixed, with prefixes of ranks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .causes import Cause, cause_of

_FRAME = re.compile(r'File "(?P<path>[^"]+)", line (?P<line>\d+), in (?P<name>\S+)')
_START = "Traceback (most recent call last)"
_ERROR = re.compile(r"(?:^|[\s|:\]])(?P<error>(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception)\b.*)$")
_NOTE = re.compile(r"when serializing (?P<what>.+?)\s*$")
_LIBRARY = re.compile(
    r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib(?:64)?[/\\]python\d|[/\\]Lib[/\\](?!site)|^<"
    r"|[/\\]multiprocessing[/\\]\w+\.py$"
)
_NOTE_ITEM = re.compile(r"(?:dict item|item|attribute) '(?P<name>\w+)'")


@dataclass(frozen=True)
class Frame:
    """A line of a traceback; `user` is False for the standard library and installed packages."""

    path: str
    line: int
    name: str
    user: bool


@dataclass(frozen=True)
class Traceback:
    """The error that matters, what it means, the frames that led to it (outermost first), Python 3.14's notes."""

    error: str
    cause: Cause
    frames: tuple[Frame, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of attributes and items on the way to the value, from the notes, the innermost first."""
        found = (_NOTE_ITEM.search(note) for note in self.notes)
        return tuple(match["name"] for match in found if match)


def read_traceback(text: str) -> Traceback | None:
    """The error in `text` that explains the others; None when no line says anything that we know.

    An error that only echoes another one (EOFError in the child) is taken when there is nothing else.
    """
    lines = text.splitlines()
    found = []
    frames: list[Frame] = []
    for number, line in enumerate(lines):
        if _START in line:
            frames = []
        match = _FRAME.search(line)
        if match:
            path = match["path"]
            frames.append(Frame(path, int(match["line"]), match["name"], not _LIBRARY.search(path)))
            continue
        cause = cause_of(line)
        if cause is None or (frames and _is_code(lines, number)):
            continue
        error = _ERROR.search(line)
        notes = []
        for later in lines[number + 1 : number + 40]:
            note = _NOTE.search(later)
            if note is None:
                break
            notes.append(note["what"])
        words = (error["error"] if error else _before(lines, number) + line.strip()).strip()
        found.append(Traceback(words, cause, tuple(frames), tuple(notes)))
    if not found:
        return None
    return max(enumerate(found), key=lambda row: (not row[1].cause.secondary, row[1].cause.rule is not None, row[0]))[1]


def _before(lines: list[str], number: int) -> str:
    """The name of an error whose text begins on a later line: "RuntimeError: "."""
    for line in reversed(lines[max(0, number - 3) : number]):
        if line.strip():
            return f"{line.strip()} " if re.fullmatch(r"[A-Z]\w*Error:", line.strip()) else ""
    return ""


def _is_code(lines: list[str], number: int) -> bool:
    """True for the source line that a traceback quotes below a frame."""
    return number > 0 and _FRAME.search(lines[number - 1]) is not None
