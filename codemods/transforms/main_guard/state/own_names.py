"""Files in which a name means something of their own, as far as their text alone shows it: `logger`, in most files."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Set

from ....nodes import walk
from ....project import Project
from ....questions import asked
from ....syntax.outline import Outline
from ..statements import names_bound

OBJECTS = (ast.Call, ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)


@asked
def has_own(project: Project, path: str, name: str) -> bool:
    """See `means_own`."""
    source = project.source(path)
    return source is not None and means_own(source.text, name)


def means_own(text: str, name: str) -> bool:
    """True where a file surely has no import, attribute of a module, or second name for what others call `name`.

    It only makes an object of the name, `logger = getLogger(__name__)`, and uses attributes of that. A module of the
    name from which it imports something else, `from utils.logger import getLogger`, is no such meaning.
    """
    every, own, parted = _patterns(name)
    return parted.search(text) is None and len(every.findall(text)) == len(own.findall(text))


@functools.lru_cache(maxsize=64)
def _patterns(name: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    # each begins with the name: found many times faster
    made = rf"(?<=^{name})[ \t]*=[ \t]*[A-Za-z_][\w.]*\([^():=\n]*\)[ \t]*$"
    used = rf"(?<![\w.]{name})\.[A-Za-z_]"
    module = rf"(?<=\w\.{name})[ \t]+import\b"
    return (
        re.compile(rf"{name}(?<!\w{name})(?!\w)"),
        re.compile(rf"{name}(?:{made}|{used}|{module})", re.MULTILINE),
        re.compile(rf"\.[\s\\]+{name}(?!\w)"),
    )


def may_mean_other(outline: Outline, among: Set[str]) -> bool:
    """One of these names may stand for what another file made: `cfg = __C`, or an import, see `Search.meant`."""
    imports = (node for node in outline.imports if isinstance(node, ast.ImportFrom))
    if any((alias.asname or alias.name) in (*among, "*") for node in imports for alias in node.names):
        return True
    parts = (node for name in among for node in outline.named.get(name, ()) if isinstance(node, ast.Attribute))
    if any(isinstance(part.value, ast.Name) and part.value.id in outline.imported for part in parts):
        return True  # `other.name`
    values = (item for item in outline.module.body if isinstance(item, (ast.Assign, ast.AnnAssign)))
    return any(not among.isdisjoint(names_bound(item)) and not _makes_anew(item) for item in values)


def _makes_anew(statement: ast.Assign | ast.AnnAssign) -> bool:
    """All that the statement binds is the object that it makes: `logger = getLogger(__name__)`."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return (
        isinstance(statement.value, OBJECTS)
        and all(isinstance(target, ast.Name) for target in targets)
        and not any(isinstance(node, ast.NamedExpr) for node in walk(statement.value))
    )
