"""Scripts that the documents and shell scripts of a repository start by plain `python`."""

from __future__ import annotations

import posixpath
import re

from ..project import Project
from ..questions import asked
from .entry_places import ending
from .names import VARIABLES

_TEXTS = (".md", ".rst", ".sh", ".bash")
_MORE_TEXTS = (*_TEXTS, ".txt", ".yml", ".yaml", ".toml", ".cfg", ".slurm", ".sbatch", "Makefile", "Dockerfile")
_JOB = re.compile(  # a job has its variables, and so has who sets them
    rf"^#(?:SBATCH|PBS|BSUB|\$)|\b(?:{'|'.join(VARIABLES)})=", re.M
)
_LINE = re.compile(r"(?:[^\n]*\\\r?\n)*[^\n]*\n?")  # with those that go on
_GAP = r"(?:[ \t]|\\\r?\n)+"
_PLAIN = re.compile(rf"[ \t]*(?:[$>]{_GAP})?(?:\w+=\S+{_GAP})*python3?(?:{_GAP}-u)?{_GAP}([\w./-]+\.py)\b")
_SCRIPT = re.compile(r"([\w-]+\.py)\b")
_LAUNCHER = re.compile(
    r"torchrun|torch\.distributed|\bsrun\b|\bsbatch\b|\bmpi(?:run|exec)\b|deepspeed|accelerate|horovodrun"
)
_NAMES_LAUNCHER = re.compile(
    r"torchrun|torch\.distributed\.(?:launch|run|elastic)\b|torch_dist|srun|sbatch|SLURM|mpirun|mpiexec|OMPI_|"
    r"deepspeed|accelerate|horovodrun|submitit|torchx|sagemaker"
)


@asked
def _starts(project: Project) -> tuple[tuple[tuple[str, str, int], ...], frozenset[str]]:
    """What is started by plain `python`, as it is written, with file and line; last names of what launchers start."""
    plain: dict[str, tuple[str, int]] = {}
    launched: set[str] = set()
    for path in project.paths:
        source = project.source(path) if path.endswith(_TEXTS) else None
        if source is None:
            continue
        is_job, number = _JOB.search(source.text) is not None, 1
        for line in _LINE.findall(source.text):
            if _LAUNCHER.search(line):
                launched.update(_SCRIPT.findall(line))
            elif not is_job and (start := _PLAIN.match(line)) is not None:
                plain.setdefault(start[1], (path, number))
            number += line.count("\n")
    return tuple((name, *where) for name, where in plain.items()), frozenset(launched)


@asked
def speaks_of_launcher(project: Project) -> bool:
    """Whether any text of the repository, code too, names what starts ranks, or sets their variables."""
    if any(True for _ in project.matching(_NAMES_LAUNCHER)):
        return True
    texts = (project.source(path) for path in project.paths if path.endswith(_MORE_TEXTS))
    return any(_NAMES_LAUNCHER.search(text.text) or _JOB.search(text.text) for text in texts if text is not None)


def plain_start(project: Project, script: str) -> str | None:
    """`README.md:12`, where a document starts the script so, and none starts one of its name by a launcher."""
    plain, launched = _starts(project)
    if script.rpartition("/")[2] in launched:
        return None
    python = project.python_paths if plain else ()
    for name, path, line in plain:
        written = {posixpath.normpath(name), posixpath.normpath(posixpath.join(posixpath.dirname(path), name))}
        tail = "/".join(part for part in name.split("/") if part not in (".", ".."))
        if script in written or ending(python, tail) == [script]:
            return f"{path}:{line}"
    return None
