"""What a diagnosis says, and its JSON form: a contract (docs/guides/diagnose.md)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .causes import Cause, cause_of


@dataclass(frozen=True)
class Place:
    """A line of source: `path` is absolute; `user` is False in the standard library and in installed packages."""

    path: str
    line: int
    user: bool = True

    @property
    def shown(self) -> str:
        """The path as one types it from here, with forward slashes."""
        return near(self.path)


# The frames that such an error ends under multiprocessing, which rows ask for that could mean other things.
_FRAMES = {
    "parent": "multiprocessing/reduction.py: ForkingPickler(file, protocol).dump(obj)",
    "child": "multiprocessing/spawn.py, in spawn_main: reduction.pickle.load(from_parent)",
}


@dataclass(frozen=True)
class Obstacle:
    """One value that can't reach a worker. `path` leads to it, as Python; `error` is the interpreter's."""

    path: str
    type: str
    error: str
    assigned_at: Place | None = None
    defined_at: Place | None = None
    payload_bytes: int = 0
    side: str = "parent"  # or "child": it is sent, and fails there
    context: str = ""  # what was being started, in a run that was watched
    started_at: Place | None = None
    more: int = 0  # others like it that are not listed
    read_cause: Cause | None = None  # where the text around the error says more than its words
    ranks: tuple[int, ...] = ()  # that printed it

    @property
    def cause(self) -> Cause | None:
        """What the error means; None when it is not known."""
        return self.read_cause or cause_of(self.error, f"{_FRAMES[self.side]}\n{self.error}")

    @property
    def rule(self) -> str | None:
        """The rule that fixes it, if any."""
        return None if self.cause is None else self.cause.rule


@dataclass(frozen=True)
class Weight:
    """`bytes` of the pickle, and of shared memory, are below `path`."""

    path: str
    bytes: int
    shared_bytes: int = 0


@dataclass(frozen=True)
class Diagnosis:
    """What was found about `target`."""

    target: str
    obstacles: tuple[Obstacle, ...] = ()
    payload_bytes: int = 0
    shared_bytes: int = 0
    payload: tuple[Weight, ...] = ()
    notes: tuple[str, ...] = ()
    unfinished: str | None = None  # why not everything was looked at
    python: str = ""
    exit_code: int | None = None  # of the program, when one was run
    watched: int = 0  # starts of processes that were looked at
    root: str = field(default_factory=os.getcwd)

    def to_json(self) -> dict[str, Any]:
        """The object that `diagnose --format json` prints and `--save` writes."""
        return {
            "target": self.target,
            "picklable": not self.obstacles,
            "problems": [_problem(item) for item in self.obstacles],
            "payload_bytes": self.payload_bytes,
            "shared_bytes": self.shared_bytes,
            "payload": [{"path": w.path, "bytes": w.bytes, "shared_bytes": w.shared_bytes} for w in self.payload],
            "notes": list(self.notes),
            "unfinished": self.unfinished,
            "python": self.python,
            "root": Path(self.root).as_posix(),
        }


def near(path: str) -> str:
    """`path` relative to the current folder when it is below it, else as it is; with forward slashes."""
    here = Path.cwd()
    full = Path(path)
    for base in (here, here.resolve()):
        try:
            return full.relative_to(base).as_posix()
        except ValueError:
            continue
    return full.as_posix()


def _problem(each: Obstacle) -> dict[str, Any]:
    cause = each.cause
    return {
        "path": each.path,
        "type": each.type,
        "error": each.error,
        "rule": each.rule,
        "assigned_at": _place(each.assigned_at),
        "payload_bytes": each.payload_bytes,
        "defined_at": _place(each.defined_at),
        "side": each.side,
        "context": each.context or None,
        "started_at": _place(each.started_at),
        "more": each.more,
        "cause": cause and cause.what,
        "advice": cause and cause.advice,
        "reference": (cause.known.reference if cause and cause.known else "") or None,
        "ranks": list(each.ranks),
    }


def _place(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else {"path": place.shown, "line": place.line}


def place_of(row: Mapping[str, Any] | None) -> Place | None:
    """A place as the probe writes it."""
    return None if row is None else Place(row["path"], row["line"], row.get("user", True))


def obstacle_of(row: Mapping[str, Any], context: str = "", started_at: Place | None = None) -> Obstacle:
    """A problem as the probe writes it."""
    return Obstacle(
        row["path"],
        row["type"],
        row["error"],
        place_of(row["assigned_at"]),
        place_of(row["defined_at"]),
        row["payload_bytes"],
        row["side"],
        context,
        started_at,
        row["more"],
    )


def diagnosis_of(target: str, result: Mapping[str, Any]) -> Diagnosis:
    """The probe's result for one object."""
    return Diagnosis(
        target,
        tuple(obstacle_of(row) for row in result["problems"]),
        result["payload_bytes"],
        result["shared_bytes"],
        weights(result["payload"]),
        tuple(result["notes"]),
        result["unfinished"],
        result.get("python", ""),
    )


def weights(rows: Sequence[Mapping[str, Any]]) -> tuple[Weight, ...]:
    """The payload as the probe writes it, the heaviest first."""
    found = (Weight(row["path"], row["bytes"], row["shared_bytes"]) for row in rows)
    return tuple(sorted(found, key=lambda weight: -(weight.bytes + weight.shared_bytes)))
