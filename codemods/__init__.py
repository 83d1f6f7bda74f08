"""spawnfix: make PyTorch research code survive spawn, forkserver and distributed launchers."""

from __future__ import annotations

from pathlib import Path

__version__ = "0.1.0"

from .engine.migrate import (  # loaded here, once: later it would put the module in place of the function below
    Plan,
    Report,
)
from .engine.migrate import check as _check
from .engine.migrate import plan as _plan
from .finding import Confidence, Finding, Fix
from .rule import Rule
from .settings import Settings, read_settings
from .transforms import rules

__all__ = ["Confidence", "Finding", "Fix", "Plan", "Report", "Rule", "Settings", "__version__", "check", "migrate"]


def check(path: str | Path, settings: Settings | None = None) -> Report:
    """Every finding in the repository, folder or file `path`, as `spawnfix check` reports them; changes nothing.

    `settings` None: those of the `pyproject.toml` there. Raises `codemods.problem.Problem`.
    """
    from .delivery.target import to_check

    where = to_check(Path(path))
    return _check(where.files, settings or read_settings(where.files, rules()), where.scope)


def migrate(
    path: str | Path,
    settings: Settings | None = None,
    *,
    dry_run: bool = False,
    git: bool = True,
    branch: str | None = None,
    checkout: bool = True,
) -> Plan:
    """Repair what can be repaired in `path`, as `spawnfix migrate` does it, and say what that was.

    On a branch of its own in a git repository, in place with `git=False`; `dry_run` leaves it at the plan, whose
    `contents` are the new bytes by path. Raises `codemods.problem.Problem`.
    """
    from .delivery.deliver import deliver
    from .delivery.target import to_migrate, to_preview

    where = to_preview(Path(path), not git) if dry_run else to_migrate(Path(path), not git)
    plan = _plan(where.files, settings or read_settings(where.files, rules()), where.scope)
    if plan.changes and not dry_run:
        deliver(where, plan, branch, checkout, lambda line: None)
    return plan
