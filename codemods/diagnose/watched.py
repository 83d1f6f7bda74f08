"""Runs a program of the user in a folder of ours, and notes what it could not send to a spawned process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..delivery.command_run import NOT_RUN, Outcome, run_command
from ..problem import Problem
from .run import diagnose_run

_MOST_NAMED = 3


@dataclass(frozen=True)
class WatchedOutcome(Outcome):
    """How a watched program ended. `faults` are the values that can't be sent, each as `path: error`."""

    faults: frozenset[str] = frozenset()
    starts: int = 0  # of processes, that were looked at

    @property
    def passed(self) -> bool:
        """True when the program ended well and all that it sends can be sent."""
        return self.code == 0 and not self.timed_out and not self.faults

    @property
    def words(self) -> str:
        """The outcome in words: the first faults by name, or how many processes were fine."""
        end = "" if self.code == 0 and not self.timed_out else f", and {self.ending}"
        if self.faults:
            named = sorted(self.faults)[:_MOST_NAMED]
            more = f"; and {len(self.faults) - len(named)} more" if len(self.faults) > len(named) else ""
            return f"can't send to a spawned process {'; '.join(named)}{more}{end}"
        if not self.starts:
            return f"starts no process{end}"
        return f"starts {'a process' if self.starts == 1 else 'processes'} and can send all that is needed there{end}"

    @property
    def caution(self) -> str:
        """What this outcome, as the one before any change, can't show."""
        return "" if self.faults or self.starts else ", so this run shows nothing about the changes"

    @property
    def details(self) -> dict[str, object]:
        """The faults, and how many starts of processes were looked at."""
        return {"faults": sorted(self.faults), "starts": self.starts}

    def worse_than(self, base: Outcome) -> str | None:
        """What is wrong here and was not in `base`: another end, or a fault where `base` ran to its end as well."""
        if base.code == 0 and not base.timed_out:
            if self.code != 0 or self.timed_out:
                return f"the program {self.ending}"
            new = sorted(self.faults - (base.faults if isinstance(base, WatchedOutcome) else frozenset()))
            if new:
                return f"the program can't send {new[0]}"
        return None


def run_watched(command: str, folder: Path, seconds: float) -> WatchedOutcome:
    """`command`, by the shell, in `folder`, with our probe in each Python that it starts.

    What is sent by fork is looked at as if it were sent by spawn. Raises Problem when nothing could be watched.
    """
    ended: list[Outcome] = []

    def execute(words: Sequence[str], environment: Mapping[str, str]) -> int:
        ended.append(run_command(words[0], folder, seconds, environment=environment))
        return ended[-1].code

    try:
        seen = diagnose_run([command], dry_run=True, execute=execute)
    except Problem:  # no Python was started
        if not ended or ended[-1].code not in NOT_RUN:
            raise
        return WatchedOutcome(ended[-1].code, ended[-1].seconds, ended[-1].output)
    outcome = ended[-1]
    faults = frozenset(f"{item.path}: {item.error.partition(' at 0x')[0].strip()}" for item in seen.obstacles)
    return WatchedOutcome(outcome.code, outcome.seconds, outcome.output, outcome.timed_out, None, faults, seen.watched)
