"""Attributes that the constructor of the object around deletes again: `del self.barrier.lock`. They do not cross."""

from __future__ import annotations

import ast
import re

from ....finding import Trace
from ....syntax.outline import Outline
from ....syntax.repo import Repo

STORED = re.compile(r"stored as `(\w+)`")  # a hop of a trace


def is_taken_off(repo: Repo, attribute: str, trace: Trace) -> bool:
    """What keeps the object next, by a trace that goes on from `self.<attribute>`, deletes it of the object."""
    kept = next(((hop, found[1]) for hop in trace if (found := STORED.match(hop.what)) is not None), None)
    outline = repo.outline(kept[0].path) if kept is not None else None
    return kept is not None and outline is not None and _deletes(outline, attribute, kept[1], kept[0].line)


def _deletes(outline: Outline, attribute: str, holder: str, line: int) -> bool:
    """A statement of the constructor that stores `self.<holder>` in this line, and a later one of the same block."""
    for node in outline.attributes.get(attribute, ()):
        scope, owner = outline.scope(node), node.value
        if isinstance(node.ctx, ast.Del) and isinstance(owner, ast.Attribute) and owner.attr == holder:
            plain = isinstance(scope, ast.FunctionDef) and outline.parents[outline.statement(node)] is scope
            if (
                plain
                and isinstance(scope, ast.FunctionDef)
                and scope.name == "__init__"
                and outline.is_self(owner.value)
            ):
                stores = [each.lineno for each in outline.attributes[holder] if isinstance(each.ctx, ast.Store)]
                return scope.lineno < line < node.lineno and not any(node.lineno <= each for each in stores)
    return False
