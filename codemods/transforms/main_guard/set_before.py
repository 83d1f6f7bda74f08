"""Whether a global of a script has its value when a line of the main process runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...syntax.assigned import blocks
from ...syntax.callees import FUNCTIONS, Function
from ...syntax.file_tree import Scope
from ...syntax.main_guard import is_main_process_block
from ...syntax.outline import Outline
from .statements import names_bound

_DEPTH = 4  # functions between the guard and the line


class SetBefore:
    """Answers for one file."""

    def __init__(self, outline: Outline, imported: bool) -> None:
        """`imported`: another file imports this one."""
        self.outline, self.imported = outline, imported

    def calls(self, function: Function) -> list[ast.Call]:
        """Where the file calls a function of its top level, or one that is defined in a function; none where it is used
        in another way too."""
        around = self.outline.parents[function]
        if function.decorator_list or (around is self.outline.module and self.imported):
            return []
        if around is not self.outline.module and not (isinstance(around, FUNCTIONS) and function in around.body):
            return []
        uses = [use for use in self.outline.named.get(function.name, ()) if isinstance(use, ast.Name)]
        if around is not self.outline.module:
            uses = [use for use in uses if self.outline.lookup(use, function.name)[0] is around]
        return plain_calls(self.outline, around, function.name, uses)

    def bound_before(self, node: ast.AST, name: str, depth: int = 0) -> bool:
        """Whenever `node` runs, in the main process, the global has a value that the program has given it there."""
        scope = self.outline.scope(node)
        is_global = isinstance(scope, ast.Module) or (
            isinstance(scope, FUNCTIONS) and declares(self.outline, scope, name)
        )
        at, guarded = node, False
        for above in self.outline.ancestors(node):
            for block in blocks(above):
                if at in block:
                    earlier = block[: block.index(at)]
                    if any(self._binds(statement, name, is_global, depth) for statement in earlier):
                        guarded = True
            if is_global and at in getattr(above, "body", ()) and _binds_head(above, name):
                guarded = True
            if is_main_process_block(above) and isinstance(scope, ast.Module):
                return guarded
            if above is scope:
                break
            at = above
        if isinstance(scope, ast.Module):
            return False
        if guarded:
            return True
        calls = self.calls(scope) if isinstance(scope, FUNCTIONS) and depth < _DEPTH else []
        return bool(calls) and all(self.bound_before(call, name, depth + 1) for call in calls)

    def _binds(self, statement: ast.stmt, name: str, is_global: bool, depth: int) -> bool:
        """The statement gives the global a value whenever it runs to its end."""
        if isinstance(statement, ast.If):
            return bool(statement.orelse) and all(
                isinstance(block[-1], (ast.Raise, ast.Return, ast.Continue, ast.Break))
                or any(self._binds(item, name, is_global, depth) for item in block)
                for block in (statement.body, statement.orelse)
            )
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            return any(self._binds(item, name, is_global, depth) for item in statement.body)
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and (
            is_global and name in names_bound(statement)
        ):
            return True
        call = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
        called = self._own_function(call) if isinstance(call, ast.Call) and depth < _DEPTH else None
        return (
            called is not None
            and declares(self.outline, called, name)
            and any(self._binds(item, name, True, depth + 1) for item in called.body)
        )

    def _own_function(self, call: ast.Call) -> Function | None:
        found = self.outline.defined(call.func.id) if isinstance(call.func, ast.Name) else None
        return found if isinstance(found, FUNCTIONS) else None


def plain_calls(outline: Outline, scope: Scope, name: str, uses: Iterable[ast.expr]) -> list[ast.Call]:
    """The calls of what `scope` binds `name` to; none where one of `uses` is no call, or it is bound twice."""
    if len(outline.bindings(scope, name)) != 1:
        return []
    found: list[ast.Call] = []
    for use in uses:
        call = outline.parents[use]
        if not isinstance(call, ast.Call) or call.func is not use:
            return []
        found.append(call)
    return found


def _binds_head(node: ast.AST, name: str) -> bool:
    """`for name in`, `with ... as name`: bound in all of the block."""
    if isinstance(node, (ast.For, ast.AsyncFor)):
        targets: list[ast.expr | None] = [node.target]
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        targets = [item.optional_vars for item in node.items]
    else:
        return False
    return any(
        isinstance(inner, ast.Name) and inner.id == name
        for target in targets
        if target is not None
        for inner in ast.walk(target)
    )


def declares(outline: Outline, function: ast.AST, name: str) -> bool:
    """The function has `global name`."""
    assert isinstance(function, FUNCTIONS)
    return any(isinstance(node, ast.Global) and name in node.names for node in outline.own(function))
