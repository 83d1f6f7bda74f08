"""What other programs may call: the functions behind the commands. `import spawnfix` gives all of it.

Nothing here prints. Errors that a user can cause are raised as `Problem`.
"""

from __future__ import annotations

import io
from pathlib import Path

from .diagnose.report import Diagnosis, Obstacle
from .engine.migrate import Plan, Report
from .finding import Confidence, Edit, Finding, Fix, Hop, Span
from .problem import Problem
from .rule import Rule
from .settings import Settings
from .transforms import rules

__all__ = [
    "Confidence",
    "Diagnosis",
    "Edit",
    "Finding",
    "Fix",
    "Hop",
    "Obstacle",
    "Plan",
    "Problem",
    "Report",
    "Rule",
    "Settings",
    "Span",
    "check",
    "diagnose",
    "explain",
    "migrate",
    "plan",
    "read_settings",
    "rules",
]


def check(path: str | Path, settings: Settings | None = None) -> Report:
    """Every finding in the repository, folder or file `path`, as `spawnfix check` reports them; changes nothing.

    `settings` None: those of the `pyproject.toml` there. Raises Problem.
    """
    from .delivery.target import to_check
    from .engine.migrate import check as find
    from .settings import read_settings as read

    where = to_check(Path(path))
    return find(where.files, settings or read(where.files, rules()), where.scope)


def plan(path: str | Path, settings: Settings | None = None, *, git: bool = True) -> Plan:
    """What `migrate` would do in `path`: `contents` of the plan are the new bytes by path. Changes nothing.

    Raises Problem.
    """
    from .delivery.target import to_preview
    from .engine.migrate import plan as make
    from .settings import read_settings as read

    where = to_preview(Path(path), not git)
    return make(where.files, settings or read(where.files, rules()), where.scope)


def migrate(
    path: str | Path,
    settings: Settings | None = None,
    *,
    dry_run: bool = False,
    git: bool = True,
    branch: str | None = None,
    checkout: bool = True,
) -> Plan:
    """Fix what can be fixed in `path`, as `spawnfix migrate` does it, and return what was done.

    On a branch of its own in a git repository, in place with `git=False`. `dry_run`: as `plan`. Raises Problem.
    """
    if dry_run:
        return plan(path, settings, git=git)
    from .delivery.deliver import deliver
    from .delivery.target import to_migrate
    from .engine.migrate import plan as make
    from .settings import read_settings as read

    where = to_migrate(Path(path), not git)
    done = make(where.files, settings or read(where.files, rules()), where.scope)
    if done.changes:
        deliver(where, done, branch, checkout, lambda line: None)
    return done


def read_settings(path: str | Path) -> Settings:
    """The settings of `[tool.spawnfix]` in the `pyproject.toml` of `path`. Raises Problem when they are wrong."""
    from .delivery.target import to_check
    from .settings import read_settings as read

    return read(to_check(Path(path)).files, rules())


def explain(what: str, path: str | Path | None = None) -> str:
    """The documentation of the rule `what` (Markdown), or what the error text or traceback `what` means.

    `path`: where to look for the cause of an error. Raises Problem for what is neither.
    """
    from .settings import nearest

    known = rules()
    if what in known:
        from .review.documentation import documentation

        return documentation(known[what]).markdown
    if path is None and not any(letter in what for letter in " '\n"):
        raise Problem(f"no rule called {what!r}{nearest(what, known)}")
    from rich.console import Console

    from .diagnose.command import explained
    from .diagnose.show_explanation import show_explanation

    text = io.StringIO()
    show_explanation(explained(what, None if path is None else Path(path)), Console(file=text, highlight=False))
    return text.getvalue()


def diagnose(obj: object, name: str = "obj", *, child: bool = True, seconds: float = 30.0) -> Diagnosis:
    """What keeps `obj` from reaching a spawned worker; `obstacles` of the result is empty when nothing does.

    `name` is what paths begin with. `child`: also start a process that unpickles the object. `seconds`: time limit.
    """
    from .diagnose import probe
    from .diagnose.report import diagnosis_of

    return diagnosis_of(name, probe.diagnose(obj, name, seconds, child))
