"""Whether statements bind a name on every path through them, or read it, which only a bound one survives."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from .binding_rules import COMPREHENSIONS

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_EXITS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements that a statement (or handler, or case) holds."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def block_with(holder: ast.AST, statement: ast.stmt) -> list[ast.stmt]:
    """The one of these lists that `statement` stands in; an empty one where it is none of them."""
    return next((block for block in blocks(holder) if statement in block), [])


def binds(block: Iterable[ast.stmt], name: str) -> bool:
    """True when `name` is bound behind the block; leaving the function or loop counts, as nothing comes behind."""
    return any(_statement_binds(statement, name) or isinstance(statement, _EXITS) for statement in block)


def reads(block: Iterable[ast.stmt], name: str) -> bool:
    """True when whoever gets past the block has read `name` on the way, so that it was bound there."""
    return any(_statement_reads(statement, name) for statement in block)


def _statement_reads(node: ast.stmt, name: str) -> bool:
    if isinstance(node, (ast.With, ast.AsyncWith)):
        if _suppresses(node):
            return False
        return any(_reads(item.context_expr, name) for item in node.items) or reads(node.body, name)
    headers = {ast.If: "test", ast.While: "test", ast.For: "iter", ast.AsyncFor: "iter", ast.Assert: "test"}
    header = headers.get(type(node))
    if header is None and not isinstance(node, (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return False
    value = getattr(node, header or "value")
    return value is not None and _reads(value, name)


def _reads(node: ast.AST, name: str) -> bool:
    """True when evaluating the expression reads `name`, whichever way its conditions turn out."""
    if isinstance(node, ast.Name):
        return node.id == name and isinstance(node.ctx, ast.Load)
    return any(_reads(part, name) for part in _surely_evaluated(node))


def _statement_binds(node: ast.stmt, name: str) -> bool:
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        return node.name == name
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return any((alias.asname or alias.name.partition(".")[0]) == name for alias in node.names)
    if isinstance(node, ast.Assign):
        return any(target_binds(target, name) for target in node.targets) or _walrus(node.value, name)
    if isinstance(node, ast.AnnAssign):
        return node.value is not None and target_binds(node.target, name)
    if isinstance(node, ast.AugAssign):
        return target_binds(node.target, name)
    if isinstance(node, ast.If):
        ways = ((node.body, True), (node.orelse, False))
        return all(test_binds(node.test, name, outcome) or binds(block, name) for block, outcome in ways)
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return not _suppresses(node) and (header_binds(node, name) or binds(node.body, name))
    if isinstance(node, ast.Try):
        if binds(node.finalbody, name):
            return True
        return binds([*node.body, *node.orelse], name) and all(binds(handler.body, name) for handler in node.handlers)
    if isinstance(node, ast.Match):
        catches_all = any(
            isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None
            for case in node.cases
        )
        return catches_all and all(pattern_binds(case.pattern, name) or binds(case.body, name) for case in node.cases)
    return isinstance(node, ast.Expr) and _walrus(node.value, name)


def _suppresses(node: ast.With | ast.AsyncWith) -> bool:
    return any(
        "suppress" in ast.unparse(item.context_expr) or "raises" in ast.unparse(item.context_expr)
        for item in node.items
    )


def header_binds(node: ast.With | ast.AsyncWith, name: str) -> bool:
    """True for `with ... as name`."""
    return any(item.optional_vars is not None and target_binds(item.optional_vars, name) for item in node.items)


def pattern_binds(pattern: ast.AST, name: str) -> bool:
    """True when a pattern that matched has bound `name`: the alternatives of an `|` all bind the same names."""
    return any(getattr(node, "name", None) == name or getattr(node, "rest", None) == name for node in ast.walk(pattern))


def target_binds(target: ast.AST, name: str) -> bool:
    """True when assigning to `target` binds `name`."""
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) for node in ast.walk(target)
    )


def test_binds(test: ast.expr, name: str, outcome: bool) -> bool:
    """True when a test that came out as `outcome` has bound `name` by a `:=`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test_binds(test.operand, name, not outcome)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is outcome:  # all its parts were asked
        return any(test_binds(value, name, outcome) for value in test.values)
    return _walrus(test, name)


def _walrus(node: ast.AST, name: str) -> bool:
    """True when evaluating the expression binds `name` by a `:=`, whichever way its conditions turn out."""
    if isinstance(node, ast.NamedExpr):
        return node.target.id == name or _walrus(node.value, name)
    return any(_walrus(part, name) for part in _surely_evaluated(node))


def _surely_evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression that are evaluated with it in every case, in the scope where it stands."""
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, COMPREHENSIONS):
        yield node.generators[0].iter
    elif isinstance(node, ast.IfExp):
        yield node.test
    elif isinstance(node, ast.BoolOp):
        yield node.values[0]
    elif isinstance(node, ast.Compare):
        yield from (node.left, node.comparators[0])
    else:
        yield from ast.iter_child_nodes(node)
