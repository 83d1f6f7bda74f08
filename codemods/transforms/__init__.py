"""The rules: one folder each, found by being there; those of other distributions, and of a repository that has some."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points

from ..problem import Problem
from ..rule import Rule

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
    for point in entry_points(group=ENTRY_POINTS):
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
