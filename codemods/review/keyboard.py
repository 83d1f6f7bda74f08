"""Single keys from a terminal. What is typed before it is asked for is not lost."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from .. import operating_system

_ENTER, _ERASE, _GIVE_UP = ("\r", "\n"), ("\x7f", "\b"), ("\x1b", "\x04", "")


@contextlib.contextmanager
def single_keys() -> Iterator[None]:
    """While this lasts, keys come one by one and are not echoed; Ctrl-C stays an interrupt."""
    if operating_system.HERE.windows:
        yield
        return
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSADRAIN)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


@contextlib.contextmanager
def as_before() -> Iterator[None]:
    """Inside `single_keys`: the terminal as other programs expect it, for an editor, say."""
    if operating_system.HERE.windows:
        yield
        return
    import termios

    terminal = sys.stdin.fileno()
    ours = termios.tcgetattr(terminal)
    theirs: list[Any] = list(ours)
    theirs[0] |= termios.ICRNL
    theirs[3] |= termios.ECHO | termios.ICANON
    termios.tcsetattr(terminal, termios.TCSADRAIN, theirs)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, ours)


def key() -> str:
    """The next key; more than one character for keys without a character; "" at the end of the input."""
    if operating_system.HERE.windows:
        import msvcrt

        letter = str(getattr(msvcrt, "getwch")())  # noqa: B009  (only there on Windows)
        if letter == "\x03":  # Windows leaves Ctrl-C to us here
            raise KeyboardInterrupt
        return letter + str(getattr(msvcrt, "getwch")()) if letter in ("\0", "\xe0") else letter  # noqa: B009
    import select

    terminal = sys.stdin.fileno()
    data = os.read(terminal, 1)
    if data == b"\x1b":  # an arrow key or the like comes at once, the escape key alone
        while select.select([terminal], [], [], 0.02)[0] and len(data) < 16:
            data += os.read(terminal, 1)
    more = 3 if data[:1] >= b"\xf0" else 2 if data[:1] >= b"\xe0" else 1 if data[:1] >= b"\xc0" else 0
    for _ in range(more):
        data += os.read(terminal, 1)
    return data.decode("utf-8", "replace")


def line(question: str) -> str | None:
    """A line of text after `question`; None when it is given up (Escape, Ctrl-D) or empty."""
    typed = ""
    _show(question)
    while True:
        letter = key()
        if letter in _ENTER or letter in _GIVE_UP:
            _show("\n")
            return typed or None if letter in _ENTER else None
        if letter in _ERASE:
            if typed:
                typed = typed[:-1]
                _show("\b \b")
        elif len(letter) == 1 and letter.isprintable():
            typed += letter
            _show(letter)


def _show(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)
