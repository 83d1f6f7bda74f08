"""What people see while a batch runs: a live display at a terminal, else one plain line per repository."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from .engines import Event
from .spec import Outcome, Status

if TYPE_CHECKING:
    from rich.text import Text

SHOWN = 6  # repositories at work that are named


class Watcher(Protocol):
    """Hears of everything that happens."""

    def tell(self, event: Event) -> None:
        """`event` happened."""


class _Counts:
    def __init__(self, total: int) -> None:
        self.total = total
        self.by_status = dict.fromkeys((Status.MIGRATED, Status.CLEAN, Status.FAILED, Status.UNCHANGED), 0)
        self.running: dict[str, float] = {}
        self.start = time.monotonic()

    def take(self, event: Event) -> None:
        if event.outcome is None:
            self.running[event.name] = time.monotonic()
        else:
            self.running.pop(event.name, None)
            self.by_status[event.outcome.status] += 1

    @property
    def done(self) -> int:
        return sum(self.by_status.values())

    @property
    def line(self) -> str:
        """`12/60 done (3 migrated, 8 clean, 1 failed), 2 at work, 46 queued, 31/min, 1:29 left`."""
        spent = time.monotonic() - self.start
        rate = self.done / spent if spent and self.done else 0.0
        parts = ", ".join(f"{number} {status}" for status, number in self.by_status.items() if number)
        queued = self.total - self.done - len(self.running)
        line = f"{self.done}/{self.total} done" + (f" ({parts})" if parts else "")
        line += f", {len(self.running)} at work, {max(0, queued)} queued"
        return line + (f", {60 * rate:.0f}/min, {_clock((self.total - self.done) / rate)} left" if rate else "")


@contextlib.contextmanager
def watcher(total: int) -> Iterator[Watcher]:
    """A watcher of a batch of `total` repositories, on stderr."""
    if not sys.stderr.isatty():
        yield Lines(total)
        return
    from rich.console import Console
    from rich.live import Live

    display = _Display(total)
    with Live(display, console=Console(stderr=True), refresh_per_second=4, transient=True):
        yield display


class Lines:
    """A plain line for each repository that is done."""

    def __init__(self, total: int) -> None:
        self._counts = _Counts(total)

    def tell(self, event: Event) -> None:
        self._counts.take(event)
        if event.outcome is not None:
            number = f"{self._counts.done:{len(str(self._counts.total))}}/{self._counts.total}"
            print(f"[{number}] {event.name}: {in_words(event.outcome)}", file=sys.stderr, flush=True)


class _Display:
    """Counts, and who is at work; failures scroll by above."""

    def __init__(self, total: int) -> None:
        self._counts = _Counts(total)
        self._failed: list[str] = []

    def tell(self, event: Event) -> None:
        self._counts.take(event)
        if event.outcome is not None and event.outcome.status == Status.FAILED:
            self._failed = [*self._failed, f"{event.name}: {in_words(event.outcome)}"][-3:]

    def __rich__(self) -> Text:
        from rich.text import Text

        now = time.monotonic()
        longest = sorted(self._counts.running.items(), key=lambda item: item[1])[:SHOWN]
        lines = [Text(self._counts.line, "bold")]
        lines += [
            Text(f"  {name}  {_clock(now - since)}", overflow="ellipsis", no_wrap=True) for name, since in longest
        ]
        lines += [Text(f"  {line}", "red", overflow="ellipsis", no_wrap=True) for line in self._failed]
        return Text("\n").join(lines)


def in_words(outcome: Outcome) -> str:
    """`migrated, 3 fixed, 1 refused (2.1 s)`."""
    if outcome.status == Status.UNCHANGED:
        return "unchanged"
    line = outcome.status.value
    if outcome.status == Status.FAILED:
        line += f": {''.join(letter if letter.isprintable() else '?' for letter in outcome.reason or '')}"
    elif outcome.fixed or outcome.refused:
        line += f", {outcome.fixed} fixed, {outcome.refused} refused"
    return f"{line} ({outcome.seconds:.1f} s)"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
