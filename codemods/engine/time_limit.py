"""A limit for the time that a run may take, as long as it has changed nothing."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

GRACE = 10.0  # seconds for the run to end by itself before its process is ended


class TimeIsUp(BaseException):
    """The run took too long. No Exception: nobody who goes on after a failure may catch it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"took longer than {seconds:g} seconds (--timeout); nothing was changed")


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeIsUp in the block after `seconds` (0: never). Where that is not heeded, the process ends with 2."""
    if not seconds:
        yield
        return
    late = threading.Timer(seconds + GRACE, _end, (seconds,))
    late.daemon = True
    late.start()
    try:
        if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
            with _alarm(seconds):
                yield
        else:
            yield
    finally:
        late.cancel()


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeIsUp(seconds)

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _end(seconds: float) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"spawnfix: {TimeIsUp(seconds)}\n")
        sys.stderr.flush()
    os._exit(2)
