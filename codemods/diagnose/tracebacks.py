"""Reads the text that people paste or pipe: which errors are in it, of which process, and which one matters.

Text of several processes is taken apart by the prefixes of its lines. Each line that a known error matches is a hit;
hits of one cause are one report, with the ranks that it was seen on. A report of a cause comes before one of a symptom
(a worker killed, a warning at the end), and both before the echo of another process's error.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, replace
from functools import partial

from .causes import Cause, cause_of
from .frames import Frame, code_after, frame_of, quotes_code
from .normalise import Line, plain_lines
from .roads import on_its_road

_MOST = 1000  # frames above an error; the limit of recursion
_MOST_UNKNOWN = 200  # exceptions of other kinds that are kept, the last ones
_AROUND = 80  # lines of a traceback that an error's context is looked for in
_MIXED = 12  # lines before it that may belong to it too: processes write into each other
_START = "Traceback (most recent call last)"
_ERROR = re.compile(
    r"(?:^|[\s|:\]'\"(<`])(?P<error>(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Interrupt|Exit)\b.*)$"
)
_PLAIN = re.compile(
    r"^(?:\s*(?:(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Interrupt)|SystemExit|Stop(?:Async)?Iteration)"
    r"|(?:[a-z_]\w*\.)+(?:[A-Z]\w*|error|timeout))(?::\s|:?\s*$)"  # with a module, any name: subprocess.TimeoutExpired
)
_NOTE = re.compile(r"when serializing (?P<what>.+?)\s*$")
_NOTE_ITEM = re.compile(r"(?P<type>\S+) item (?P<key>.+)")
_CUT_OFF = re.compile(r"(?:ConnectionResetError|ConnectionRefusedError|BrokenPipeError|EOFError)\b")
_NARROWEST = 60  # columns; shorter lines were not broken by their width
_GOES_ON = re.compile(r"[a-z_]")
_PIPES = re.compile(r"multiprocessing[/\\](?:connection|forkserver|popen_\w+|reduction)\.py$")
_PROGRAM = re.compile(
    r"""\b(?:python[\d.]*(?:\.exe)?|torchrun|accelerate|deepspeed)['"]?[\s,].*?(?P<started>[\w./\\~-]+\.py)(?!\w)"""
    r"""|\busage: (?P<usage>\S+\.py)\b|(?<!\S)(?P<argparse>\S+\.py): error: """
)
_MOST_PROGRAMS = 20
_GONE = re.compile(r"AttributeError: module '(?P<module>[\w.]+)' has no attribute '(?P<name>\w+)'")
_CTRL_C = re.compile(r"\^C\s*Traceback \(most recent call last\)")
_PASSED_ON = re.compile(r"Caught \w+ ?in (?:DataLoader worker|pin memory thread|replica)")
_RANK = re.compile(r"\[(?:PG .*?)?[Rr]ank (?P<rank>\d+)\]|local_rank: (?P<local>\d+)")


@dataclass(frozen=True)
class Traceback:
    """One error: its words, what it means, the frames that led to it (outermost first), Python 3.14's notes."""

    error: str
    cause: Cause
    frames: tuple[Frame, ...] = ()
    notes: tuple[str, ...] = ()
    streams: tuple[str, ...] = ()  # processes that printed it, as the prefixes name them
    ranks: tuple[int, ...] = ()
    count: int = 1  # how often it stands in the text
    line: int = 0  # where in the text, 0-based
    quoted: bool = False  # a source line that a traceback shows, not the error itself
    passed_on: tuple[Frame, ...] = ()  # of the worker that raised it, where this error only passes one on, whose
    # own line is missing

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


@dataclass(frozen=True)
class Unknown:
    """An exception that has nothing to do with starting processes, as far as we know."""

    error: str
    frames: tuple[Frame, ...] = ()

    @property
    def is_interrupt(self) -> bool:
        """True for Ctrl-C."""
        return "KeyboardInterrupt" in self.error


@dataclass(frozen=True)
class Log:
    """What a text says: the errors that are known, those that matter first; the other exceptions, the last one last."""

    known: tuple[Traceback, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    programs: tuple[str, ...] = ()  # paths of scripts that the text shows being started
    frames: tuple[Frame, ...] = ()  # of the last traceback
    stopped: bool = False  # the terminal shows Ctrl-C in front of a traceback

    @property
    def main(self) -> Traceback | None:
        """The error that explains the others; None when no line says anything that we know."""
        return self.known[0] if self.known else None

    @property
    def others(self) -> tuple[Traceback, ...]:
        """Further errors with a cause of their own, not echoes of the first one."""
        return tuple(item for item in self.known[1:] if not item.quoted and not self._is_echo(item.cause))

    def _is_echo(self, cause: Cause) -> bool:
        """True where another error, or the first one in more general words, says the same."""
        same = bool(self.known[0].cause.rule) and cause.rule == self.known[0].cause.rule
        return cause.secondary or _is_symptom(cause) or (same and cause.known is not None and cause.known.general)


def read_traceback(text: str) -> Traceback | None:
    """The error in `text` that explains the others; None when no line says anything that we know.

    An error that only echoes another one (EOFError in the child) is taken when there is nothing else.
    """
    return read_log(text).main


def read_log(text: str) -> Log:
    """All errors in `text`, those of one cause as one."""
    streams: dict[str, list[tuple[int, Line]]] = {}
    for number, line in enumerate(plain_lines(text)):
        streams.setdefault(line.stream, []).append((number, line))
    hits = _Hits()
    programs: dict[str, None] = {}
    unknown: list[tuple[int, Unknown]] = []
    frames: tuple[Frame, ...] = ()
    for stream, rows in streams.items():
        reader = _Stream(stream, rows, hits, programs)
        reader.read()
        unknown += reader.unknown
        frames = reader.frames or frames
    unknown.sort(key=lambda row: row[0])
    stopped = _CTRL_C.search(text) is not None
    return Log(hits.reports(), tuple(item for _, item in unknown), tuple(programs), frames, stopped)


@dataclass(frozen=True)
class _Hit:
    found: Traceback

    @property
    def order(self) -> tuple[bool, ...]:
        """What explains most comes first."""
        cause = self.found.cause
        known = cause.known
        question, harmless = known is not None and known.question, known is not None and known.harmless
        general = known is not None and known.general and cause.rule is None
        return (self.found.quoted, harmless, cause.secondary, question, _is_symptom(cause), general, cause.rule is None)

    @property
    def within_group(self) -> tuple[object, ...]:
        """What the best of equal hits has: a cause that is not general, frames, the last place in the text."""
        known = self.found.cause.known
        return (*self.order, known is not None and known.general, not self.found.frames, -self.found.line)


class _Hits:
    """The best hit for each cause, name and type: a log may have an error a million times."""

    def __init__(self) -> None:
        self._best: dict[tuple[object, ...], _Hit] = {}

    def add(self, hit: _Hit) -> None:
        """Take the next hit."""
        cause = hit.found.cause
        key = (cause.rule, cause.type, cause.name) if cause.type or cause.name else (cause.rule, cause.what)
        before = self._best.get(key)
        if before is None:
            self._best[key] = hit
            return
        best, other = (before, hit) if before.within_group <= hit.within_group else (hit, before)
        found = replace(
            best.found,
            streams=tuple(dict.fromkeys((*before.found.streams, *hit.found.streams))),
            ranks=tuple(sorted({*best.found.ranks, *other.found.ranks})),
            count=best.found.count + other.found.count,
        )
        self._best[key] = _Hit(found)

    def reports(self) -> tuple[Traceback, ...]:
        """One report for each; those that explain most first, of equal ones the last in the text."""
        hits = sorted(self._best.values(), key=lambda hit: (hit.order, -hit.found.line))
        return tuple(hit.found for hit in hits)


class _Stream:
    """Reads the lines of one process, or of several that are not told apart."""

    def __init__(self, stream: str, rows: list[tuple[int, Line]], hits: _Hits, programs: dict[str, None]) -> None:
        self._stream = stream
        self._hits = hits
        self._programs = programs
        self._rows = rows
        self._lines = [line.text for _, line in rows]
        self._frames: deque[Frame] = deque(maxlen=_MOST)
        self._start = 0  # the line where the traceback begins
        self._begun = False  # there was one
        self.unknown: deque[tuple[int, Unknown]] = deque(maxlen=_MOST_UNKNOWN)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """Those of the last traceback."""
        return tuple(self._frames)

    def read(self) -> None:
        """Add the errors of all lines to the hits."""
        last, latest = 0, None
        unfinished: deque[tuple[int, _Hit]] = deque(maxlen=_MOST_UNKNOWN)
        for number, text in enumerate(self._lines):
            if _START in text:
                self._frames.clear()
                self._start = number
                self._begun = True
            if not text.strip():
                continue
            frame = frame_of(text, partial(self._below, number))
            if frame is not None:
                self._frames.append(frame)
                text = code_after(text)
                if not text:
                    continue
            elif ".py" in text and len(self._programs) < _MOST_PROGRAMS:
                program = _PROGRAM.search(text)
                if program is not None and program.lastgroup is not None:
                    self._programs.setdefault(program[program.lastgroup])
            cause = self._cause(number, text)
            if cause is None or cause.known is None or cause.known.general:
                text, cause = self._wrapped(number, text, cause)
            if cause is None:
                self._look_at_unknown(number, text)
                continue
            in_code = frame is not None or self._is_code(number)
            error = _ERROR.search(text)
            if error is None and number - last < 20 and latest is not None and latest.cause == cause:
                continue  # a message of many lines
            last = number
            latest = replace(self._traceback(number, text, cause, error), quoted=in_code)
            hit = _Hit(latest)
            if cause.known is not None and cause.known.unfinished:
                unfinished.append((number, hit))
            else:
                self._hits.add(hit)
        for number, hit in unfinished:
            if not self._has_end(number):
                self._hits.add(hit)

    def _has_end(self, number: int) -> bool:
        """True where the traceback around the line `number` goes on to the line of its error."""
        for later in range(number + 1, min(number + _AROUND, len(self._lines))):
            if _START in self._lines[later]:
                return False
            if _PLAIN.match(self._lines[later]) and not self._is_code(later):
                return True
        return False

    def _below(self, number: int) -> str:
        return "\n".join(self._lines[number + 1 : number + 12])

    def _cause(self, number: int, text: str) -> Cause | None:
        begin = max(min(self._start, number - _MIXED), number - _AROUND, 0)
        end = number + (_MIXED if self._begun else _AROUND)  # above all tracebacks it is a title: they follow
        return cause_of(text, lambda: "\n".join(self._lines[begin:end])) or self._in_context(number)

    def _wrapped(self, number: int, text: str, cause: Cause | None) -> tuple[str, Cause | None]:
        """The line `text` with the next one and their cause, where a terminal or mail broke a message in two."""
        below = self._lines[number + 1] if number + 1 < len(self._lines) else ""
        if len(text) < _NARROWEST or not _GOES_ON.match(below) or self._cause(number + 1, below) is not None:
            return text, cause
        for whole in (f"{text.rstrip()} {below}", f"{text}{below}"):
            found = self._cause(number, whole)
            if found is not None and found != cause and not (found.known and found.known.general):
                return whole, found
        return text, cause

    def _in_context(self, number: int) -> Cause | None:
        """The cause of an error whose words say nothing without the frames above it."""
        text = self._lines[number]
        if not self._frames:
            return None
        gone = _GONE.search(text)
        if gone and any(re.search(r"\bloads?\(", line) for line in self._lines[max(0, number - 2) : number]):
            return cause_of(f"Can't get attribute '{gone['name']}' on <module '{gone['module']}'")
        if _CUT_OFF.search(text) and _PIPES.search(self._frames[-1].path):
            return cause_of("EOFError: Ran out of input")
        return None

    def _is_code(self, number: int) -> bool:
        """True for a source line that a traceback quotes below a frame, or with its number."""
        text = self._lines[number]
        above = number > 0 and frame_of(self._lines[number - 1]) is not None
        return (above and not _PLAIN.match(text)) or quotes_code(text)

    def _traceback(self, number: int, text: str, cause: Cause, error: re.Match[str] | None) -> Traceback:
        notes = []
        for later in self._lines[number + 1 : number + 40]:
            note = _NOTE.search(later)
            if note is None:
                break
            notes.append(note["what"])
        words = (error["error"] if error else _message(self._lines, number)).strip()
        line = self._rows[number][1]
        rank = _RANK.search(text)
        ranks = [line.rank] if line.rank is not None else [int(rank["rank"] or rank["local"])] if rank else []
        streams = (self._stream,) if self._stream else ()
        begin = max(self._start, number - _AROUND)
        cause = on_its_road(cause, words, self._frames or self._frames_below(number), self._lines[begin:number])
        return Traceback(
            words,
            cause,
            tuple(self._frames),
            tuple(notes),
            streams,
            tuple(ranks),
            line=self._rows[number][0],
            passed_on=self._frames_passed_on(number) if _PASSED_ON.search(text) else (),
        )

    def _frames_below(self, number: int) -> tuple[Frame, ...]:
        """The frames below an error that stands above all tracebacks, as a title, where no other error ends them."""
        if self._begun:
            return ()
        frames = []
        for later in range(number + 1, min(number + _AROUND, len(self._lines))):
            frame = frame_of(self._lines[later])
            if frame is not None:
                frames.append(frame)
            elif frames and _PLAIN.match(self._lines[later]) and not self._is_code(later):
                return ()
        return tuple(frames)

    def _frames_passed_on(self, number: int) -> tuple[Frame, ...]:
        """The frames of the worker's traceback below the line that passes its error on; none where that is whole."""
        frames: list[Frame] = []
        begun = False
        for later in range(number + 1, min(number + _AROUND, len(self._lines))):
            frame = frame_of(self._lines[later])
            if frame is not None:
                frames.append(frame)
            elif _START in self._lines[later]:
                if begun:
                    break
                begun = True
            elif _PLAIN.match(self._lines[later]) and not self._is_code(later):
                return ()
        return tuple(frames) if begun else ()

    def _look_at_unknown(self, number: int, text: str) -> None:
        if not (self._frames or self._begun) and (text[:1].isspace() or ": " not in text):
            return  # a traceback, or a line that is nothing else than an error with its message
        match = _PLAIN.match(text)
        if match and not self._is_code(number):
            frames = tuple(self._frames) or self._frames_below(number)
            self.unknown.append((self._rows[number][0], Unknown(text.strip(), frames)))


def _is_symptom(cause: Cause) -> bool:
    return cause.known is not None and cause.known.symptom


def _message(lines: list[str], number: int) -> str:
    """The first paragraph of an error whose text begins on a line of its own: "RuntimeError: An attempt ..."."""
    names = [n for n in range(max(0, number - 3), number) if re.fullmatch(r"\s*[A-Z]\w*Error:\s*", lines[n])]
    if not names:
        return lines[number]
    below = lines[number : number + 3]
    last = next((n for n, line in enumerate(below) if not line.strip()), len(below))
    return " ".join(line.strip() for line in (lines[names[-1]], *below[:last]))
