"""Whether a program first tries to pickle or copy something, and goes another way where that fails."""

from __future__ import annotations

from ...project import Project
from ...syntax.tried import WOULD_NOT_FAIL, asked_before, tried_at
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


def handled(project: Project, place: tuple[str | int, ...], boundary: str, saves: bool) -> bool:
    """The program comes to the boundary, as `path:line`, only where pickling what is at the place did not fail before.

    `saves`: that goes to no other process; the program handles that it fails there.
    """
    tries = [call for call in flow_of(project).pickled_by(place) if tried_at(project, call) is not None]
    return (saves and boundary in tries) or any(asked_before(project, call, boundary) for call in tries)
