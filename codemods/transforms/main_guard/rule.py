"""Finds scripts that start processes without a main guard. `__init__.py` documents it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ...finding import Confidence, Finding, Hop
from ...flow.answers.crossings import flow_of
from ...nodes import end_line
from ...project import Project
from ...questions import asked
from ...rule import Loss, Place
from ...syntax.binding_rules import FUNCTIONS
from ...syntax.outline import Outline, outline_of
from .exit_marks import marked_for_exit
from .guard.below_guard import STOPS, guarded_findings, missing_findings
from .guard.set_below import set_below_findings
from .guard.unguarded_starts import CHILD_FAILS, unguarded_starts
from .own_nodes import own_nodes
from .screen import ID
from .starts.may_start import SPEAKS, STARTS, may_start, spoken
from .starts.process_starts import PROCESS, SET_METHOD, SETS, Starts
from .state.calls_of_scripts import has_guard
from .state.changed_settings import Search
from .state.seen_twice import fails_on_purpose, printed_again
from .state.state_findings import lost_state, state_findings

_FORKS = re.compile(r"set_start_method\(\s*['\"]fork['\"]")
_FEW = 8  # files that import one, directly or not
_BEGINS = re.compile(r"start(?<!\wstart)\s*\(")  # begins with the word: found many times faster


def find(project: Project) -> Iterable[Finding]:
    """One finding per script for what must be guarded, one per definition under the guard that a worker needs."""
    found: list[Finding] = []
    with project.working_with(Search) as search:
        for path in paths(project):
            known = (project.derive(_all_missing), project.derive(_all_unguarded)) if path else None
            found += _in_file(search, path, known) if path else state_findings(project)
    return found


def paths(project: Project) -> Iterable[str]:
    """The files that may start something, and "" for settings of modules.

    Where one file has a word without which no process starts.
    """
    if not project.with_key(spoken, STARTS):
        return ()
    starting = {*may_start(project), *project.with_key(spoken, SPEAKS)}
    return (*sorted(starting), "")


def find_in(project: Project, path: str) -> Iterable[Finding]:
    """What `find` gives for one file."""
    search = Search(project)
    return _in_file(search, path) if path else state_findings(project)


def losses(project: Project, at: frozenset[Place] | None = None) -> Iterable[Loss]:
    """What workers silently go on without; `at`: as far as that is at one of these boundaries."""
    if not project.with_key(spoken, STARTS):
        return
    (lost, left), (otherwise, in_vain) = lost_anywhere(project), lost_at(project, at)
    yield from (*lost, *otherwise, *left, *in_vain)


_Losses = tuple[Loss, ...]


@asked
def lost_anywhere(project: Project) -> tuple[_Losses, _Losses]:
    """Losses at whatever boundary: of state, and of a `Process` that is started outside of the main guard."""
    found: list[Loss] = []
    accepts = project.settings.unsafe_fixes
    lost = project.derive(lost_state)
    for row in lost.state:
        if not row.shown:
            found.append(Loss(row.sent[0], row.sent[1], row.message, only=ID if row.stops else "", some=lost.some))
    for each in (each for missing in project.derive(_all_missing).values() for each in missing):
        # They go on without it; where a fix hands it over, they don't.
        if each.why_not(accepts) is not None and STOPS not in each.message:
            found.append(Loss(each.trace[-1].path, each.trace[-1].line, each.message))
    why = "the program would go on without the worker, where it stops today"
    return tuple(found), tuple(Loss(*left, why) for left in project.derive(_left_unguarded))


@asked
def lost_at(project: Project, at: frozenset[Place] | None) -> tuple[_Losses, _Losses]:
    """Losses that are looked for at some boundaries alone: what would happen otherwise, and what would not help."""
    with project.working_with(Search) as search:
        otherwise = (*printed_again(search, at), *fails_on_purpose(search, project.with_key(spoken, STARTS)))
        return otherwise, () if at is None else tuple(_in_vain(search, at))


def _in_vain(search: Search, at: frozenset[Place]) -> Iterator[Loss]:
    """Those of these boundaries to which no worker of a script gets, as it stays without a main guard.

    Not where something is pickled under fork too: there the script has no other problem.
    """
    project = search.starts.project
    reasons: dict[str, tuple[str, frozenset[Place]] | None] = {}
    for path in project.with_key(spoken, STARTS):
        outline = search.repo.outline(path)
        calls = outline.of_kind(ast.Call) if outline is not None else ()
        found = {call.lineno: call for call in calls if (path, call.lineno) in at}
        lines = sorted(line for line in found if flow_of(project).only_spawned(path, line))
        scripts = _running(search, path) if lines else []
        for script in scripts:
            if script not in reasons:
                reasons[script] = _stays(search, script)
        stay = [why for script in scripts if (why := reasons[script]) is not None]
        if outline is None or not scripts or len(stay) < len(scripts):
            continue
        for line in lines:
            scope = outline.scope(found[line])
            if all(
                script == path or any(each == path and _is_in(scope, step) for each, step in hops)
                for script, (_, hops) in zip(scripts, stay, strict=True)
            ):
                who = "it" if scripts == [path] else scripts[0]
                message = f"{who} starts processes outside of the main guard, and that stays ({stay[0][0]})"
                yield Loss(path, line, message, "the script would fail all the same")


def _is_in(scope: ast.AST, line: int) -> bool:
    """The line is one of the function."""
    return isinstance(scope, FUNCTIONS) and scope.lineno <= line <= end_line(scope)


def _running(search: Search, path: str) -> list[str]:
    """The scripts, which nothing imports, that run code of the file; nothing where more than a few may."""
    users = search.importers.reaching(path)
    scripts = sorted(each for each in users if search.importers.of(each) is None) if len(users) <= _FEW else []
    outlines = [search.repo.outline(each) for each in scripts]
    return [] if any(outline is None or has_guard(outline) for outline in outlines) else scripts


def _stays(search: Search, path: str) -> tuple[str, frozenset[Place]] | None:
    """Why a script gets no main guard, and where it starts what: all steps that lead there."""
    for each in _in_file(search, path):
        reason = each.why_not(search.starts.project.settings.unsafe_fixes) if CHILD_FAILS in each.message else None
        if reason is not None and each.confidence.reaches(Confidence.LIKELY):
            return reason, frozenset((hop.path, hop.line) for hop in each.trace)
    return None


def _left_unguarded(project: Project) -> tuple[tuple[str, int, str], ...]:
    """Lines that start a `Process` outside of the main guard, where no safe fix puts them under it.

    Each child imports the script, fails as it comes to that line, and nobody asks it how it ended.
    """
    found: list[tuple[str, int, str]] = []
    accepts = project.settings.unsafe_fixes
    with project.working_with(Search) as search:
        for path, findings in project.derive(_all_unguarded).items():
            left = [reason for each in findings if (reason := each.why_not(accepts)) is not None]
            outline = search.repo.outline(path) if left else None
            lines = _process_lines(search.starts, outline) if outline is not None else ()
            for reason in left:
                message = f"it imports the script, which starts it again outside of the main guard ({reason})"
                found += [(path, line, message) for line in lines]
    return tuple(found)


def _all_unguarded(project: Project) -> dict[str, tuple[Finding, ...]]:
    """By file without a main guard what `unguarded_starts` finds in it: for its own findings, and for all fixes."""
    found: dict[str, tuple[Finding, ...]] = {}
    with project.working_with(Search) as search:
        for path in project.with_key(spoken, STARTS):
            outline = search.repo.outline(path) if project.holds(path, _BEGINS) else None
            if outline is None or has_guard(outline) or _forks(search, outline):
                continue
            source = project.source(path)
            assert source is not None
            found[path] = tuple(unguarded_starts(search, outline, source))
    return found


def _process_lines(starts: Starts, outline: Outline) -> list[int]:
    """Where the script makes a process."""
    calls = outline.of_kind(ast.Call)
    return sorted({call.lineno for call in calls if starts.name(outline, call.func) == PROCESS})


def _all_missing(project: Project) -> dict[str, tuple[Finding, ...]]:
    """By file, globals that workers lack."""
    found: dict[str, tuple[Finding, ...]] = {}
    with project.working_with(Search) as search:
        for path in project.with_key(spoken, STARTS):
            outline = search.repo.outline(path)
            if outline is not None and not _forks(search, outline):
                found[path] = tuple(missing_findings(search, outline))
    return found


_ByFile = Mapping[str, tuple[Finding, ...]]


def _in_file(search: Search, path: str, known: tuple[_ByFile, _ByFile] | None = None) -> Iterator[Finding]:
    """What is found in a file, see `_all_in_file`; no more than possible where only Python 2 runs the code."""
    for finding in _all_in_file(search, path, known):
        if finding.confidence is not Confidence.POSSIBLE and finding.trace:
            places = tuple((hop.path, hop.line) for hop in finding.trace)
            if (why := flow_of(search.starts.project).only_python2(places)) is not None:
                finding = replace(finding, confidence=Confidence.POSSIBLE, trace=(*finding.trace, Hop(*why)))
        yield finding


def _all_in_file(search: Search, path: str, known: tuple[_ByFile, _ByFile] | None = None) -> Iterator[Finding]:
    """What is found in a file; `known`: see `_all_missing` and `_all_unguarded`, where that is known of all files."""
    starts = search.starts
    missing, unguarded = (None, None) if known is None else (known[0].get(path), known[1].get(path))
    source, outline = starts.project.source(path), outline_of(starts.project, path)
    if source is not None and outline is not None and not _forks(search, outline):
        if path.rpartition("/")[2] == "__main__.py":  # `python -m package`: multiprocessing does not run it again
            unguarded = ()
        elif unguarded is None:
            unguarded = tuple(unguarded_starts(search, outline, source))
        yield from unguarded
        if "atexit" in source.text:
            yield from marked_for_exit(starts, outline, source)
        if "__main__" in source.text or STARTS in spoken(starts.project, path):
            yield from guarded_findings(search, outline, source)
            yield from set_below_findings(search, outline, source) if not unguarded else ()
            yield from missing_findings(search, outline) if missing is None else missing


def _forks(search: Search, outline: Outline) -> bool:
    """It sets fork for the process, or imports a module or package that does whenever it is imported."""
    starts = search.starts
    if starts.project.holds(outline.path, _FORKS):
        return True
    setting = [path for path in _choosing_fork(starts.project) if _forks_on_import(starts, path)]
    return bool(setting) and any(
        other == path or (path.endswith("/__init__.py") and other.startswith(path.removesuffix("__init__.py")))
        for node in outline.imports
        if outline.parents[node] is outline.module
        for other in search.importers.modules.imported(outline.path, node)
        for path in setting
    )


@asked
def _choosing_fork(project: Project) -> tuple[str, ...]:
    """The files with such a call."""
    return tuple(project.paths_matching(_FORKS, words=(SETS,)))


def _forks_on_import(starts: Starts, path: str) -> bool:
    outline = outline_of(starts.project, path)
    statements = outline.module.body if outline is not None else []
    always = [each for each in statements if not isinstance(each, (ast.If, ast.For, ast.While))]
    return outline is not None and any(
        isinstance(node, ast.Call)
        and starts.name(outline, node.func) == SET_METHOD
        and not any(isinstance(above, ast.If) for above in outline.ancestors(node))
        and any(isinstance(argument, ast.Constant) and argument.value == "fork" for argument in node.args)
        for node in own_nodes(always)
    )
