"""What the commands share: the settings of a run, its rules, and whether it was complete."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..problem import Problem
from .output import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..delivery.target import Target
    from ..finding import Confidence, Skipped
    from ..rule import Rule
    from ..settings import Settings
    from .values import Launcher, StartMethod


def settings_of(
    where: Target,
    select: list[str] | None,
    ignore: list[str] | None,
    confidence: Confidence | None,
    unsafe_fixes: bool | None,
    launcher: Launcher | None,
    start_method: StartMethod | None,
    cache: bool,
    allow_local_rules: bool = False,
) -> Settings:
    """The settings of the files at `where`, with the flags of the command line put over them. Raises Problem."""
    from ..settings import local_rule_files, read_settings, with_flags
    from ..transforms import register
    from ..transforms import rules as known

    if allow_local_rules:
        from ..local_rules import local_rules

        register(local_rules(Path(where.files.root), local_rule_files(where.files)))
    settings = with_flags(
        read_settings(where.files, known()),
        known(),
        select=None if select is None else ",".join(select),
        ignore=None if ignore is None else ",".join(ignore),
        confidence=confidence.value if confidence else None,
        unsafe_fixes=unsafe_fixes,
        launcher=launcher.value if launcher else None,
        start_method=start_method.value if start_method else None,
    )
    if settings.local_rules and not allow_local_rules:
        say(f"not run: the rules in {', '.join(settings.local_rules)} (--allow-local-rules runs this code)")
    return replace(settings, cache=cache and not where.brings_cache())


def watched_rules(doing: str) -> contextlib.AbstractContextManager[dict[str, Rule]]:
    """The rules to run, with a progress bar on stderr when that is a terminal."""
    if not sys.stderr.isatty():
        from ..transforms import rules as known

        return contextlib.nullcontext(known())
    from ..review.progress import watched

    return watched(doing)


def complete(skipped: Sequence[Skipped], where: Target, seen: int, report: bool = False) -> None:
    """Raises Problem when it is not known what there is to find: no success of a run may look as if nothing was.

    A rule failed, a file that was named can't be looked at, or none can (`seen`: 0), or, for a `report`, the system
    kept a file from us. Else those in a folder that can't be looked at (Python 2, data) are named, that is all.
    """
    failed = sorted({row.failed for row in skipped if row.failed is not None})
    if failed:
        raise Problem(
            f"rule {', '.join(failed)} failed, so its findings are missing; "
            "please report it, with what SPAWNFIX_DEBUG=1 shows"
        )
    scopes = where.scopes or (where.scope,)
    asked = [row for row in skipped if row.missed and where.covers(row.path)]
    lost = [row for row in asked if (report and row.unread) or row.path in scopes or not seen]
    if lost:
        more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
        raise Problem(f"not looked at: {lost[0].path}: {lost[0].reason}{more}")
