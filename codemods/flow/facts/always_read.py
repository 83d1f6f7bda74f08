"""What a method reads of an attribute of `self` whenever it runs: `self.rows = self.task.rows`, under no condition."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...nodes import children, walk
from ...syntax.binding_rules import COMPREHENSIONS


def always_read(method: ast.FunctionDef | ast.AsyncFunctionDef) -> set[ast.Attribute]:
    """The reads of what the attribute is to the end of the method, which it sets itself if it is no constructor."""
    own = {_own(target) for each in method.body if isinstance(each, ast.Assign) for target in each.targets}
    constructs = method.name == "__init__"
    if not constructs and own <= {""}:
        return set()
    found: dict[str, set[ast.Attribute]] = {}
    for statement in method.body:
        reads, leaves = False, False
        stored: list[str] = []
        for node in walk(statement):
            kind = node.__class__
            if kind is ast.Attribute:
                assert isinstance(node, ast.Attribute)
                if node.ctx.__class__ is not ast.Load:
                    stored.append(_own(node))
                elif node.value.__class__ is ast.Attribute:
                    reads = reads or bool(_own(node.value))
            elif kind is ast.Return or kind is ast.Raise:
                leaves = True
        simple = reads and not hasattr(statement, "body") and not isinstance(statement, ast.Match)
        for node in _run(statement) if simple else ():
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and (name := _own(node.value)):
                found.setdefault(name, set()).add(node)
        for name in stored:
            found.pop(name, None)
        if leaves:
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
