"""The table of process_state.toml: what sets each state of a process, and what depends on it."""

from __future__ import annotations

import pkgutil
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class State:
    """A row of the table, which documents the fields."""

    name: str
    what: str
    sets: frozenset[str]
    reads: frozenset[str]
    below: tuple[str, ...]  # those of `reads` that end with a dot
    besides: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    but: frozenset[str] = frozenset()
    keyword: str = ""
    with_one: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    stops: frozenset[str] = frozenset()
    arguments: int = 0
    linked: bool = False
    seeded: bool = False
    shown: bool = False
    lasting: bool = False
    default: str = "has the default"
    advice: str = ""


@cache
def states() -> tuple[State, ...]:
    """The rows. Raises ValueError for one without a source, or with a field that is not known."""
    text = (pkgutil.get_data(__name__.rpartition(".")[0], "process_state.toml") or b"").decode()
    return tuple(_state(name, dict(row)) for name, row in tomllib.loads(text).items())


def _state(name: str, row: dict[str, Any]) -> State:
    source, what, sets, reads = (row.pop(key, None) for key in ("source", "what", "sets", "reads"))
    several = ("besides", "values", "but", "with_one", "silent", "stops")
    more: dict[str, Any] = {key: frozenset(row.pop(key)) for key in several if key in row}
    plain = ("keyword", "linked", "seeded", "shown", "lasting", "arguments", "default", "advice")
    more |= {key: row.pop(key) for key in plain if key in row}
    if row or not (source and what and sets and reads):
        raise ValueError(f"process_state.toml: [{name}] needs `source`, `what`, `sets` and `reads`, and knows no {row}")
    prefixes = tuple(each for each in reads if each.endswith("."))
    return State(name, what, frozenset(sets), frozenset(reads), prefixes, **more)


@cache
def _by_read() -> dict[str, list[State]]:
    found: dict[str, list[State]] = {}
    for state in states():
        for name in state.reads:
            found.setdefault(name, []).append(state)
    return found


def read_by(mark: str) -> list[State]:
    """The states that what the table calls `mark` depends on."""
    return _by_read().get(mark) or [
        state for state in states() if state.below and mark.startswith(state.below) and mark not in state.besides
    ]
