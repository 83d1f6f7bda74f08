"""Whether a program first tries to pickle or copy something, and goes another way where that fails."""

from __future__ import annotations

from ...project import Project
from ...syntax.repo import Repo
from ...syntax.tried import Tries
from .crossings import flow_of


def tried(project: Project, path: str, line: int, column: int | None = None) -> str | None:
    """In words, why what is at this position had better stay impossible to pickle; None where nobody counts on it.

    Without a column: objects of the class on this line.
    """
    place = (path, line) if column is None else (path, line, column)
    for call, handler in project.derive(_tried_calls):
        if flow_of(project).pickled_by(call, place):
            return (
                f"{call} tries to pickle or copy it, and the program goes on at {handler} where that fails: with this "
                "fix it would not fail"
            )
    return None


def _tried_calls(project: Project) -> list[tuple[str, str]]:
    """Calls that pickle or copy under every start method, and where the program goes on when one of them refuses."""
    tries = Tries(Repo(project))
    found = ((call, tries.other_way(call)) for call in flow_of(project).pickling_calls())
    return [(call, handler) for call, handler in found if handler is not None]
