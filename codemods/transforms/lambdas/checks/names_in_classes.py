"""Code that goes through what a class binds and reads the names of its functions: `vars(cls)`, `cls.__dict__`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ....nodes import walk
from ....project import Project
from ....syntax.binding_rules import FUNCTIONS
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ....syntax.resolver import Class

_SCANS = re.compile(r"\b(?:vars|dir|getmembers)\s*\(|__dict__")
_WORDS = ("vars", "dir", "getmembers", "__dict__")
_CALLS = ("vars", "dir", "getmembers", "getmembers_static")
_NAMES = frozenset({"__name__", "__qualname__"})


def name_read_in_class(project: Project, path: str, node: ast.Lambda) -> str | None:
    """Where the name of a lambda that the body of a class binds may be read with those of the others; in words."""
    repo = Repo(project)
    outline = repo.outline(path)
    owner = _body_around(outline, node) if outline is not None else None
    if outline is None or owner is None:
        return None
    for where in filter(None, map(repo.outline, project.derive(_scanning))):
        for scan, subject in _scans(where):
            if _may_be(repo, where, scan, subject, Class(outline, owner)):
                place = f"line {scan.lineno}" if where is outline else f"{where.path}:{scan.lineno}"
                text = ast.unparse(scan)[:60]
                return f"`{text}` ({place}) goes through what its class binds, and names of functions are read there"
    return None


def _body_around(outline: Outline, node: ast.Lambda) -> ast.ClassDef | None:
    """The class whose body binds the lambda."""
    above = outline.ancestors(outline.statement(node))
    at = next((each for each in above if isinstance(each, (*FUNCTIONS, ast.ClassDef))), None)
    return at if isinstance(at, ast.ClassDef) else None


def _scanning(project: Project) -> tuple[str, ...]:
    """The files that go through what something binds, and read names there."""
    repo = Repo(project)
    outlines = (repo.outline(source.path) for source in project.matching(_SCANS, words=_WORDS))
    return tuple(outline.path for outline in outlines if outline is not None and any(_scans(outline)))


def _scans(outline: Outline) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What goes through the names that something binds, where names of functions are read; with that."""
    return ((node, subject) for node, subject in _subjects(outline) if _reads_names(outline, node))


def _subjects(outline: Outline) -> Iterator[tuple[ast.expr, ast.expr]]:
    for name in _CALLS:
        yield from ((call, call.args[0]) for call in outline.calls.get(name, ()) if call.args)
    for attribute in outline.attributes.get("__dict__", ()):
        yield attribute, attribute.value


def _reads_names(outline: Outline, node: ast.expr) -> bool:
    """The function around reads the name of something, or has `<lambda>` to compare it with."""
    scope = outline.scope(node)
    for part in outline.own(scope) if not isinstance(scope, ast.Module) else walk(outline.statement(node)):
        if isinstance(part, ast.Attribute) and part.attr in _NAMES and last_name(part.value) not in ("cls", "type"):
            return True
        if isinstance(part, ast.Constant) and part.value in (*_NAMES, "<lambda>"):
            return True
    return False


def _may_be(repo: Repo, outline: Outline, scan: ast.expr, subject: ast.expr, cls: Class) -> bool:
    """What is gone through is the class, one related to it, or what can't be followed; no object, nor a module."""
    found = repo.resolver.classes(outline, subject)
    if found:
        return any(repo.resolver.may_be_related(each, cls) for each in found)
    if repo.resolver.module(outline, subject) is not None:
        return False
    if outline.is_self(subject):
        if not isinstance(scan, ast.Call) or last_name(scan.func) == "vars":
            return False  # what the object keeps
        owner = outline.owner(subject)
        return owner is not None and repo.resolver.may_be_related(Class(outline, owner), cls)
    return isinstance(subject, (ast.Name, ast.Call)) or last_name(subject) == "__class__"
