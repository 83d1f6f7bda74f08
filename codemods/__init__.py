"""spawnfix: make PyTorch research code survive spawn, forkserver and distributed launchers."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .engine.migrate import Plan, Report
    from .finding import Confidence, Finding, Fix
    from .rule import Rule
    from .settings import Settings

__version__ = "0.1.0"
__all__ = ["Confidence", "Finding", "Fix", "Plan", "Report", "Rule", "Settings", "__version__", "check", "migrate"]

# Loaded when they are first asked for: `spawnfix --version` needs none of them.
_PLACES = {
    "Confidence": "finding",
    "Finding": "finding",
    "Fix": "finding",
    "Plan": "engine.migrate",
    "Report": "engine.migrate",
    "Rule": "rule",
    "Settings": "settings",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
    globals()[name] = value
    return value


def check(path: str | Path, settings: Settings | None = None) -> Report:
    """Every finding in the repository, folder or file `path`, as `spawnfix check` reports them; changes nothing.

    `settings` None: those of the `pyproject.toml` there. Raises `codemods.problem.Problem`.
    """
    from .delivery.target import to_check
    from .engine.migrate import check as find
    from .settings import read_settings
    from .transforms import rules

    where = to_check(Path(path))
    return find(where.files, settings or read_settings(where.files, rules()), where.scope)


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
    from .engine.migrate import plan
    from .settings import read_settings
    from .transforms import rules

    where = to_preview(Path(path), not git) if dry_run else to_migrate(Path(path), not git)
    done = plan(where.files, settings or read_settings(where.files, rules()), where.scope)
    if done.changes and not dry_run:
        deliver(where, done, branch, checkout, lambda line: None)
    return done
