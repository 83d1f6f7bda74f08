"""Classes that a call makes (`namedtuple`, `type`) where pickle finds none of the name, on the way to a process."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Refused
from ...flow.answers.crossings import flow_of
from ...hazard_kind import HazardKind
from ...project import Project
from .screen import ID


def made_classes(project: Project) -> Iterator[Finding]:
    """A finding for each such class, or object of one, that crosses."""
    for crossing in flow_of(project).crossings(frozenset({HazardKind.MADE_CLASS}), project.lowest_bar):
        source = project.source(crossing.path)
        if source is None or not crossing.confidence.reaches(project.bar_of(crossing.path)):
            continue
        start = source.offset(crossing.line, crossing.column)
        end = source.offset(crossing.end_line, crossing.end_column)
        how = crossing.in_words
        message = f"the class that is made here, or an object of it, {how}; pickle can't import it by name"
        reason = (
            'make it at the top of the module, and bind it there to its own name: `Row = namedtuple("Row", ...)`; a '
            "process that imports the module finds it then"
        )
        span, trace = source.span(start, end), crossing.trace
        yield Finding.answered(ID, crossing.path, span, message, crossing.confidence, trace, Refused(reason))
