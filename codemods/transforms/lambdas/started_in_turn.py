"""Processes that start in the turn of the loop in which they are created: what they read has its value of that turn."""

from __future__ import annotations

import ast

from ...syntax.names import last_name
from ...syntax.scopes import Scopes


def starts_in_its_turn(scopes: Scopes, target: ast.keyword) -> bool:
    """`p = Process(target=it)` with `p.start()` behind it in the same block, or `Process(target=it).start()`."""
    call = scopes.parents[target]
    if not isinstance(call, ast.Call) or last_name(call.func) != "Process":
        return False
    above = scopes.parents[call]
    if isinstance(above, ast.Attribute):
        return above.attr == "start" and isinstance(scopes.parents[scopes.parents[above]], ast.Expr)
    if not isinstance(above, ast.Assign) or len(above.targets) != 1 or not isinstance(above.targets[0], ast.Name):
        return False
    name, block = above.targets[0].id, scopes.block_of(above)
    for statement in block[block.index(above) + 1 :]:
        if not isinstance(statement, (ast.Expr, ast.Assign)) or _binds(statement, target, name):
            return False
        started = statement.value
        if isinstance(started, ast.Call) and ast.unparse(started.func) == f"{name}.start":
            return True
    return False


def _binds(statement: ast.Expr | ast.Assign, target: ast.keyword, process: str) -> bool:
    """The statement gives the name of the process, or one that the function reads, another value."""
    read = {node.id for node in ast.walk(target.value) if isinstance(node, ast.Name)}
    stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return any(node.id in read or node.id == process for node in stored)
