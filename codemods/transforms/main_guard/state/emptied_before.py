"""Tables that are emptied again right above the start of a worker, which has an empty one from the import."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....finding import Hop
from ....nodes import walk
from ....syntax.callees import FUNCTIONS, Callees
from ....syntax.main_guard import is_main_process_block
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ....syntax.resolver import Resolver

if TYPE_CHECKING:
    from .changed_settings import Place


def is_emptied(callees: Callees, changes: Sequence[Place], sent: Hop) -> bool:
    """`table.clear()` stands right above each start of a process in that file, of what is empty after an import."""
    clears = [
        change for change in changes if change.outline.path == sent.path and _is_cleared(callees.resolver, change)
    ]
    if not clears or _is_filled_by_imports(callees.repo, [change for change in changes if change not in clears]):
        return False
    starts = clears[0].outline.calls_of("start")
    lines = [(_cleared_above(callees, changes, clears, start), start.lineno) for start in starts]
    return all(first for first, _ in lines) and any(first <= sent.line <= last for first, last in lines)


def _cleared_above(callees: Callees, changes: Sequence[Place], clears: Sequence[Place], start: ast.Call) -> int:
    """The line of the `table.clear()` between which and `start` nothing changes the table; 0 for none."""
    outline = clears[0].outline
    around = [start, *outline.ancestors(start)]
    for clear in clears:
        statement = outline.statement(clear.node)
        block = next((each for each in _blocks(outline.parents[statement]) if statement in each), [])
        last = next((at for at, each in enumerate(block) if each in around), -1)
        inner = {node for each in block[block.index(statement) + 1 : last + 1] for node in walk(each)} if block else ()
        calls = (node for node in inner if isinstance(node, ast.Call))
        changed = any(other.node in inner for other in changes if other is not clear)
        if start in inner and not changed and not any(callees.called(outline, call) for call in calls):
            return getattr(statement, "lineno", 0)
    return 0


def _blocks(node: ast.AST) -> list[list[ast.AST]]:
    return [getattr(node, "body", []), getattr(node, "orelse", [])]


def _is_filled_by_imports(repo: Repo, changes: Sequence[Place]) -> bool:
    """One of the changes is made as a module is imported, also by functions that it calls or decorates with."""
    todo, seen = [(change.outline, change.node) for change in changes], set[str]()
    while todo:
        outline, node = todo.pop()
        scope = outline.scope(node)
        if not isinstance(scope, FUNCTIONS):
            if not _is_guarded(outline, node):
                return True
        elif scope.name.startswith("__"):
            return True
        elif scope.name not in seen:
            seen.add(scope.name)
            for other in repo.mentioning(scope.name):
                todo += [(other, use) for use in other.named.get(scope.name, ())]
                todo += [(other, use) for use in other.attributes.get(scope.name, ())]
    return False


def _is_guarded(outline: Outline, node: ast.AST) -> bool:
    return any(map(is_main_process_block, outline.ancestors(node)))


def _is_cleared(resolver: Resolver, change: Place) -> bool:
    """`TABLE.clear()`, where the module makes an empty `TABLE` and puts nothing in it by itself."""
    outline, node, statement = change.outline, change.node, change.outline.statement(change.node)
    call = statement.value if isinstance(statement, ast.Expr) else None
    func = call.func if isinstance(call, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr != "clear" or func.value is not node:
        return False
    found = resolver.bound_by(outline, node) if isinstance(node, (ast.Name, ast.Attribute)) else None
    if found is None or found[2].value is None:
        return False
    home, name, value = found[0], found[1], found[2].value
    given = (*getattr(value, "args", ()), *getattr(value, "keywords", ()), *getattr(value, "elts", ()))
    plain = isinstance(value, (ast.Dict, ast.List, ast.Call)) and not given and not getattr(value, "keys", ())
    uses = (each for each in home.named.get(name, ()) if isinstance(home.scope(each), ast.Module))
    return plain and sum(1 for _ in uses) == 1
