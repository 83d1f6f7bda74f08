"""What runs when a block runs: neither the bodies of functions, nor what the main guard holds."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from ...nodes import children
from ...syntax.callees import FUNCTIONS
from ...syntax.main_guard import is_main_process_block, is_main_process_test, is_never_true, is_other_name_test

_TESTS = frozenset({ast.If, ast.IfExp, ast.BoolOp})
_SPECIAL = _TESTS | {*FUNCTIONS, ast.Lambda, ast.ClassDef}


def own_nodes(nodes: Iterable[ast.AST], dead: Collection[ast.AST] = ()) -> Iterator[ast.AST]:
    """The nodes that run when `nodes` run: not `dead`, bodies of functions, lambdas, and what the main guard holds."""
    todo = [*nodes][::-1]  # the next one is the last
    while todo:
        node = todo.pop()
        if node in dead:
            continue
        yield node
        kind = node.__class__
        if kind not in _SPECIAL:
            todo += children(node)[::-1]
        elif is_main_process_block(node) or (isinstance(node, ast.If) and is_never_true(node.test)):
            todo += node.orelse[::-1]
        elif isinstance(node, ast.If) and is_other_name_test(node.test):
            todo += node.body[::-1]
        elif isinstance(node, ast.IfExp) and is_main_process_test(node.test):
            todo.append(node.orelse)
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) and is_main_process_test(node):
            first = next(at for at, value in enumerate(node.values) if is_main_process_test(value))
            todo += node.values[:first][::-1]
        elif kind in _TESTS:
            todo += children(node)[::-1]
