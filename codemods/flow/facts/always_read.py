"""What a method reads of an attribute of `self` whenever it runs: `self.rows = self.task.rows`, under no condition."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...nodes import children, walk
from ...syntax.binding_rules import COMPREHENSIONS

_LEAVES = (ast.Return, ast.Raise)


def always_read(method: ast.FunctionDef | ast.AsyncFunctionDef) -> set[ast.Attribute]:
    """The reads of what the attribute is to the end of the method, which it sets itself if it is no constructor."""
    own = {_own(target) for each in method.body if isinstance(each, ast.Assign) for target in each.targets}
    constructs = method.name == "__init__"
    if not constructs and own <= {""}:
        return set()
    found: dict[str, set[ast.Attribute]] = {}
    for statement in method.body:
        for node in _run(statement) if not hasattr(statement, "body") and not isinstance(statement, ast.Match) else ():
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and (name := _own(node.value)):
                found.setdefault(name, set()).add(node)
        nodes = [*walk(statement)]
        for node in nodes:
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                found.pop(_own(node), None)
        if any(isinstance(node, _LEAVES) for node in nodes):
            break
    return {node for name, nodes in found.items() if constructs or name in own for node in nodes}


def _own(node: ast.AST) -> str:
    """`task` of `self.task`."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if isinstance(node, ast.Attribute) and is_own else ""


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that are evaluated whenever it runs."""
    yield node
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, ast.BoolOp):
        inner: list[ast.AST] = [node.values[0]]
    elif isinstance(node, ast.IfExp):
        inner = [node.test]
    elif isinstance(node, COMPREHENSIONS):
        inner = [node.generators[0].iter]
    elif isinstance(node, ast.Compare):
        inner = [node.left, node.comparators[0]]
    elif isinstance(node, ast.Assert):
        inner = [node.test]
    else:
        inner = children(node)
    for part in inner:
        yield from _run(part)
