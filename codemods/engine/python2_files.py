"""What rules look for in Python 2 files. There is no flow in them: nothing is more than `possible`, and no fix safe."""

from __future__ import annotations

from collections.abc import Iterator

from ..finding import Confidence, Finding, Fix, Hop
from ..project import Project
from ..rule import Rule
from ..tree.python2 import edits_by

UNSAFE = (
    "this file is for an old Python: which values reach a process, and what else reads them, can't be followed in it"
)


def find(rule: Rule, project: Project) -> Iterator[Finding]:
    """Findings of `rule` in the Python 2 files of `project`, one for each place that its query changes."""
    if rule.python2 is None:
        return
    for path in project.python2_paths:
        source = project.source(path)
        if source is None:
            continue
        for edit in edits_by(source, rule.python2.query):
            span = source.span(edit.start, edit.end)
            fix = Fix(rule.python2.title, (edit,), unsafe=UNSAFE)
            hop = Hop(path, span.line, "stored here")
            yield Finding(rule.id, path, span, rule.python2.message, Confidence.POSSIBLE, (hop,), fix)
