"""Guards by a flag: `IS_MAIN = __name__ == "__main__"`, and `if IS_MAIN:` below."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....syntax.main_guard import is_main_name_test
from ....syntax.outline import Outline


def under_flags(outline: Outline) -> frozenset[ast.AST]:
    """The statements that only the main process runs, as a flag of the module says that is bound once."""
    flags = {
        target.id
        for statement in outline.module.body
        if isinstance(statement, ast.Assign) and is_main_name_test(statement.value)
        for target in statement.targets
        if isinstance(target, ast.Name) and len(outline.bindings(outline.module, target.id)) == 1
    }
    return frozenset(_guarded(outline, flags)) if flags else frozenset()


def _guarded(outline: Outline, flags: set[str]) -> Iterator[ast.AST]:
    for node in outline.of_kind(ast.If):
        if isinstance(outline.scope(node), ast.Module):
            if _asks(node.test, flags):
                yield from node.body
            elif isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
                yield from node.orelse if _asks(node.test.operand, flags) else ()


def _asks(test: ast.expr, flags: set[str]) -> bool:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(_asks(value, flags) for value in test.values)
    return isinstance(test, ast.Name) and test.id in flags
