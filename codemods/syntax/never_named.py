"""Whether a class is named anywhere but where it stands."""

from __future__ import annotations

import ast
import io
import re
import tokenize

from ..project import Project
from ..questions import asked
from .repo import Repo

_MOST = 400  # texts that are searched; with more, the class may be named in any
_PACKAGING = ("setup.py", "setup.cfg", "pyproject.toml")
# names of classes that are computed, or found by a walk over a module
_COMPUTED = re.compile(
    r"\.__dict__\b|\bgetmembers\b|\bdir\(|\bvars\(\w|__subclasses__|\.(?:lower|upper|title|capitalize)\(\)"
    r"|getattr\([^()]*,\s*(?:f['\"]|[^()]*(?:\+|%))"
)
_IMPORTS = re.compile(r"import_module(?<!\wimport_module)\(|__import__\(")


def never_named(repo: Repo, path: str, line: int) -> bool:
    """No other code and no text names the class that begins there, so no program of the repository makes objects."""
    found = [(outline, node) for outline, node in repo.defined_at(path, line) if isinstance(node, ast.ClassDef)]
    if len(found) != 1 or found[0][1].decorator_list or found[0][1].keywords:
        return False
    outline, node = found[0]
    if any(
        _is_code(repo.project, other, node.name) for other in repo.project.with_words((node.name,)) if other != path
    ):
        return False
    uses = outline.named.get(node.name, ())
    inside = all(node in outline.ancestors(use) for use in uses)
    strings = (each for each in outline.of_kind(ast.Constant) if each.value == node.name)
    return inside and not any(strings) and _is_closed(repo.project) and not stands_in_text(repo.project, node.name)


def _is_code(project: Project, path: str, name: str) -> bool:
    """The word stands in the file, and not in comments alone."""
    source = project.source(path)
    try:
        tokens = [*tokenize.generate_tokens(io.StringIO(source.text).readline)] if source is not None else []
    except (tokenize.TokenError, SyntaxError):
        return True
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return source is None or any(each.type != tokenize.COMMENT and word.search(each.string) for each in tokens)


@asked
def _is_closed(project: Project) -> bool:
    """No package is installed from here, and no class is found by a computed name."""
    return not any(path.rpartition("/")[2] in _PACKAGING for path in project.paths) and not any(
        _COMPUTED.search(source.text) is not None for source in project.matching(_IMPORTS)
    )


@asked
def stands_in_text(project: Project, name: str) -> bool:
    """A file of settings, a script, a guide or a notebook has the word."""
    paths = [path for path in project.paths if not path.endswith((".py", ".pyi"))]
    if len(paths) > _MOST:
        return True
    escaped = re.escape(name)
    word = re.compile(rf"{escaped}(?<!\w{escaped})(?!\w)".encode())  # begins with the word: found many times faster
    for path in paths:
        try:
            if word.search(project.data(path)) is not None:
                return True
        except OSError:
            return True
    return False
