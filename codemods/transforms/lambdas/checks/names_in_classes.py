"""Code that goes through what a class binds and reads the names of its functions: `vars(cls)`, `cls.__dict__`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

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


class _Scan(NamedTuple):
    """`text` at `path`:`line` goes through what `subject` binds, and a name is read in the same function."""

    outline: Outline
    line: int
    text: str
    node: ast.expr
    subject: ast.expr


def name_read_in_class(project: Project, path: str, node: ast.Lambda) -> str | None:
    """Where the name of a lambda that the body of a class binds may be read with those of the others; in words."""
    scans, repo = project.derive(_scans), Repo(project)
    outline = repo.outline(path) if scans else None
    owner = _body_around(outline, node) if outline is not None else None
    if outline is None or owner is None:
        return None
    for scan in scans:
        if _may_be(repo, scan, Class(outline, owner)):
            where = f"line {scan.line}" if scan.outline.path == path else f"{scan.outline.path}:{scan.line}"
            return f"`{scan.text}` ({where}) goes through what its class binds, and names of functions are read there"
    return None


def _body_around(outline: Outline, node: ast.Lambda) -> ast.ClassDef | None:
    """The class whose body binds the lambda."""
    above = outline.ancestors(outline.statement(node))
    at = next((each for each in above if isinstance(each, (*FUNCTIONS, ast.ClassDef))), None)
    return at if isinstance(at, ast.ClassDef) else None


def _scans(project: Project) -> list[_Scan]:
    found: list[_Scan] = []
    for source in project.matching(_SCANS, words=_WORDS):
        outline = Repo(project).outline(source.path)
        for node, subject in _subjects(outline) if outline is not None else ():
            if outline is not None and _reads_names(outline, node):
                found.append(_Scan(outline, node.lineno, ast.unparse(node)[:60], node, subject))
    return found


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


def _may_be(repo: Repo, scan: _Scan, cls: Class) -> bool:
    """What is gone through is the class, one related to it, or what can't be followed; no object, nor a module."""
    found = repo.resolver.classes(scan.outline, scan.subject)
    if found:
        return any(repo.resolver.may_be_related(each, cls) for each in found)
    if repo.resolver.module(scan.outline, scan.subject) is not None:
        return False
    if scan.outline.is_self(scan.subject):
        if not isinstance(scan.node, ast.Call) or last_name(scan.node.func) == "vars":
            return False  # what the object keeps
        owner = scan.outline.owner(scan.subject)
        return owner is not None and repo.resolver.may_be_related(Class(scan.outline, owner), cls)
    return isinstance(scan.subject, (ast.Name, ast.Call)) or last_name(scan.subject) == "__class__"
