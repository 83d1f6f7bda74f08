"""How the code of a function takes what stands in a table under a name that is not written there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....syntax.callees import Function
from ....syntax.names import last_name
from ....syntax.outline import Outline

_TESTS = (ast.If, ast.IfExp, ast.While, ast.Assert, ast.BoolOp, ast.Compare)


def is_entry(outline: Outline, node: ast.expr) -> bool:
    """`settings[name]`, a name that is not written there."""
    above = outline.parents[node]
    return isinstance(above, ast.Subscript) and above.value is node and not isinstance(above.slice, ast.Constant)


def looks_up(outline: Outline, node: ast.expr, function: Function) -> bool:
    """`table[name]` in a function that does not ask whether the name is there."""
    above = outline.parents[node]
    if not is_entry(outline, node) or not isinstance(getattr(above, "ctx", None), ast.Load):
        return False
    asks = (each for each in ast.walk(function) if isinstance(each, (ast.Compare, ast.Try)))
    same = ast.dump(node)
    parts = (part for each in asks for part in ast.walk(each) if isinstance(part, type(node)))
    return not any(ast.dump(part) == same for part in parts)


def takes_by_get(outline: Outline, call: ast.Call, function: Function) -> bool:
    """`table.get(name, 0)` whose value the function takes as it is: it asks neither the table nor the value.

    `return table.get(name)` may look into a cache, and who calls that may compute what is not there.
    """
    if last_name(call.func) != "get" or not 1 <= len(call.args) <= 2 or call.keywords:
        return False
    above = outline.parents[call]
    if isinstance(above, (ast.Assign, ast.AnnAssign)):
        targets = above.targets if isinstance(above, ast.Assign) else [above.target]
        asked = {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
    elif isinstance(above, (*_TESTS, ast.NamedExpr, ast.Expr)) or (isinstance(above, ast.Return) and _or_none(call)):
        return False
    else:
        asked = set()
    table = ast.dump(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    return not any(
        (isinstance(part, ast.Name) and part.id in asked) or ast.dump(part) == table
        for test in _tests(function)
        for part in ast.walk(test)
    )


def _or_none(call: ast.Call) -> bool:
    default = call.args[1] if len(call.args) == 2 else None
    return default is None or (isinstance(default, ast.Constant) and default.value is None)


def _tests(function: Function) -> Iterator[ast.AST]:
    """What the function asks: conditions, comparisons, what it tries."""
    for node in ast.walk(function):
        if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
            yield node.test
        elif isinstance(node, (ast.BoolOp, ast.Compare, ast.Try)):
            yield node
