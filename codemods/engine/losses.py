"""Fixes that would let a worker start which silently goes on without state of the main process: they are unsafe.

What could not be pickled stopped the program, and said so. Once it crosses, the worker runs, and prints something else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from ..finding import Finding, Fix
from ..project import Project
from ..rule import Loss, Place, Rule


def losses_of(rules: Iterable[Rule], project: Project, at: frozenset[Place] | None = None) -> list[Loss]:
    """What workers of the project lose, by all rules that look for it. `at`: nobody asks about other boundaries."""
    return [loss for rule in rules if rule.losses is not None for loss in rule.losses(project, at)]


def ends(found: Iterable[Finding]) -> frozenset[Place]:
    """The boundaries at which fixes that count as safe end."""
    safe = (each for each in found if each.fix is not None and each.fix.unsafe is None and each.trace)
    return frozenset((each.trace[-1].path, each.trace[-1].line) for each in safe)


def held_back(found: list[Finding], losses: list[Loss]) -> list[Finding]:
    """`found`, with the fixes unsafe that end at the boundary of such a worker. `losses`: those at the `ends`."""
    ordered = sorted(losses, key=lambda loss: bool(loss.only))  # at one place, what holds back more
    at = {(loss.path, loss.line): loss for loss in reversed(ordered)}
    held: dict[Fix, Fix] = {}
    for finding in found:
        end = finding.trace[-1] if finding.trace else None
        loss = at.get((end.path, end.line)) if end is not None else None
        if loss is None or loss.only not in ("", finding.rule):
            continue
        if finding.fix is not None and finding.fix.unsafe is None:
            reason = f"{loss.why}: {loss.message}"
            held[finding.fix] = replace(finding.fix, unsafe=reason)
    return [replace(each, fix=held[each.fix]) if each.fix in held else each for each in found]


def tied(project: Project, paths: frozenset[str]) -> frozenset[str]:
    """`paths`, and what one program may run with them: what they import or what imports them, directly or not.

    Files of one folder count as tied: scripts import what stands beside them in ways that no import statement shows.
    """
    from ..flow.answers.crossings import flow_of  # most runs never ask
    from ..flow.answers.programs import Programs

    solution = flow_of(project).solution
    programs, near = Programs(solution), defaultdict[str, set[str]](set)
    for facts in solution.program.facts:
        folder = facts.path.rpartition("/")[0] + "/"
        for other in (folder, *programs.imported(facts)):
            near[facts.path].add(other)
            near[other].add(facts.path)
    todo = [*paths, *(path.rpartition("/")[0] + "/" for path in paths)]
    found = set(todo)
    while todo:
        more = near[todo.pop()] - found
        found |= more
        todo += more
    return frozenset(found)
