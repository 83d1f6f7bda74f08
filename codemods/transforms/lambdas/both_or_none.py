"""No fix for a function that takes along code that pickle can't name and that is not fixed: that would be no fix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...finding import Answer, Finding, Fix, Refused
from ...flow.answers.crossings import flow_of
from ...project import Project
from .plan import Target, plan_hoist

_Place = tuple[str, int, int]  # as in `ast`
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
            if other != place and (why := _why_it_stays(project, answer)) is not None:
                held_back[finding.fix] = (
                    f"it takes along what {path}:{other[1]} defines, which can't be pickled either and stays: {why}"
                )
    for finding in found:
        reason = held_back.get(finding.fix) if finding.fix is not None else None
        yield finding if reason is None else replace(finding, fix=None, reason=reason)


def _place(project: Project, finding: Finding) -> _Place:
    source = project.source(finding.path)
    assert source is not None, finding.path
    line = source.line_text(finding.span.line)
    return finding.path, finding.span.line, len(line[: finding.span.column - 1].encode())


def _why_it_stays(project: Project, answer: Answer) -> str | None:
    if isinstance(answer, Refused):
        return answer.reason
    return answer.unsafe if not project.settings.unsafe_fixes else None
