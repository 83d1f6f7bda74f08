"""Files that read variables of the script that is run, through `__main__`: in a spawned child these come late."""

from __future__ import annotations

import re

from ...project import Project
from .importers import Importers

_READS = re.compile(
    r"(?<![\"'\w.])(?:__main__|sys\.modules\[[\"']__main__[\"']\])\s*\.\s*(?!__)\w+(?!\w)(?!\s*(?::[^=\n]+)?=(?!=))"
)


def reads_main(project: Project, importers: Importers, path: str) -> str | None:
    """`path:line` in another file, which the script at `path` imports, that reads a variable of the main module."""
    for source in project.matching(_READS, word="__main__"):
        found = _READS.search(source.text)
        if found is not None and source.path != path and path in importers.reaching(source.path):
            return f"{source.path}:{source.position(found.start())[0]}"
    return None
