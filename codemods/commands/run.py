"""What the commands share: the settings of a run, its rules, and whether it was complete."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from ..problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..delivery.target import Target
    from ..finding import Confidence, Skipped
    from ..rule import Rule
    from ..settings import Settings
    from .options import Launcher, StartMethod


def settings_of(
    where: Target,
    select: list[str] | None,
    ignore: list[str] | None,
    confidence: Confidence | None,
    unsafe_fixes: bool | None,
    launcher: Launcher | None,
    start_method: StartMethod | None,
    cache: bool,
) -> Settings:
    """The settings of the files at `where`, with the flags of the command line put over them. Raises Problem."""
    from ..settings import read_settings, with_flags
    from ..transforms import rules as known

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
    return replace(settings, cache=cache)


def watched_rules(doing: str) -> contextlib.AbstractContextManager[dict[str, Rule]]:
    """The rules to run, with a progress bar on stderr when that is a terminal."""
    if not sys.stderr.isatty():
        from ..transforms import rules as known

        return contextlib.nullcontext(known())
    from ..review.progress import watched

    return watched(doing)


def complete(skipped: Iterable[Skipped]) -> None:
    """Raises Problem when a rule failed: what it would have found is not known."""
    failed = sorted({row.failed for row in skipped if row.failed is not None})
    if failed:
        raise Problem(
            f"rule {', '.join(failed)} failed, so its findings are missing; "
            "please report it, with what SPAWNFIX_DEBUG=1 shows"
        )
