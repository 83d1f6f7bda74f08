"""A few steps that belong together, not to be torn apart by Ctrl-C."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C and a polite kill wait until the block is done. Does nothing off the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    known = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in known:
        signal.signal(number, lambda *what: came.append(what))
    try:
        yield
    finally:
        for number, handler in known.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0][0])
