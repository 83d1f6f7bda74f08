"""Code that stops with a NameError: what it makes gets nowhere."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ...nodes import children, end_line, walk
from ...syntax.binding_rules import BUILTINS, COMPREHENSIONS, bound_name

# builtins of Python 2 and of Windows, and what IPython, line_profiler and gettext add
_PERHAPS = frozenset(
    [
        "unicode", "basestring", "xrange", "raw_input", "long", "reduce", "reload", "unichr", "file", "cmp", "execfile",
        "buffer", "apply", "intern", "WindowsError", "get_ipython", "display", "profile", "_", "__IPYTHON__",
    ]
)  # fmt: skip
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
LOOKS_UP = frozenset({"globals", "exec", "execfile", "__builtins__", "vars"})


def stopped_lines(tree: ast.Module, unbound: Iterable[str]) -> list[tuple[int, int]]:
    """First and last lines of blocks in functions that come to no end, since they read a name that nothing binds.

    `unbound`: names that the file reads and does not bind. What stands in the block before the name is among these
    lines as far as it is only assignments and calls.
    """
    names = set(unbound)
    missing = names - BUILTINS - _PERHAPS
    if not missing or names & LOOKS_UP:
        return []
    found: list[tuple[int, int]] = []
    todo: list[tuple[ast.AST, set[str]]] = [(tree, missing)]
    for outer, names in todo:  # grows as it goes
        for node in functions_of(outer):
            left = names.difference(map(bound_name, walk(node)))  # a local of the same name is bound there
            found += _in_blocks(node.body, left)
            todo.append((node, left))
    return found


def functions_of(outer: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions in a module or function that stand in no other function of it."""
    todo = children(outer)[::-1]
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
        elif isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            todo += children(node)[::-1]


def _in_blocks(body: list[ast.stmt], missing: set[str]) -> Iterator[tuple[int, int]]:
    at = next((at for at, statement in enumerate(body) if missing & set(_surely_read(statement))), None)
    if at is not None:
        first = at
        while first and isinstance(body[first - 1], _SIMPLE):
            first -= 1
        yield body[first].lineno, end_line(body[-1])
    for statement in body:
        if isinstance(statement, (ast.If, ast.For, ast.While)):
            yield from _in_blocks(statement.body, missing)
            yield from _in_blocks(statement.orelse, missing)
        elif isinstance(statement, ast.With):
            yield from _in_blocks(statement.body, missing)


def _surely_read(statement: ast.stmt) -> Iterator[str]:
    """Names that a simple statement reads whenever it runs."""
    return (node.id for node in surely_run(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))


def surely_run(code: ast.stmt | ast.expr) -> Iterator[ast.AST]:
    """The parts of an expression, or of a simple statement, that run whenever it does; nothing of other statements."""
    todo: list[ast.AST] = [code] if isinstance(code, (*_SIMPLE, ast.expr)) else []
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, ast.BoolOp):
            todo.append(node.values[0])
        elif isinstance(node, ast.IfExp):
            todo.append(node.test)
        elif isinstance(node, COMPREHENSIONS):
            todo.append(node.generators[0].iter)
        elif isinstance(node, ast.AnnAssign):
            todo += [each for each in (node.target, node.value) if each is not None]
        elif not isinstance(node, ast.Lambda):
            todo += ast.iter_child_nodes(node)
