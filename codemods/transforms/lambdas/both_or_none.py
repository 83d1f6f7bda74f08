"""No fix for a function that takes along code that pickle can't name and that is not fixed: that would be no fix.

Nor for what crosses with a function alone that is not fixed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ...finding import Answer, Finding, Fix, Refused
from ...flow.answers.crossings import flow_of
from ...nodes import end_line, walk
from ...project import Project
from ...syntax.binding_rules import FUNCTIONS, FunctionNode
from .plan import Target, plan_hoist

_Place = tuple[str, int, int]  # as in `ast`
_TWO = 2  # a function and the one around it
_TO_CLASS = "to the class"  # how the titles of fixes end that make a method, which takes along the whole object


def both_or_none(project: Project, found: list[Finding]) -> Iterator[Finding]:
    """The findings, those without their fix that take along what has none."""
    flow = flow_of(project)
    answers: dict[_Place, Answer] = {}
    for finding in found:
        answers[_place(project, finding)] = finding.fix or Refused(finding.reason or "")
    held_back: dict[Fix | None, str] = {}
    for finding in found:
        if finding.fix is None or finding.fix in held_back:
            continue
        place = _place(project, finding)
        for kind, path, position in flow.taken_along(*place, finding.fix.title.endswith(_TO_CLASS)):
            other = path, *position[:2]
            if other not in answers:  # nobody is seen to send it but this function
                target = Target(kind, *other[1:])
                answers[other] = plan_hoist(project, path, [target], flow)[target]
            answer = answers[other]
            if other != place and (why := answer.why_not(project.settings.unsafe_fixes)) is not None:
                held_back[finding.fix] = (
                    f"it takes along what {path}:{other[1]} defines, which can't be pickled either and stays: {why}"
                )
    _hold_back_parts(project, found, held_back)
    for finding in found:
        reason = held_back.get(finding.fix) if finding.fix is not None else None
        yield finding if reason is None else replace(finding, fix=None, reason=reason)


def _hold_back_parts(project: Project, found: list[Finding], held_back: dict[Fix | None, str]) -> None:
    """Enter what only a function reads that is refused, or held back itself: moved alone, it would help nobody."""
    fixed = {_place(project, each): each for each in found if each.fix is not None and each.fix not in held_back}
    todo = [each for each in found if each.fix is None or each.fix in held_back] if fixed else []
    while todo:
        stays = todo.pop()
        place = _place(project, stays)
        for _, path, position in flow_of(project).taken_along(*place, False):
            part = fixed.get((path, *position[:2]))
            if part is None or not _is_read_by(project, part, stays):
                continue
            del fixed[path, position[0], position[1]]
            reason = stays.reason or held_back[stays.fix]
            held_back[part.fix] = f"what takes it along (line {stays.span.line}) stays: {reason}"
            todo.append(part)


def _is_read_by(project: Project, part: Finding, whole: Finding) -> bool:
    """Nothing but the function that `whole` is about reads the local function that `part` is about."""
    tree = project.module(part.path) if part.path == whole.path else None
    outer: list[FunctionNode] = []
    for node in walk(tree) if tree is not None else ():
        if isinstance(node, FUNCTIONS) and node.lineno <= part.span.line <= end_line(node):
            outer.append(node)
    if len(outer) < _TWO or outer[-1].lineno != part.span.line:
        return False
    own, around = outer[-1], outer[-2]
    reads = [each for each in walk(around) if isinstance(each, ast.Name) and each.id == own.name]
    first, last = whole.span.line, whole.span.end_line
    inside = [each for each in reads if not own.lineno <= each.lineno <= end_line(own)]
    return bool(inside) and all(first <= each.lineno <= last for each in inside)


def _place(project: Project, finding: Finding) -> _Place:
    source = project.source(finding.path)
    assert source is not None, finding.path
    line = source.line_text(finding.span.line)
    return finding.path, finding.span.line, len(line[: finding.span.column - 1].encode())
