"""Scripts that the documents and shell scripts of a repository start by plain `python`."""

from __future__ import annotations

import posixpath
import re

from ..project import Project
from ..questions import asked
from .names import VARIABLES

_TEXTS = (".md", ".rst", ".sh", ".bash")
_JOB = re.compile(  # a job has its variables, and so has who sets them
    rf"^#(?:SBATCH|PBS|BSUB|\$)|\b(?:{'|'.join(VARIABLES)})=", re.M
)
_LINE = re.compile(r"(?:[^\n]*\\\r?\n)*[^\n]*\n?")  # with those that go on
_GAP = r"(?:[ \t]|\\\r?\n)+"
_PLAIN = re.compile(rf"[ \t]*(?:[$>]{_GAP})?(?:\w+=\S+{_GAP})*python3?(?:{_GAP}-u)?{_GAP}([\w./-]+\.py)\b")
_LAUNCHER = re.compile(
    r"torchrun|torch\.distributed|\bsrun\b|\bsbatch\b|\bmpi(?:run|exec)\b|deepspeed|accelerate|horovodrun"
)


@asked
def plain_starts(project: Project) -> tuple[tuple[str, str, int], ...]:
    """Path of the script as it is written there, and where: file and line."""
    plain: dict[str, tuple[str, int]] = {}
    for path in project.paths:
        source = project.source(path) if path.endswith(_TEXTS) else None
        if source is None or _JOB.search(source.text) is not None:
            continue
        number = 1
        for line in _LINE.findall(source.text):
            start = _PLAIN.match(line)
            if start is not None and not _LAUNCHER.search(line):
                plain.setdefault(start[1], (path, number))
            number += line.count("\n")
    return tuple((name, *where) for name, where in plain.items())


@asked
def _launched(project: Project) -> frozenset[str]:
    """Last names of the scripts that stand in a line with a launcher."""
    found: set[str] = set()
    for path in project.paths:
        source = project.source(path) if path.endswith(_TEXTS) else None
        for line in _LINE.findall(source.text) if source is not None and _LAUNCHER.search(source.text) else ():
            if _LAUNCHER.search(line):
                found.update(re.findall(r"([\w-]+\.py)\b", line))
    return frozenset(found)


def plain_start(project: Project, script: str) -> str | None:
    """`README.md:12`, where a document starts the script so, and none starts one of its name by a launcher."""
    if script.rpartition("/")[2] in _launched(project):
        return None
    for name, path, line in plain_starts(project):
        folder = posixpath.dirname(path)
        written = {posixpath.normpath(name), posixpath.normpath(posixpath.join(folder, name))}
        if script in written:
            return f"{path}:{line}"
        end = "/" + "/".join(part for part in name.split("/") if part not in (".", ".."))
        ending = [each for each in project.python_paths if f"/{each}".endswith(end)]
        if ending == [script]:
            return f"{path}:{line}"
    return None
