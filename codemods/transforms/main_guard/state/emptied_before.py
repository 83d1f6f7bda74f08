"""Tables that are emptied again right above the start of a worker, which has an empty one from the import."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....finding import Hop
from ....nodes import end_line, walk
from ....syntax.callees import Callees
from ....syntax.outline import Outline
from ....syntax.resolver import Resolver

if TYPE_CHECKING:
    from .changed_settings import Place


def is_emptied(callees: Callees, changes: Sequence[Place], sent: Hop) -> bool:
    """`table.clear()` stands right above the start of the worker, of what is empty when it is imported."""
    for change in changes:
        outline, statement = change.outline, change.outline.statement(change.node)
        if (
            outline.path != sent.path
            or not isinstance(statement, ast.stmt)
            or not _is_cleared(callees.resolver, outline, change.node, statement)
        ):
            continue
        above = outline.parents[statement]
        blocks: list[list[ast.stmt]] = [getattr(above, "body", []), getattr(above, "orelse", [])]
        block = next((each for each in blocks if statement in each), [])
        last = next((at for at, each in enumerate(block) if each.lineno <= sent.line <= end_line(each)), -1)
        between = block[block.index(statement) + 1 : last + 1] if last >= 0 else []
        inner = {node for each in between for node in walk(each)}
        calls = [node for node in inner if isinstance(node, ast.Call) and node.lineno <= sent.line]
        if (
            between
            and not any(each.node in inner and each is not change for each in changes)
            and not any(callees.called(outline, call) for call in calls)
        ):
            return True
    return False


def _is_cleared(resolver: Resolver, outline: Outline, node: ast.AST, statement: ast.AST) -> bool:
    """`TABLE.clear()`, where the module makes an empty `TABLE` and puts nothing in it by itself."""
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
