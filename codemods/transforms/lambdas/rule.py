"""Finds lambdas, nested functions and local classes that cross a process boundary. `__init__.py` documents it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ...finding import Answer, Confidence, Finding, Fix, Refused
from ...flow.answers.crossing import Crossing, only_in_children
from ...flow.answers.crossings import Flow, flow_of
from ...flow.answers.destructors import ended_with
from ...flow.answers.never_made import never_made
from ...flow.answers.tried import handled, tried
from ...flow.facts.records import facts_lookup
from ...flow.facts.test_code import is_test
from ...hazard_kind import HazardKind
from ...project import Project
from ...syntax.binding_rules import FUNCTIONS
from ...syntax.branches import chosen_at, exclude_each_other, no_one_run
from ...syntax.file_tree import position
from ...syntax.given_initialisers import may_be_skipped
from ...syntax.names import last_name
from ...syntax.never_asked import NeverAsked
from ...syntax.outline import Outline, outline_of
from ...syntax.repo import Repo
from ...syntax.suppress import suppressions
from ...tree.source import Source
from .both_or_none import both_or_none
from .evaluated_text import evaluated_texts
from .loaded_by_path import loaded_by_path
from .made_classes import made_classes
from .misnamed import kept_from_above, misnamed
from .named_on_import import named_on_import
from .plan import Target, plan_hoist
from .screen import ID
from .set_after_start import set_after_start
from .wrappers import wrapped

_WORDS = {
    HazardKind.LAMBDA: "this lambda",
    HazardKind.FUNCTION: "this nested function",
    HazardKind.WRAPPER: "this function, which a decorator puts in the place of another,",
    HazardKind.CLASS: "this class, defined inside a function,",
}


def find(project: Project) -> Iterable[Finding]:
    """All crossings of code that pickle can't name."""
    crossings = flow_of(project).crossings(frozenset(_WORDS), project.lowest_bar)
    yield from both_or_none(project, [*findings(project, crossings)])
    yield from evaluated_texts(project)
    yield from loaded_by_path(project)
    yield from made_classes(project)
    yield from misnamed(project)
    yield from kept_from_above(project)


def findings(project: Project, found: Iterable[Crossing]) -> Iterator[Finding]:
    """A finding for each crossing of `found`, with its fix or the reason for having none."""
    by_path: dict[str, list[Crossing]] = {}
    repo = Repo(project)
    asked = NeverAsked(repo, lambda path: not is_test(path, facts_lookup(project)))
    for crossing in found:
        places = [(crossing.path, crossing.line), *((hop.path, hop.line) for hop in crossing.trace)]
        steps = [
            [(crossing.path, crossing.line, crossing.column)],
            *([(path, line, -1) for path, line in step] for step in crossing.steps),
            *([(hop.path, hop.line, -1)] for hop in crossing.trace[-1:]),
            *(step for hop in crossing.trace[-1:] for step in chosen_at(repo, hop.path, hop.line, crossing.boundary)),
        ]
        if crossing.confidence is not Confidence.POSSIBLE and (
            exclude_each_other(repo, places)
            or no_one_run(repo, steps)
            or only_in_children(repo, crossing)
            or set_after_start(repo, crossing)
            or named_on_import(repo, crossing)
            or never_made(repo, crossing)
            or _may_be_skipped(repo, places)
        ):
            crossing = replace(crossing, confidence=Confidence.POSSIBLE)
        if crossing.confidence.reaches(project.bar_of(crossing.path)):
            by_path.setdefault(crossing.path, []).append(crossing)
    for path, crossings in by_path.items():
        source = project.source(path)
        if source is not None:
            yield from _findings(project, source, _likely_made(project, repo, asked, crossings))


def _may_be_skipped(repo: Repo, places: list[tuple[str, int]]) -> bool:
    """A step is in an initialiser that a decorator of classes gives to some of them: `if ...: cls.__init__ = init`."""
    for path, line in places:
        outline = repo.outline(path)
        if outline is None or all(isinstance(use.ctx, ast.Load) for use in outline.attributes.get("__init__", ())):
            continue
        uses = (use for found in outline.attributes.values() for use in found if use.lineno == line)
        if any(may_be_skipped(outline, use) for use in uses if not isinstance(use.ctx, ast.Load)):
            return True
    return False


def _likely_made(project: Project, repo: Repo, asked: NeverAsked, crossings: list[Crossing]) -> list[Crossing]:
    """The crossings of a file without those of branches that nobody asks for.

    Unless the other branch gives the same name something that crosses: then both are fixed.
    """
    outline = repo.outline(crossings[0].path)
    nodes = [_node(outline, crossing) for crossing in crossings] if outline is not None else []
    never = [node is not None and asked.never_runs(outline, node) for node in nodes if outline is not None]
    if outline is None or not any(never):
        return crossings
    kept = [_kept_as(outline, node) for node in nodes]
    beside = {name for name, unasked in zip(kept, never, strict=True) if not unasked and name is not None}
    found = []
    for crossing, name, unasked in zip(crossings, kept, never, strict=True):
        if unasked and name not in beside:
            crossing = replace(crossing, confidence=Confidence.POSSIBLE)
        if crossing.confidence.reaches(project.bar_of(crossing.path)):
            found.append(crossing)
    return found


def _node(outline: Outline, crossing: Crossing) -> ast.AST | None:
    """The lambda or definition."""
    made: list[ast.AST] = [*outline.by_line.get(crossing.line, ()), *outline.definitions_by_line.get(crossing.line, ())]
    return next((each for each in made if position(each) == (crossing.line, crossing.column)), None)


def _kept_as(outline: Outline, node: ast.AST | None) -> tuple[ast.AST, str] | None:
    """The function around, and what is given the value there: `self.resize`."""
    statement = outline.statement(node) if node is not None else None
    if isinstance(statement, FUNCTIONS):
        return outline.scope(outline.parents[statement]), statement.name
    if not isinstance(statement, ast.Assign):
        return None
    return outline.scope(statement), ast.unparse(statement.targets[0])


def _findings(project: Project, source: Source, crossings: list[Crossing]) -> Iterator[Finding]:
    """The findings of one file. Those that the settings leave out are planned apart: no fix may lean on them."""
    silent = suppressions(source)
    wanted: dict[Crossing, bool] = {}
    for crossing in crossings:
        draft = _finding(source, crossing, Refused("not planned yet"))
        reaches = crossing.confidence.reaches(project.settings.confidence)
        wanted[crossing] = reaches and not any(item.silences(draft) for item in silent)
    for part in (True, False):
        targets = {crossing: _target(crossing) for crossing in crossings if wanted[crossing] is part}
        if not targets:
            continue
        flow = flow_of(project)
        wrappers = {crossing: target for crossing, target in targets.items() if _is_wrapper(flow, crossing)}
        answers = plan_hoist(
            project, source.path, [each for each in targets.values() if each not in wrappers.values()], flow
        )
        for crossing, target in wrappers.items():
            answers[target] = wrapped(project, crossing, flow)
        for crossing, target in targets.items():
            other = (
                flow.misnamed(crossing.path, crossing.line, crossing.column)
                if crossing.kind is HazardKind.FUNCTION
                else None
            )
            if other is not None:
                answers[target] = Refused(
                    f"`functools.wraps` gives it the name of `{other}`, and pickle finds `{other}` itself under that: "
                    "send a function of the module that calls it"
                )
            elif isinstance(answers[target], Refused) and (by := _sent_by_decorator(project, crossing)) is not None:
                answers[target] = Refused(by)
        reasons = {
            answer: reason
            for crossing, target in targets.items()
            if isinstance(answer := answers[target], Fix)
            and (reason := tried(project, crossing.path, crossing.line, crossing.column)) is not None
        }
        ended = _ended(project, targets, answers)
        for crossing, target in targets.items():
            answer = answers[target]
            if isinstance(answer, Fix) and (why := ended[answer]) is not None:
                answer = Refused(why)
            if isinstance(answer, Fix) and answer in reasons:
                answer = replace(answer, unsafe=answer.unsafe or reasons[answer])
                crossing = _unless_handled(project, crossing)
                if not crossing.confidence.reaches(project.bar_of(crossing.path)):
                    continue
            yield _finding(source, crossing, answer)


def _sent_by_decorator(project: Project, crossing: Crossing) -> str | None:
    """What to do where the decorator of a function sends the very function: under its name pickle finds another."""
    node = _node(outline, crossing) if (outline := outline_of(project, crossing.path)) is not None else None
    if not isinstance(node, FUNCTIONS) or len(node.decorator_list) != 1:
        return None
    decorator = node.decorator_list[0]
    called = last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
    first = next((hop.what for hop in crossing.trace[1:] if not hop.what.startswith("assigned to")), "")
    if not first.startswith("parameter") or re.search(rf"of `(?:\w+\.)*{called}(?:\.\w+)*\(\)`", first) is None:
        return None
    return (
        f"its decorator `@{called}` sends the function itself, and pickle finds what the decorator made of it under "
        "its name, at module level too: define it there without the decorator, and call "
        f"`{ast.unparse(decorator)}({node.name})` where it is used"
    )


def _unless_handled(project: Project, crossing: Crossing) -> Crossing:
    """It does not cross where the program asks first whether it can be pickled, and goes another way."""
    last = crossing.trace[-1] if crossing.trace else None
    place = f"{last.path}:{last.line}" if last is not None else ""
    hazard = crossing.path, crossing.line, crossing.column
    if place and handled(project, hazard, place, crossing.saved):
        return replace(crossing, confidence=Confidence.POSSIBLE)
    return crossing


def _is_wrapper(flow: Flow, crossing: Crossing) -> bool:
    """It has the name of what it wraps, or gets there by `functools.wraps`; a partial would send what it wraps."""
    if crossing.kind is HazardKind.FUNCTION:
        return flow.takes_its_place(crossing.path, crossing.line, crossing.column)
    return crossing.kind is HazardKind.WRAPPER


def _ended(
    project: Project, targets: Mapping[Crossing, Target], answers: Mapping[Target, Answer]
) -> dict[Fix, str | None]:
    """By fix, why no object may cross by one of the ways that it opens; None where all may."""
    opened: dict[Fix, list[Crossing]] = {}
    for crossing, target in targets.items():
        if isinstance(answer := answers[target], Fix):
            opened.setdefault(answer, []).append(crossing)
    return {
        fix: next((why for each in ways if (why := ended_with(project, each.trace, each.boundary)) is not None), None)
        for fix, ways in opened.items()
    }


def _finding(source: Source, crossing: Crossing, answer: Answer) -> Finding:
    start = source.offset(crossing.line, crossing.column)
    span = source.span(start, source.offset(crossing.end_line, crossing.end_column))
    message = f"{_WORDS[crossing.kind]} {crossing.in_words}; pickle can't import it by name"
    return Finding.answered(ID, source.path, span, message, crossing.confidence, crossing.trace, answer)


def _target(crossing: Crossing) -> Target:
    last = crossing.trace[-1] if crossing.trace else None
    sent = last.line if last is not None and last.path == crossing.path else 0
    return Target(crossing.kind, crossing.line, crossing.column, crossing.boundary, crossing.aboard, sent)
