"""Whether a program first tries to pickle or copy something, and goes another way where that fails."""

from __future__ import annotations

from ...project import Project
from ...syntax.tried import WOULD_NOT_FAIL, tried_at
from .crossings import flow_of


def tried(project: Project, path: str, line: int, column: int | None = None) -> str | None:
    """In words, why what is at this position had better stay impossible to pickle; None where nobody counts on it.

    Without a column: objects of the class on this line.
    """
    place = (path, line) if column is None else (path, line, column)
    flow = flow_of(project)
    for call in flow.pickled_by(place):
        if (found := tried_at(project, call)) is not None:
            return f"{found}: {WOULD_NOT_FAIL}"
    return None
