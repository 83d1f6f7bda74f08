"""Finds deep copies of models that cannot be copied. `__init__.py` documents it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...finding import Answer, Confidence, Finding, Refused
from ...project import Project
from ...syntax.tried import tried_at
from .decide import Rewrite, rewrite
from .edits import joint_edits
from .find_copies import copies_in
from .model_copy import Copy, Evidence
from .models import Models
from .screen import COPIES, ID, WORDS


def find(project: Project) -> Iterable[Finding]:
    """Findings; copies of one file with equal confidence get one fix (they share helper functions and the import)."""
    models = Models(project)
    for path in paths(project):
        yield from _of_file(models, path)


def paths(project: Project) -> Iterable[str]:
    """The files to look at: those with a call that may copy a model."""
    return (source.path for source in project.matching(COPIES, words=WORDS))


def find_in(project: Project, path: str) -> Iterable[Finding]:
    """What `find` gives for one file."""
    return _of_file(Models(project), path)


def _of_file(models: Models, path: str) -> Iterable[Finding]:
    bar = models.project.bar_of(path)
    copies = [copy for copy in copies_in(models, path) if copy.seen.confidence.reaches(bar)]
    copies = [copy for copy in (_unless_tried(models, copy) for copy in copies) if copy.seen.confidence.reaches(bar)]
    return _in_file(models, copies) if copies else ()


def _unless_tried(models: Models, copy: Copy) -> Copy:
    """That the copy fails does no harm where the program goes another way then."""
    if tried_at(models.project, f"{copy.site.path}:{copy.site.call.lineno}") is None:
        return copy
    return replace(copy, seen=replace(copy.seen, confidence=Confidence.POSSIBLE))


def _in_file(models: Models, copies: list[Copy]) -> Iterable[Finding]:
    results = [(copy, rewrite(models, copy)) for copy in copies]
    groups: dict[tuple[Confidence, str | None], list[Rewrite]] = {}
    for copy, result in results:
        if not isinstance(result, Refused):
            groups.setdefault((copy.seen.confidence, result.unsafe), []).append(result)
    fixes = {key: joint_edits(models, members) for key, members in groups.items()}
    for copy, result in results:
        answer: Answer = result if isinstance(result, Refused) else fixes[copy.seen.confidence, result.unsafe]
        yield Finding.answered(ID, copy.site.path, copy.span, _message(copy), copy.seen.confidence, copy.trace, answer)


def _message(copy: Copy) -> str:
    if copy.seen.evidence is Evidence.SHARDED:
        return f"`{copy.text}` fails: FSDP and DeepSpeed shard a model over the ranks, and that can't be copied"
    if copy.seen.evidence is Evidence.CACHE:
        return (
            f"`{copy.text}` fails: running the model keeps a tensor on it that is part of a gradient's history, and "
            "only leaf tensors can be copied"
        )
    if copy.seen.evidence is Evidence.LOCK:
        return f"`{copy.text}` fails: the model holds a lock, and locks can't be copied"
    if copy.seen.confidence is Confidence.PROVEN:
        return f"`{copy.text}` fails: the model holds a process group, and process groups can't be copied"
    return f"`{copy.text}` fails if the model's layers hold a process group: process groups can't be copied"
