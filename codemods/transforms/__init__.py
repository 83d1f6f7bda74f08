"""The rules: one folder each, found by being there; those of other distributions, and of a repository that has some."""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import sys
from collections.abc import Iterable
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from ..problem import Problem
from ..rule import Rule

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "spawnfix.rules"  # the group in which other distributions register a `Rule`


_registered: dict[str, Rule] = {}


def register(more: Iterable[Rule]) -> None:
    """Let `rules` name `more` too, for the time of this process. Raises Problem for an id that is taken."""
    for rule in more:
        if rules().get(rule.id, rule) != rule:
            raise Problem(f"two rules are called {rule.id}")
        _registered[rule.id] = rule
        rules.cache_clear()


@cache
def rules() -> dict[str, Rule]:
    """Every rule by id, in the order of the ids.

    Raises Problem when a distribution's rule can't be loaded, is no Rule, or has the id of another rule.
    """
    found: dict[str, Rule] = {}
    for module in pkgutil.iter_modules(__path__):
        rule: Rule = importlib.import_module(f"{__name__}.{module.name}").RULE
        found[rule.id] = rule
    for point in _entry_points():
        origin = f"the rule {point.name} of {point.dist.name if point.dist else 'an installed distribution'}"
        try:
            loaded = point.load()
        except Exception as error:  # the other distribution's own code
            raise Problem(f"{origin} can't be loaded: {type(error).__name__}: {error}") from None
        if not isinstance(loaded, Rule):
            raise Problem(f"{origin} is no spawnfix.Rule: {point.value}")
        if loaded.id in found:
            raise Problem(f"{origin} has the id of another rule: {loaded.id}")
        found[loaded.id] = loaded
    return dict(sorted({**found, **_registered}.items()))


def _entry_points() -> Iterable[EntryPoint]:
    if not _may_be_registered():
        return ()
    from importlib.metadata import entry_points  # slow to import

    return entry_points(group=ENTRY_POINTS)


def _may_be_registered() -> bool:
    """True unless plain files say that no distribution registers a rule. `sys.path` may lead to other things, too."""
    if any(hasattr(finder, "find_distributions") and finder is not PathFinder for finder in sys.meta_path):
        return True
    return any(_registers(Path(place)) for place in sys.path)


def _registers(place: Path) -> bool:
    if place.suffix == ".egg" or place.is_file():
        return True
    try:
        with os.scandir(place) as scan:
            names = [item.name for item in scan if item.name.endswith((".dist-info", ".egg-info", ".egg"))]
    except OSError:
        return False  # nothing is there
    for name in names:
        with contextlib.suppress(OSError):
            if name.endswith(".egg") or ENTRY_POINTS.encode() in (place / name / "entry_points.txt").read_bytes():
                return True
    return False
