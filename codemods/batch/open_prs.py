"""Scripts that open a pull request for each migrated repository: `open-prs.sh` and `open-prs.ps1`.

They are for a person to read and to run. Names come from repositories and lists, so each is quoted.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .ledger import Row, State
from .spec import Status

_URL = re.compile(r"(?:https?://|ssh://)?(?:[\w.-]+@)?([\w.-]+)(?::\d+)?[/:]((?:[\w.-]+/)*[\w.-]+?)(?:\.git)?/?")


_TITLE = "Values that can't be pickled no longer reach worker processes"
_READ_IT = "# Opens a pull request for each repository. Read it, take out what you don't want, run it here.\n"


@dataclass(frozen=True)
class _Shell:
    """How a script is written: what begins it, a word quoted, the text of a file as one word."""

    head: str
    quoted: Callable[[str], str]
    content: Callable[[str], str]


@dataclass(frozen=True)
class _Request:
    """One pull request: repository `project` on `host`, from `branch`."""

    name: str
    host: str
    project: str
    branch: str
    pushed: bool

    def lines(self, shell: _Shell) -> list[str]:
        """The command lines, to be run in the folder of the batch."""
        folder, body = f"repos/{self.name}", f"repos/{self.name}/pull-request.md"
        url = f"https://{self.host}/{self.project}"
        rows: list[list[str]] = []
        if not self.pushed:
            clone = f"clones/{self.name}"
            rows += [
                ["git", "clone", "--quiet", f"{url}.git", clone],
                ["git", "-C", clone, "fetch", f"../../{folder}/branch.bundle", f"{self.branch}:{self.branch}"],
                ["git", "-C", clone, "push", "origin", self.branch],
            ]
        if "gitlab" in self.host:
            create = ["glab", "mr", "create", "--repo", url, "--source-branch", self.branch, "--title", _TITLE, "--yes"]
            last = f"{_line(create, shell)} --description {shell.content(body)}"
        else:
            create = ["gh", "pr", "create", "--repo", f"{self.host}/{self.project}", "--head", self.branch]
            last = _line([*create, "--title", _TITLE, "--body-file", body], shell)
        return [*(_line(row, shell) for row in rows), last]


def scripts(rows: Iterable[Row]) -> dict[str, str]:
    """The text of both scripts by name; local repositories, and those on hosts that we can't name, are left out."""
    requests = [request for row in rows if (request := _request(row)) is not None]
    posix = _Shell(
        f'#!/bin/sh\n{_READ_IT}set -eu\ncd "$(dirname "$0")"\n',
        shlex.quote,
        lambda path: f'"$(cat {shlex.quote(path)})"',
    )
    powershell = _Shell(
        f"{_READ_IT}$ErrorActionPreference = 'Stop'\nSet-Location $PSScriptRoot\n",
        _powershell,
        lambda path: f"(Get-Content -Raw -Encoding utf8 {_powershell(path)})",
    )
    return {"open-prs.sh": _script(requests, posix), "open-prs.ps1": _script(requests, powershell)}


def _request(row: Row) -> _Request | None:
    outcome = row.outcome
    if outcome is None or row.state is not State.DONE or outcome.status != Status.MIGRATED or outcome.branch is None:
        return None
    place = _URL.fullmatch(outcome.pushed or row.source)
    if place is None or "." not in place[1] or "/" not in place[2]:
        return None
    return _Request(row.name, place[1], place[2], outcome.branch, outcome.pushed is not None)


def _script(requests: Sequence[_Request], shell: _Shell) -> str:
    parts = ["\n".join(["", *request.lines(shell), ""]) for request in requests]
    return shell.head + ("".join(parts) or "\n# No repository was migrated that has an address on a server.\n")


def _line(command: Sequence[str], shell: _Shell) -> str:
    return " ".join([command[0], *map(shell.quoted, command[1:])])


def _powershell(text: str) -> str:
    """`text` as one word of PowerShell: nothing but a single quote means anything between single quotes."""
    for quote in "'\u2018\u2019\u201a\u201b":  # PowerShell takes all of these for single quotes
        text = text.replace(quote, quote * 2)
    return f"'{text}'"
