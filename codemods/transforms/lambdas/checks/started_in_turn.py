"""Processes that start in the turn of the loop in which they are created: what they read has its value of that turn.

So do the workers of a loader that is created, iterated and forgotten in one turn.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from ....syntax.names import last_name
from ....syntax.scopes import Scopes

_LOOK = frozenset({"enumerate", "tqdm", "trange", "len", "print"})  # they take from a loader and keep nothing
_HARMLESS = frozenset({"dataset", "batch_size", "sampler", "num_workers"})  # attributes that do not hold its functions


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


def lives_in_its_turn(scopes: Scopes, initializer: ast.keyword, read: Collection[str]) -> bool:
    """`with Pool(2, initializer=it) as pool:`: no worker starts behind the block, which binds nothing that it reads."""
    call = scopes.parents[initializer]
    item = scopes.parents[call]
    block = scopes.parents[item]
    if not isinstance(item, ast.withitem) or item.context_expr is not call or not isinstance(block, ast.With):
        return False
    bound = [node for each in block.body for node in ast.walk(each)]
    bound += [node for each in block.items if each.optional_vars is not None for node in ast.walk(each.optional_vars)]
    return not any(
        isinstance(node, (ast.Name, ast.arg))
        and not isinstance(getattr(node, "ctx", None), ast.Load)
        and (node.id if isinstance(node, ast.Name) else node.arg) in read
        for node in bound
    )


def iterated_in_its_turn(scopes: Scopes, argument: ast.keyword) -> bool:
    """`loader = DataLoader(..., collate_fn=it)`, a local that only statements behind it in the same block look at."""
    call = scopes.parents[argument]
    made = scopes.parents[call]
    if not isinstance(made, ast.Assign) or made.value is not call or len(made.targets) != 1:
        return False
    target = made.targets[0]
    scope = scopes.around(target)
    if not isinstance(target, ast.Name) or not scope.is_local or scopes.owner(scope, target.id) is not scope:
        return False
    if len(scope.bindings[target.id]) != 1:
        return False
    block = scopes.block_of(made)
    behind = block[block.index(made) + 1 :]
    return all(
        use.scope is scope
        and _only_looks(scopes, use.node)
        and any(above in behind for above in scopes.ancestors(use.node))
        for use in scope.uses.get(target.id, [])
    )


def _only_looks(scopes: Scopes, name: ast.Name) -> bool:
    """`for x in loader`, `for x in tqdm(loader)`, `len(loader)`, `loader.dataset`."""
    above: ast.AST = scopes.parents[name]
    if isinstance(above, ast.Attribute):
        return isinstance(above.ctx, ast.Load) and above.attr in _HARMLESS
    below: ast.AST = name
    while isinstance(above, ast.Call) and last_name(above.func) in _LOOK and below in above.args:
        if last_name(above.func) in ("len", "print"):
            return True
        below, above = above, scopes.parents[above]
    return isinstance(above, (ast.For, ast.comprehension)) and above.iter is below
