"""Reads what a program prints, to its end and in bounded memory: `python train.py 2>&1 | spawnfix diagnose -`.

What is printed goes on unchanged as it comes. Kept are the first and the last lines, and the lines around everything
that looks like an error, so that neither a log of gigabytes nor an error in its middle is lost.
"""

from __future__ import annotations

import codecs
import contextlib
import re
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from types import FrameType
from typing import BinaryIO

CHUNK = 64 * 1024  # bytes asked for at once
LINE = 64 * 1024  # bytes of one line that are kept; more is data
BEFORE = 1200  # lines kept before an error: a traceback of the deepest recursion
AFTER = 60  # lines kept after it: a message of many lines, notes
HEAD = 200  # lines
MAX_KEPT = 16 * 1024 * 1024  # bytes of the lines around errors; the first and the last of them are kept

# A cheap first look; `causes` knows what an error means.
_SUSPECT = re.compile(
    rb"error|exception|traceback|pickle|bootstrapping|new process before|freeze_support|exited unexpectedly|"
    rb"signal|recursion|expected|unrecognized|re-initialize|cowardly|deepcopy|killed|timed? ?out|"
    rb"already in use|leaked|too many|ancdata|shared memory|broken|keyboardinterrupt|exitcode|no longer alive|"
    rb"not (?:been )?initialized|invalid|process pool|producer process|paging file|get attribute|"
    rb"no such option|gone away|bad record mac|not a database|malformed",
    re.IGNORECASE,
)
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Kept:
    """Lines of a stream that may explain an error. Lines are bytes with their line end."""

    def __init__(self) -> None:
        self._head: list[bytes] = []
        self._recent: deque[bytes] = deque(maxlen=BEFORE)
        self._first: list[bytes] = []  # lines around errors, until half of MAX_KEPT
        self._last: deque[bytes] = deque()  # those after it, the latest half of MAX_KEPT
        self._size = 0  # bytes of the part that is being filled
        self._after = 0  # lines that still belong to the last error
        self.lines = 0
        self.suspects = 0

    def add(self, line: bytes) -> None:
        """Take the next line."""
        self.lines += 1
        line = line[:LINE]
        if self.lines <= HEAD:
            self._head.append(line)
            if _SUSPECT.search(line):
                self.suspects += 1
            return
        if _SUSPECT.search(line):
            self.suspects += 1
            for earlier in self._recent:
                self._keep(earlier)
            self._recent.clear()
            self._keep(line)
            self._after = AFTER
        elif self._after:
            self._after -= 1
            self._keep(line)
        else:
            self._recent.append(line)

    def _keep(self, line: bytes) -> None:
        half = MAX_KEPT // 2
        if not self._last and self._size + len(line) <= half:
            self._first.append(line)
            self._size += len(line)
            return
        if not self._last:
            self._size = 0
        self._last.append(line)
        self._size += len(line)
        while self._size > half and len(self._last) > 1:
            self._size -= len(self._last.popleft())

    def data(self) -> bytes:
        """The kept lines, in their order."""
        return b"".join([*self._head, *self._first, *self._last, *self._recent])


def read_stream(stream: BinaryIO, pass_on: Callable[[bytes], None] | None) -> Kept:
    """Read `stream` to its end, handing each piece to `pass_on` as it comes.

    A first Ctrl-C ends the program that writes, not the reading; a second one ends the reading too.
    """
    kept = Kept()
    rest: list[bytes] = []
    size = 0
    decoder: codecs.IncrementalDecoder | None = None
    begun = False
    with _one_interrupt():
        while piece := _read_some(stream):
            if pass_on is not None:
                pass_on(piece)
            if not begun and piece.startswith(_UTF_16):  # PowerShell; its lines don't end where the bytes say
                decoder = codecs.getincrementaldecoder("utf-16")("replace")
            begun = True
            if decoder is not None:
                piece = decoder.decode(piece).encode("utf-8")
            *lines, last = piece.split(b"\n")
            for line in lines:
                kept.add(b"".join([*rest, line, b"\n"]))
                rest, size = [], 0
            if last and size < LINE:
                rest.append(last)
                size += len(last)
    if rest:
        kept.add(b"".join(rest))
    return kept


def _read_some(stream: BinaryIO) -> bytes:
    """What is there, at once: a line that waits for a full buffer would be seen late."""
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    return read(CHUNK)


@contextlib.contextmanager
def _one_interrupt() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)

    def once(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
