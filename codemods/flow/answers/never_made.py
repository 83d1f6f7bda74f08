"""Classes of which no program of the repository makes objects."""

from __future__ import annotations

from ...syntax.never_named import never_named
from ...syntax.repo import Repo
from .crossing import Crossing
from .crossings import flow_of


def never_made(repo: Repo, crossing: Crossing) -> bool:
    """Only the class of what crosses says that it does, nothing names that class, and no call is seen that makes it."""
    if crossing.boundary or not crossing.trace:
        return False
    end = crossing.trace[-1]  # the class, where no call is seen
    return never_named(repo, end.path, end.line) and not flow_of(repo.project).may_be_made(end.path, end.line)
