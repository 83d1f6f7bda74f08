"""Guards by a flag: `IS_MAIN = __name__ == "__main__"`, or a function that gives the same, and `if IS_MAIN:` below."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....syntax.main_guard import is_main_process_test
from ....syntax.outline import Outline

_OF_NO_CHILD = "__name__ != '__mp_main__'"  # which a spawned child of the script is called


def under_flags(outline: Outline, is_imported: bool = False) -> frozenset[ast.AST]:
    """The statements that no child runs, as a flag of the module says that is bound once, or the name of children.

    `is_imported`: by another file, so that it has a name of its own in the children of that.
    """
    named = (name for statement in outline.module.body for name in _flags(statement))
    flags = {name for name in named if len(outline.bindings(outline.module, name.removesuffix("()"))) == 1}
    flags |= {_OF_NO_CHILD} if not is_imported and outline.named.get("__name__") else set()
    return frozenset(_guarded(outline, flags)) if flags else frozenset()


def _flags(statement: ast.stmt) -> list[str]:
    """The names that stand for such a test from here on, those of functions with brackets."""
    if isinstance(statement, ast.Assign) and is_main_process_test(statement.value):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    if isinstance(statement, ast.FunctionDef) and not statement.decorator_list:
        said = statement.body[-1]
        rest = [each for each in statement.body[:-1] if not _is_text(each)]
        if isinstance(said, ast.Return) and said.value is not None and not rest and is_main_process_test(said.value):
            return [f"{statement.name}()"]
    return []


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


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
    return ast.unparse(test) in flags
