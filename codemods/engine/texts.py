"""The texts that a result speaks of: before a step, after all of them, and those of findings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from .results import AppliedStep

if TYPE_CHECKING:
    from ..finding import Finding, Fix
    from ..project import Project
    from ..tree.source import Source


def applied_step(project: Project, fixes: list[Fix], found: list[Finding]) -> AppliedStep:
    """`fixes`, applied to `project`, where `found` was found."""
    sources = ((path, project.source(path)) for path in sorted({path for fix in fixes for path in fix.paths}))
    chosen = frozenset(fixes)
    findings = tuple(finding for finding in found if finding.fix in chosen)
    return AppliedStep(tuple(fixes), findings, {path: source for path, source in sources if source is not None})


def difference(before: Mapping[str, Source], after: Project) -> dict[str, bytes]:
    """The bytes of every file of `after` whose text is not that of `before`, the changed files at an earlier time."""
    contents = {}
    for path, new in after.written.items():
        old = before.get(path) or after.original(path)
        if old is not None and old.text != new.text:
            contents[path] = new.encode(new.text)
    return contents


def named_sources(project: Project, findings: Collection[Finding]) -> dict[str, Source]:
    """The text of every file that `findings` speak of."""
    paths: set[str] = set()
    for finding in findings:
        paths |= {finding.path, *(hop.path for hop in finding.trace)}
    for fix in {finding.fix for finding in findings if finding.fix is not None}:
        paths |= fix.paths
    sources = ((path, project.source(path)) for path in sorted(paths))
    return {path: source for path, source in sources if source is not None}
