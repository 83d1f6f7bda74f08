"""Scripts that the documents and shell scripts of a repository start by plain `python`."""

from __future__ import annotations

import re

from ..project import Project
from ..questions import asked

_TEXTS = (".md", ".rst", ".sh", ".bash")
_JOB = "#SBATCH"
_LINE = re.compile(r"(?:[^\n]*\\\r?\n)*[^\n]*\n?")  # with those that go on
_GAP = r"(?:[ \t]|\\\r?\n)+"
_PLAIN = re.compile(rf"[ \t]*(?:[$>]{_GAP})?(?:\w+=\S+{_GAP})*python3?(?:{_GAP}-u)?{_GAP}([\w./-]+\.py)\b")
_LAUNCHER = re.compile(
    r"torchrun|torch\.distributed|\bsrun\b|\bsbatch\b|\bmpi(?:run|exec)\b|deepspeed|accelerate|horovodrun|LOCAL_RANK="
)


@asked
def plain_starts(project: Project) -> tuple[tuple[str, str, int], ...]:
    """Path of the script as it is written there, and where: file and line."""
    plain: dict[str, tuple[str, int]] = {}
    for path in project.paths:
        source = project.source(path) if path.endswith(_TEXTS) else None
        if source is None or _JOB in source.text:  # a job of SLURM has its variables
            continue
        number = 1
        for line in _LINE.findall(source.text):
            start = _PLAIN.match(line)
            if start is not None and not _LAUNCHER.search(line):
                plain.setdefault(start[1], (path, number))
            number += line.count("\n")
    return tuple((name, *where) for name, where in plain.items())


def plain_start(project: Project, script: str) -> str | None:
    """`README.md:12`, where a document starts the script so; None for none."""
    for name, path, line in plain_starts(project):
        parts = [part for part in name.split("/") if part not in (".", "..")]
        if parts and f"/{script}".endswith("/" + "/".join(parts)):
            return f"{path}:{line}"
    return None
