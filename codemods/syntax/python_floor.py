"""Does a repository say that it runs on an old Python 3?"""

from __future__ import annotations

import re
from functools import cache

from ..project import Project

_FILES = re.compile(
    r"(^|/)(setup\.(py|cfg)|pyproject\.toml|Pipfile|tox\.ini|\.python-version|runtime\.txt|[^/]*dockerfile[^/]*"
    r"|\.?(conda|env|environment|travis|requirements)[^/]*\.ya?ml|(readme|install)[^/]*\.(md|rst|txt))$",
    re.IGNORECASE,
)


@cache
def _old(below: int) -> re.Pattern[str]:
    version = rf"3\.(?:{'|'.join(map(str, range(3, below)))})(?!\d)"
    return re.compile(
        rf"(?:python(?:[-_ ]?(?:requires|version|full_version))?[\s:=<>~^\"'(\[-]{{0,12}}v?|^){version}", re.IGNORECASE
    )


def old_python(project: Project, path: str, below: int = 8) -> str | None:
    """The place, in a folder above `path`, that names a Python from 3.3 to before 3.`below`.

    3.11 has `object.__getstate__`, 3.8 positional-only parameters (`def f(a, /)`), 3.7 initializers of executors.
    """
    for where in project.paths:
        folder = where.rpartition("/")[0]
        near = not folder or path.startswith(folder + "/") or folder.lower() in ("docker", "docs", "doc", "install")
        source = project.source(where) if near and _FILES.search(where) else None
        named = _old(below).search(source.text) if source is not None else None
        if source is not None and named is not None:
            return f"{where}:{source.text.count(chr(10), 0, named.end()) + 1}"
    return None
