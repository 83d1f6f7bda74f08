"""A view in a local variable that is used up before other code can change its dict: a list of it shows the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...syntax.callees import FUNCTIONS
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from .data import names


def is_used_up(outline: Outline, view: ast.expr) -> bool:
    """`tasks = self.targets.keys()`, then `pickle.dump((len(tasks), tasks), file)`, and nothing else has to do with it.

    What runs from the one to the last use keeps no argument and calls none of the repository's functions.
    """
    statement, scope = outline.parents[view], outline.scope(view)
    if not isinstance(statement, ast.Assign) or not isinstance(scope, FUNCTIONS) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or len(outline.bindings(scope, target.id)) != 1:
        return False
    block = next((each for each in _blocks(outline.parents[statement]) if statement in each), [])
    at = block.index(statement) + 1 if block else 0
    holding = [_holding(outline, use, block) for use in _uses(outline, scope, target)]
    if not holding or None in holding or any(outline.scope(use) is not scope for use in _uses(outline, scope, target)):
        return False
    last = max(block.index(each) for each in holding if each is not None)
    return all(_keeps_nothing(outline, node) for each in block[at : last + 1] for node in ast.walk(each))


def is_sent_at_once(outline: Outline, view: ast.expr, boundary: str) -> bool:
    """`connection.send((view, 1))`: it is pickled before anything else can run, and nothing keeps it."""
    call = next(
        above
        for above in outline.ancestors(view)
        if not isinstance(above, (ast.Tuple, ast.List, ast.Dict, ast.keyword))
    )
    if boundary != "multiprocessing.Pipe().send" or not isinstance(call, ast.Call) or last_name(call.func) != "send":
        return False
    own = set(ast.walk(view))
    others = [node for part in (*call.args, *call.keywords) for node in ast.walk(part) if node not in own]
    return all(_keeps_nothing(outline, node) for node in others)


def _uses(outline: Outline, scope: ast.AST, target: ast.Name) -> list[ast.Name]:
    found = (use for use in outline.named.get(target.id, ()) if isinstance(use, ast.Name) and use is not target)
    return [use for use in found if outline.lookup(use, use.id)[0] is scope]


def _blocks(holder: ast.AST) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(holder, field, None)
        if isinstance(block, list):
            yield block


def _holding(outline: Outline, use: ast.AST, block: list[ast.stmt]) -> ast.stmt | None:
    """The statement of the block that holds the use."""
    return next((above for above in outline.ancestors(use) if isinstance(above, ast.stmt) and above in block), None)


def _keeps_nothing(outline: Outline, node: ast.AST) -> bool:
    """No statement or call that could keep the view, or change the dict."""
    if isinstance(node, ast.Call):
        own = isinstance(node.func, ast.Name) and any(
            not isinstance(binding.statement, (ast.Import, ast.ImportFrom))
            for binding in outline.lookup(node.func, node.func.id)[1]
        )
        return not own and qualified_name(outline, node.func) in names("keep_nothing")
    kinds = (
        *(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.Delete, ast.Return, ast.Yield, ast.YieldFrom),
        *(ast.Await, ast.Lambda, ast.ClassDef, ast.For, ast.While, ast.With, ast.Try, *FUNCTIONS),
        ast.Subscript,  # a default dict grows when it is read
    )
    return not isinstance(node, kinds)
