"""Classes of which no program of the repository makes objects."""

from __future__ import annotations

from ...syntax.never_named import never_named
from ...syntax.repo import Repo
from .crossings import flow_of


def never_made(repo: Repo, path: str, line: int) -> bool:
    """Nothing names the class that begins there, and no call is seen that may make one of its objects."""
    return never_named(repo, path, line) and not flow_of(repo.project).may_be_made(path, line)
