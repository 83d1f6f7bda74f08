"""`migrate --decisions FILE` and `--interactive`: from the whole plan to what was accepted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..engine.selection import Selector
from ..engine.units import Units
from ..problem import Problem
from ..review.decided import decide, told
from ..review.decisions import Decisions, read_decisions
from ..review.model import review_of
from .output import say

if TYPE_CHECKING:
    from ..delivery.target import Target
    from ..engine.results import Plan
    from ..rule import Rule
    from ..settings import Settings


def selected(
    plan: Plan, where: Target, settings: Settings, rules: Mapping[str, Rule], file: Path | None, interactive: bool
) -> Plan:
    """What is left of `plan` after the decisions in `file`, or those that are taken now. Raises Problem."""
    units = Units(plan)
    review = review_of(units, where.files)
    selector = Selector(units, where.files, settings, where.scope, rules)
    if interactive:
        raise Problem("not yet")
    decisions = Decisions() if file is None else read_decisions(file)
    decided = decide(review, selector, decisions)
    for line in told(decided, review):
        say(line)
    return decided.plan
