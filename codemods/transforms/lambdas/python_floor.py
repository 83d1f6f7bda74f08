"""Does a repository say that it runs on a Python without positional-only parameters (`def f(a, /)`, Python 3.8)?"""

from __future__ import annotations

import re

from ...project import Project

_FILES = re.compile(
    r"(^|/)(setup\.(py|cfg)|pyproject\.toml|Pipfile|tox\.ini|\.python-version|runtime\.txt|[^/]*dockerfile[^/]*"
    r"|\.?(conda|env|environment|travis|requirements)[^/]*\.ya?ml|(readme|install)[^/]*\.(md|rst|txt))$",
    re.IGNORECASE,
)
_OLD = re.compile(
    r"(?:python(?:[-_ ]?(?:requires|version|full_version))?[\s:=<>~^\"'(\[-]{0,12}v?|^)3\.[3-7](?!\d)",
    re.IGNORECASE,
)


def old_python(project: Project, path: str) -> str | None:
    """The place, in a folder above `path`, that names a Python from 3.3 to 3.7."""
    for where in project.paths:
        folder = where.rpartition("/")[0]
        near = not folder or path.startswith(folder + "/") or folder.lower() in ("docker", "docs", "doc", "install")
        source = project.source(where) if near and _FILES.search(where) else None
        named = _OLD.search(source.text) if source is not None else None
        if source is not None and named is not None:
            return f"{where}:{source.text.count(chr(10), 0, named.end()) + 1}"
    return None
