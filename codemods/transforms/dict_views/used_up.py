"""A view in a local variable that is used up before other code can change its dict: a list of it shows the same."""

from __future__ import annotations

import ast

from ...nodes import walk
from ...syntax.assigned import block_with
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
    block = block_with(outline.parents[statement], statement)
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


def is_taken_by_start(outline: Outline, view: ast.expr, boundary: str) -> bool:
    """`p = Process(target=f, args=(view,))`, then `p.start()`: that lets go of what it sends.

    What stands between the two changes no dict: the new process is named, or put into a list.
    """
    call = next(above for above in outline.ancestors(view) if not isinstance(above, (ast.Tuple, ast.keyword)))
    if boundary.rpartition(".")[2] != "Process" or not isinstance(call, ast.Call) or last_name(call.func) != "Process":
        return False
    given = next((word.value for word in call.keywords if word.arg == "args"), None)
    own = set(walk(view))
    others = [node for part in (*call.args, *call.keywords) for node in walk(part) if node not in own]
    if (
        not isinstance(given, ast.Tuple)
        or view not in given.elts
        or not all(_keeps_nothing(outline, node) for node in others)
    ):
        return False
    statement = outline.statement(call)
    if isinstance(statement, ast.Expr):  # `Process(...).start()`
        return isinstance(statement.value, ast.Call) and _starts(statement, call)
    if not isinstance(statement, ast.Assign) or statement.value is not call or len(statement.targets) != 1:
        return False
    name = statement.targets[0]
    block = block_with(outline.parents[statement], statement)
    if not isinstance(name, ast.Name):
        return False
    for after in block[block.index(statement) + 1 :]:
        if _starts(after, name):
            return True
        if not _prepares(outline, after, name):
            return False
    return False


def _starts(statement: ast.stmt, process: ast.expr) -> bool:
    """`process.start()`"""
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(value=started, attr="start"), args=[])):
            return started is process or ast.unparse(started) == ast.unparse(process)
    return False


def _prepares(outline: Outline, statement: ast.stmt, process: ast.Name) -> bool:
    """`process.daemon = True`, or `processes.append(process)` to a list."""
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(name), attr="daemon" | "name")], value=ast.Constant()):
            return name == process.id
        case ast.Expr(ast.Call(ast.Attribute(value=ast.Name() as kept, attr="append"), args=[ast.Name(name)])):
            bound = [binding.value for binding in outline.lookup(kept, kept.id)[1]]
            return name == process.id and bool(bound) and all(isinstance(value, ast.List) for value in bound)
    return False


def _uses(outline: Outline, scope: ast.AST, target: ast.Name) -> list[ast.Name]:
    found = (use for use in outline.named.get(target.id, ()) if isinstance(use, ast.Name) and use is not target)
    return [use for use in found if outline.lookup(use, use.id)[0] is scope]


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
