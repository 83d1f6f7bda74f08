"""What comes from `multiprocessing.get_context("fork")`: its workers have all that their parent has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ....project import Project
from ....questions import asked
from ....syntax.names import last_name
from ....syntax.origins import origin
from ....syntax.outline import Outline
from .loader_values import is_text

_SPAWNS = re.compile(r"['\"](?:spawn|forkserver)['\"]")


def forking(outline: Outline, node: ast.expr, depth: int) -> str | None:
    """For `origin`: nothing that comes from such a context starts a program anew."""
    return "" if forks_by_context(node) else None


def only_forks(outline: Outline, line: int) -> bool:
    """What is called in that line are methods of such a context, or of what it has made: `ctx.Pool(2)`, `pool.map`."""
    bases = [
        node.func.value
        for node in outline.by_line.get(line, ())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    return any(_comes_from_one(outline, base) for base in bases)


def _comes_from_one(outline: Outline, node: ast.expr) -> bool:
    found: list[ast.expr] = []

    def special(outline: Outline, node: ast.expr, depth: int) -> str | None:
        if forks_by_context(node):
            found.append(node)
            return ""
        values = [*_kept(outline, node)]
        return origin(outline, values[0], special, depth + 1) if len(values) == 1 else None

    return not origin(outline, node, special) and bool(found)  # no other context in another branch


def _kept(outline: Outline, node: ast.expr) -> Iterator[ast.expr]:
    """What the class puts into `self.pool`."""
    if not isinstance(node, ast.Attribute) or not outline.is_self(node.value):
        return
    owner = outline.owner(node)
    named = outline.attributes.get(node.attr, ()) if owner is not None else ()
    sets = (each for each in named if isinstance(each.ctx, ast.Store) and outline.is_self(each.value))
    for above in dict.fromkeys(outline.parents[each] for each in sets):
        if isinstance(above, ast.Assign) and any(around is owner for around in outline.ancestors(above)):
            yield above.value


def forks_by_context(node: ast.expr) -> bool:
    """`get_context("fork")`, also by the name of its parameter."""
    if not isinstance(node, ast.Call) or last_name(node.func) != "get_context":
        return False
    return is_text([*node.args[:1], *(keyword.value for keyword in node.keywords)], "fork")


@asked
def names_spawn(project: Project, path: str) -> bool:
    """The text of the file names a start method by which workers inherit nothing."""
    source = project.source(path)
    return source is not None and _SPAWNS.search(source.text) is not None
