"""Reads the tracebacks that people paste: of any Python since 3.6, several processes mixed, with prefixes of ranks."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from .causes import Cause, cause_of

_FRAME = re.compile(r'File "(?P<path>[^"]+)", line (?P<line>\d+), in (?P<name>\S+)')
_MOST = 1000  # frames above an error; the limit of recursion
_LONG = 4000  # columns; more is data, and slow to search
_START = "Traceback (most recent call last)"
_ERROR = re.compile(r"(?:^|[\s|:\]])(?P<error>(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception)\b.*)$")
_NOTE = re.compile(r"when serializing (?P<what>.+?)\s*$")
_LIBRARY = re.compile(
    r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib(?:64)?[/\\]python\d|[/\\]Lib[/\\](?!site)|^<"
    r"|[/\\]multiprocessing[/\\]\w+\.py$|[/\\]_spawnfix_probe\.py$"
)
_NOTE_ITEM = re.compile(r"(?P<type>\S+) item (?P<key>.+)")
_CUT_OFF = re.compile(r"(?:ConnectionResetError|ConnectionRefusedError|BrokenPipeError|EOFError)\b")
_PIPES = re.compile(r"[/\\]multiprocessing[/\\](?:connection|forkserver|popen_\w+|reduction)\.py$")
_GONE = re.compile(r"AttributeError: module '(?P<module>[\w.]+)' has no attribute '(?P<name>\w+)'")


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
        found = (_NOTE_ITEM.fullmatch(note) for note in self.notes)
        keys = (match["key"].strip("'") for match in found if match)
        return tuple(key for key in keys if key.isidentifier())

    @property
    def path(self) -> str:
        """Where the value is, as Python, from the notes: `Process._args[0].value`; "" when they don't tell."""
        text, in_state = "", False
        for note in reversed(self.notes):
            match = _NOTE_ITEM.fullmatch(note)
            if match is None:
                kind, _, what = note.rpartition(" ")
                if what not in ("object", "state", "class"):  # arguments of a constructor have no path
                    return ""
                text, in_state = text or kind.rpartition(".")[2], what == "state"
            elif in_state and match["type"] == "tuple":
                continue  # (state of __dict__, state of __slots__)
            else:
                key = match["key"].strip("'")
                text = text or "task"
                text += f".{key}" if in_state and key.isidentifier() else f"[{match['key']}]"
                in_state = False
        return text


def read_traceback(text: str) -> Traceback | None:
    """The error in `text` that explains the others; None when no line says anything that we know.

    An error that only echoes another one (EOFError in the child) is taken when there is nothing else.
    """
    lines = [line[:_LONG] for line in text.splitlines()]
    best: Traceback | None = None
    latest: Traceback | None = None
    frames: deque[Frame] = deque(maxlen=_MOST)
    last = 0
    for number, line in enumerate(lines):
        if _START in line:
            frames.clear()
        match = _FRAME.search(line)
        if match:
            path = match["path"]
            frames.append(Frame(path, int(match["line"]), match["name"], not _LIBRARY.search(path)))
            continue
        cause = cause_of(line) or _in_context(lines, number, frames)
        if cause is None or (frames and _is_code(lines, number)):
            continue
        error = _ERROR.search(line)
        if error is None and number - last < 20 and latest is not None and latest.cause == cause:
            continue  # a message of many lines
        last = number
        notes = []
        for later in lines[number + 1 : number + 40]:
            note = _NOTE.search(later)
            if note is None:
                break
            notes.append(note["what"])
        words = (error["error"] if error else _message(lines, number)).strip()
        latest = Traceback(words, cause, tuple(frames), tuple(notes))
        if best is None or _explains(latest) >= _explains(best):
            best = latest
    return best


def _explains(found: Traceback) -> tuple[bool, bool]:
    return not found.cause.secondary, found.cause.rule is not None


def _in_context(lines: list[str], number: int, frames: Sequence[Frame]) -> Cause | None:
    """The cause of an error whose words say nothing without the frames above it."""
    if not frames:
        return None
    gone = _GONE.search(lines[number])
    if gone and any(re.search(r"\bloads?\(", line) for line in lines[max(0, number - 2) : number]):
        return cause_of(f"Can't get attribute '{gone['name']}' on <module '{gone['module']}'")
    if _CUT_OFF.search(lines[number]) and _PIPES.search(frames[-1].path):
        return cause_of("EOFError: Ran out of input")
    return None


def _message(lines: list[str], number: int) -> str:
    """The first paragraph of an error whose text begins on a line of its own: "RuntimeError: An attempt ..."."""
    names = [n for n in range(max(0, number - 3), number) if re.fullmatch(r"\s*[A-Z]\w*Error:\s*", lines[n])]
    if not names:
        return lines[number]
    last = next((n for n in range(number, len(lines)) if not lines[n].strip()), len(lines))
    return " ".join(line.strip() for line in (lines[names[-1]], *lines[number : min(last, number + 3)]))


def _is_code(lines: list[str], number: int) -> bool:
    """True for the source line that a traceback quotes below a frame."""
    return number > 0 and _FRAME.search(lines[number - 1]) is not None
