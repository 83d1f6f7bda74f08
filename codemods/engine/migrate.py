"""The job on one page: files -> findings -> fixes -> verified text.

`check` stops at the findings, `plan` goes all the way. Nothing here writes: a `Plan` holds the new bytes,
and `tree/` puts them where they belong.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..finding import Finding
from ..project import Project
from ..rule import Rule
from ..settings import Settings
from ..transforms import rules as all_rules
from ..tree.files import Files
from .interpreter import raised_recursion_limit, without_collector
from .jobs import Helpers, all_looks, helpers
from .look_cache import LookCache
from .results import Plan, Report, RuleChange, appeared
from .run import Run, order
from .texts import difference, named_sources
from .together import together

__all__ = ["Plan", "Report", "RuleChange", "check", "plan"]

MAX_ROUNDS = 4  # of all rules over each other's output


@raised_recursion_limit()
@without_collector
def check(
    files: Files,
    settings: Settings,
    scope: str = "",
    rules: Mapping[str, Rule] | None = None,
    jobs: int = 1,
    memory: LookCache | None = None,
    alive: list[object] | None = None,
) -> Report:
    """Every finding at or under the path `scope`, sorted; changes nothing.

    `jobs`: how many processes, 0: as many as pay. `memory`: what the rules found before. What was built to find them is
    freed, which takes time, unless `alive` takes it.
    """
    run = Run(files, settings, scope, all_rules() if rules is None else rules)
    project = run.screened()
    if alive is not None:
        alive[:] = [project]
    if memory is not None:
        run.parts = {}
    known = memory.recall(run, project, run.active_rules(project)) if memory is not None else {}
    looks = all_looks(run, project, jobs, known)
    if looks is None:
        return check(files, settings, scope, rules, alive=alive)
    if memory is not None:
        memory.keep(run, project, looks)
    project.forget()
    found = tuple(sorted((f for look in looks.values() for f in run.taken(look, project)), key=order))
    named, skipped = named_sources(project, found), run.all_skipped(project)
    silenced = tuple(f.path for f in run.silenced if f.confidence.reaches(settings.confidence))
    idle = tuple(hop for path in run.commented if run.covers(path) for hop in run.idle_suppressions(path, project))
    seen = run.looked_at(skipped)
    return Report(files.root, found, skipped, seen, named, settings.unsafe_fixes, silenced, idle)


@raised_recursion_limit()
@without_collector
def plan(
    files: Files, settings: Settings, scope: str = "", rules: Mapping[str, Rule] | None = None, jobs: int = 1
) -> Plan:
    """Every change that may be made for findings at or under `scope`, verified, and what remains after them.

    `jobs` processes (0: as many as pay) look at the files for the first time; what rules make of each other's changes
    is seen in this one.
    """
    run = Run(files, settings, scope, all_rules() if rules is None else rules)
    project = run.screened()
    with helpers(run, False, run.active_rules(project), jobs) as others:
        return _planned(run, project, others)


def _planned(run: Run, project: Project, others: Helpers | None) -> Plan:
    """The changes of all rules, until none finds more to do: at once where that goes, else one after the other."""
    rules = run.active_rules(project)
    found = {rule.id: _first_found(run, rule, project, others) for rule in rules}
    begun = together(run, project, rules, found)
    changes: list[RuleChange] = []
    version = 0  # of the texts
    looked: dict[str, tuple[int, list[Finding]]] = {}  # the version each rule saw last, and what it left there
    if begun is not None:
        project, changes, version = begun.project, begun.changes, 1
        looked = {rule: (version, left) for rule, left in begun.left.items()}
    for _ in range(MAX_ROUNDS):
        idle = True
        for rule in run.active_rules(project):
            if rule.id in looked and looked[rule.id][0] == version:
                continue
            before, idle = project.written, False
            now = found[rule.id] if not version else run.findings_of(rule, project)
            project, steps, left = run.fix_until_stable(rule, project, now)
            if steps:
                version += 1
                fixed = tuple(dict.fromkeys(finding for step in steps for finding in step.findings))
                changes.append(RuleChange(rule.id, fixed, difference(before, project), tuple(steps)))
            looked[rule.id] = (version, left)
        if idle:
            break
    remaining = tuple(sorted((finding for _, left in looked.values() for finding in left), key=order))
    kept = tuple(change for change in changes if change.contents)
    skipped, named = run.all_skipped(project), named_sources(project, remaining)
    seen = run.looked_at(skipped)
    later = appeared(remaining, named, run.refused_first)
    project.forget()
    return Plan(kept, remaining, skipped, seen, run.files.root, named, dict(run.found_first), appeared=later)


def _first_found(run: Run, rule: Rule, project: Project, others: Helpers | None) -> list[Finding]:
    """What `rule` finds in the files as they are."""
    look = others.first_look(rule.id) if others is not None and not project.limited else None
    return run.findings_of(rule, project) if look is None else run.taken(look, project)
