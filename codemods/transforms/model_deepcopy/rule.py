"""Finds deep copies of models that cannot be copied. `__init__.py` documents it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...finding import Confidence, Finding, Fix
from ...project import Project
from .edits import Rewrite, joint_edits, rewrite
from .resolve import Models
from .scope import Copy, Evidence
from .search import MAKERS, copies_in

ID = "model-deepcopy"
DEEPCOPY = re.compile(rf"\b(?:deepcopy|{'|'.join(sorted(name.rpartition('.')[2] for name in MAKERS))})\b")
SCREEN = re.compile(DEEPCOPY.pattern.encode())


def find(project: Project) -> Iterable[Finding]:
    """Findings, fixes of one file and confidence together (they share helper functions and the import)."""
    models = Models(project)
    for source in project.matching(DEEPCOPY):
        copies = copies_in(models, source.path)
        if copies:
            yield from _file(models, copies)


def _file(models: Models, copies: list[Copy]) -> Iterable[Finding]:
    results = [(copy, rewrite(models, copy)) for copy in copies]
    groups: dict[tuple[Confidence, str | None], list[Rewrite]] = {}
    for copy, result in results:
        if isinstance(result, Rewrite):
            groups.setdefault((copy.confidence, result.unsafe), []).append(result)
    fixes: dict[tuple[Confidence, str | None], Fix | str] = {
        key: joint_edits(models, members) for key, members in groups.items()
    }
    for copy, result in results:
        answer = fixes[copy.confidence, result.unsafe] if isinstance(result, Rewrite) else result
        yield Finding(
            ID,
            copy.path,
            copy.span,
            _message(copy),
            copy.confidence,
            copy.trace,
            fix=answer if isinstance(answer, Fix) else None,
            reason=answer if isinstance(answer, str) else None,
        )


def _message(copy: Copy) -> str:
    if copy.evidence is Evidence.SHARDED:
        return f"`{copy.text}` fails: FSDP and DeepSpeed shard a model over the ranks, and that can't be copied"
    if copy.evidence is Evidence.CACHE:
        return (
            f"`{copy.text}` fails: running the model keeps a tensor on it that is part of a gradient's history, and "
            "only leaf tensors can be copied"
        )
    if copy.evidence is Evidence.LOCK:
        return f"`{copy.text}` fails: the model holds a lock, and locks can't be copied"
    if copy.confidence is Confidence.PROVEN:
        return f"`{copy.text}` fails: the model holds a process group, and process groups can't be copied"
    return f"`{copy.text}` fails if the model's layers hold a process group: process groups can't be copied"
