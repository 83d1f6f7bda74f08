"""One guard in place of several: what stands between the guarded statements is defined above it, or goes along."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ....syntax.callees import FUNCTIONS
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ....syntax.resolver import Class, Resolver
from ..data import names
from ..settings import movable_setting
from ..statements import changed, is_plain, names_bound, reads_on_import

_INERT = (
    ast.Constant, ast.Name, ast.Attribute, ast.Tuple, ast.List, ast.Dict, ast.UnaryOp, ast.BinOp,
    ast.unaryop, ast.operator, ast.expr_context,
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """Statements `first`..`last` (indices into the module's body) that go under one guard, but for `above`.

    `above`: definitions and constants among them that are moved in front of the guard; `joined`: the last of them is
    a main guard, whose own line goes.
    """

    first: int
    last: int
    above: tuple[int, ...] = ()
    joined: bool = False


def one_run(
    resolver: Resolver,
    outline: Outline,
    inside: Collection[int],
    needed: Mapping[str, str] | Collection[str],
    guard: int | None = None,
) -> Run | None:
    """All of `inside` under one guard; None where something between can neither be moved above it nor go along.

    `needed`: names that a child may read; `guard`: a main guard below, whose block the statements join.
    """
    body, low, high = outline.module.body, min(inside), max(inside) if guard is None else guard - 1
    above: list[int] = []
    for at in range(low, high + 1):
        if at in inside:
            continue
        statement = body[at]
        if moves(resolver, outline, statement, [body[other] for other in range(low, at) if other not in above]):
            above.append(at)
        elif not (isinstance(statement, (ast.Import, ast.ImportFrom)) and _only_here(statement, needed)):
            return None
    return Run(low, high if guard is None else guard, tuple(above), guard is not None)


def _only_here(statement: ast.Import | ast.ImportFrom, needed: Mapping[str, str] | Collection[str]) -> bool:
    """An import that no child needs: of no name, where it is one by star."""
    bound = set(names_bound(statement))
    return not needed if "*" in bound else not any(name in needed for name in bound)


def moves(resolver: Resolver, outline: Outline, statement: ast.stmt, over: Sequence[ast.stmt]) -> bool:
    """Does `statement` give the same definition or constant in front of the statements `over`?"""
    if movable_setting(outline, statement):
        return True
    bound = set(names_bound(statement))
    if len(bound) != 1:
        return False
    (name,) = bound
    if hasattr(builtins, name) and any(
        isinstance(node, ast.Name) and node.id == name and node.lineno < statement.lineno for node in outline.nodes
    ):
        return False  # the lines before it mean the builtin
    if len(outline.bindings(outline.module, name)) != 1 or not (
        is_constant(outline, statement) or _is_inert(resolver, outline, statement)
    ):
        return False
    touched = {other for item in over for other in (*names_bound(item), *changed(item))}
    return not touched & {*_reads(outline, statement), name}


def is_constant(outline: Outline, statement: ast.stmt) -> bool:
    """Constants and arithmetic, that of `math` too: `rate = 1e-2 / sqrt(16 / 2)`."""
    return is_plain(statement, lambda call: qualified_name(outline, call.func).startswith("math."))


def _reads(outline: Outline, statement: ast.stmt) -> frozenset[str]:
    """What the statement reads on import, without modules for their decorators: a setting of `torch` changes none."""
    if not isinstance(statement, FUNCTIONS):
        return frozenset(reads_on_import(statement))
    parts = [statement.args, *([statement.returns] if statement.returns else [])]
    names = frozenset(node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name))
    marks = {node.id for mark in statement.decorator_list for node in ast.walk(mark) if isinstance(node, ast.Name)}
    modules = {
        name
        for name in marks
        if all(isinstance(item.statement, ast.Import) for item in outline.bindings(outline.module, name))
    }
    return names | (marks - modules)


def _is_inert(resolver: Resolver, outline: Outline, statement: ast.stmt) -> bool:
    """A function or class whose definition runs no code of its own."""
    if isinstance(statement, FUNCTIONS):
        defaults = [
            *statement.args.defaults,
            *(default for default in statement.args.kw_defaults if default is not None),
        ]
        plain = all(isinstance(node, _INERT) for default in defaults for node in ast.walk(default))
        return plain and all(is_pure(resolver, outline, mark) for mark in statement.decorator_list)
    if not isinstance(statement, ast.ClassDef) or statement.keywords or is_noticed(resolver, outline, statement):
        return False
    return (
        all(is_pure(resolver, outline, mark) for mark in statement.decorator_list)
        and all(isinstance(base, (ast.Name, ast.Attribute)) for base in statement.bases)
        and all(
            isinstance(inner, ast.Pass)
            or (isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant))
            or is_plain(inner)
            or (isinstance(inner, FUNCTIONS) and _is_inert(resolver, outline, inner))
            for inner in statement.body
        )
    )


def is_noticed(resolver: Resolver, outline: Outline, statement: ast.ClassDef) -> bool:
    """A base of the repository does something when a class derives from it."""
    return any(
        item.node is not statement
        and (
            any(last_name(keyword.value) != "ABCMeta" for keyword in item.node.keywords)
            or any(getattr(part, "name", "") == "__init_subclass__" for part in item.node.body)
        )
        for item in resolver.lineage(Class(outline, statement))
    )


def is_pure(resolver: Resolver, outline: Outline, mark: ast.expr) -> bool:
    if qualified_name(outline, mark.func if isinstance(mark, ast.Call) else mark) in names("pure_decorators"):
        return True
    found = resolver.definition(outline, mark)
    return found is not None and _only_wraps(found.node)


def _only_wraps(node: ast.AST) -> bool:
    """A decorator that defines a function and returns it, and does nothing else."""
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        return False
    body = node.body[ast.get_docstring(node) is not None :]
    if len(body) != 2 or not isinstance(body[0], ast.FunctionDef) or not isinstance(body[1], ast.Return):
        return False
    inner, returned = body[0], body[1].value
    defaults = [*inner.args.defaults, *(default for default in inner.args.kw_defaults if default is not None)]
    return (
        isinstance(returned, ast.Name)
        and returned.id == inner.name
        and all(isinstance(default, ast.Constant) for default in defaults)
        and all(isinstance(mark, ast.Call) and last_name(mark.func) == "wraps" for mark in inner.decorator_list)
    )
