"""What is known of each repository of a batch, in SQLite: survives a kill at any moment, one row per repository.

Only the process that runs the batch writes. A finished row goes in after the files that it speaks of are in place.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from ..problem import Problem
from .repos import Repo
from .spec import Outcome, Status

FILE = "ledger.sqlite3"
_FORMAT = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS repos (
    name TEXT PRIMARY KEY,
    source TEXT NOT NULL,            -- without passwords
    ref TEXT,
    position INTEGER,                -- in the list of the last run; NULL: not in it
    state TEXT NOT NULL,             -- queued | running | done
    commit_id TEXT,
    settings TEXT,                   -- digest of the flags that the result was made with
    version TEXT,                    -- of the program that made it
    status TEXT,                     -- migrated | clean | failed
    attempts INTEGER NOT NULL DEFAULT 0,
    finished REAL,                   -- seconds since 1970
    outcome TEXT                     -- the rest of the result, JSON
);
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT);
"""


class State(str, Enum):
    """How far a repository has got, as the ledger has it."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"


@dataclass(frozen=True)
class Row:
    """One repository in the ledger; `outcome` is None until it is done."""

    name: str
    source: str
    ref: str | None
    state: State
    settings: str | None
    version: str | None
    attempts: int
    outcome: Outcome | None


class Ledger:
    """The ledger of the batch in `folder`, made where there is none (with `must_exist`: raises Problem)."""

    def __init__(self, folder: Path, must_exist: bool = False) -> None:
        path = folder / FILE
        if must_exist and not path.is_file():
            raise Problem(f"{folder}: no batch was run there")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=30, isolation_level=None)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            found = self._database.execute("PRAGMA user_version").fetchone()[0]
            if found not in (0, _FORMAT):
                raise Problem(f"{path}: written by another version of spawnfix; use another --out")
            self._database.executescript(_SCHEMA)
            self._database.execute(f"PRAGMA user_version={_FORMAT}")
        except (sqlite3.Error, OSError) as error:
            raise Problem(f"{path}: can't be used: {error}") from None

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield self._database
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def enlist(self, repos: Iterable[Repo], about: dict[str, str]) -> None:
        """Make `repos` the list of this batch. Rows of the same repository stay; what was running is queued again."""
        with self._transaction() as database:
            database.execute("UPDATE repos SET position = NULL")
            for position, repo in enumerate(repos):
                database.execute(
                    "INSERT INTO repos (name, source, ref, position, state) VALUES (?, ?, ?, ?, 'queued') "
                    "ON CONFLICT (name) DO UPDATE SET position = excluded.position",
                    (repo.name, repo.source, repo.ref, position),
                )
                database.execute(  # the name meant another repository before, or another commit of it
                    "UPDATE repos SET source = ?, ref = ?, state = 'queued', status = NULL, outcome = NULL, "
                    "commit_id = NULL, attempts = 0 WHERE name = ? AND (source != ? OR ref IS NOT ?)",
                    (repo.source, repo.ref, repo.name, repo.source, repo.ref),
                )
            database.execute("UPDATE repos SET state = 'queued' WHERE state = 'running'")
            database.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", about.items())

    def about(self) -> dict[str, str]:
        """Facts about the batch as a whole."""
        return dict(self._database.execute("SELECT key, value FROM about"))

    def note(self, about: dict[str, str]) -> None:
        """Put facts about the batch as a whole down."""
        with self._transaction() as database:
            database.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", about.items())

    def rows(self) -> list[Row]:
        """The repositories of the last list, in its order."""
        query = (
            "SELECT name, source, ref, state, settings, version, attempts, outcome FROM repos "
            "WHERE position IS NOT NULL ORDER BY position"
        )
        return [
            replace(
                Row(*values),
                state=State(values[3]),
                outcome=Outcome.from_json(json.loads(values[-1])) if values[-1] else None,
            )
            for values in self._database.execute(query)
        ]

    def start(self, name: str) -> None:
        """`name` is being worked on; what was known of it stays until there is something new."""
        self._database.execute("UPDATE repos SET state = 'running', attempts = attempts + 1 WHERE name = ?", (name,))

    def queue(self, names: Iterable[str]) -> None:
        """These are to be done in this run."""
        with self._transaction() as database:
            database.executemany("UPDATE repos SET state = 'queued' WHERE name = ?", ((name,) for name in names))

    def forget(self, name: str) -> None:
        """The files of `name` are about to be replaced: after a kill in between its result does not hold any more."""
        self._database.execute("UPDATE repos SET settings = NULL WHERE name = ? AND state != 'done'", (name,))

    def finish(self, name: str, outcome: Outcome, settings: str, version: str) -> bool:
        """Record the one result of `name` in this run; False (and nothing is written) when it has one already."""
        if outcome.status == Status.UNCHANGED:
            query = "UPDATE repos SET state = 'done' WHERE name = ? AND state != 'done'"
            return self._database.execute(query, (name,)).rowcount == 1
        kept = {**outcome.to_json(), "files": dict.fromkeys(sorted(outcome.files), "")}
        done = self._database.execute(
            "UPDATE repos SET state = 'done', commit_id = ?, settings = ?, version = ?, status = ?, finished = ?, "
            "outcome = ? WHERE name = ? AND state != 'done'",
            (outcome.commit, settings, version, outcome.status, time.time(), json.dumps(kept), name),
        )
        return done.rowcount == 1


def still_good(row: Row, settings: str, version: str) -> str | None:
    """The commit for which the result of `row` still holds, None where it has none or it was a failure."""
    if row.outcome is None or row.outcome.status == Status.FAILED or (row.settings, row.version) != (settings, version):
        return None
    return row.outcome.commit
