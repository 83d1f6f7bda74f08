"""Which names a file binds, where, and what its imports make them mean: for choosing names and writing imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..nodes import children

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
IMPORTS = (ast.Import, ast.ImportFrom)
Meaning = tuple[str, "str | None"]  # (module, None) for a module, (module, name) for a name in it


@dataclass(frozen=True, slots=True)
class Binding:
    """`name` is bound by `node`; `scope` is the function it is local to, None at module level."""

    name: str
    node: ast.AST
    scope: ast.AST | None
    meaning: Meaning | None = None  # what an import binds


def imported(node: ast.AST) -> Iterator[tuple[str, Meaning]]:
    """Names that an import statement binds, each with what it then stands for. Relative imports have their dots."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                yield alias.asname, (alias.name, None)
            else:
                top = alias.name.partition(".")[0]
                yield top, (top, None)
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            yield alias.asname or alias.name, (module, alias.name)


def bindings(tree: ast.AST) -> Iterator[Binding]:
    """Every binding of module level and of functions in `tree`, in no order; names of class bodies are attributes.

    A variable of a comprehension counts as one of the function around it.
    """
    todo: list[tuple[ast.AST, ast.AST | None, bool]] = [(tree, None, False)]
    while todo:
        node, scope, in_class = todo.pop()
        for child in children(node):
            if isinstance(child, IMPORTS):
                if not in_class:
                    yield from (Binding(name, child, scope, meaning) for name, meaning in imported(child))
                continue
            if isinstance(child, (ast.Global, ast.Nonlocal)):
                yield from (Binding(name, child, None) for name in child.names)  # the stores may be anywhere
            name = _bound_by(child)
            if name is not None and (not in_class or isinstance(child, ast.arg)):
                yield Binding(name, child, scope)
            if isinstance(child, FUNCTIONS):
                todo.append((child, child, False))
            else:
                todo.append((child, scope, in_class or isinstance(child, ast.ClassDef)))


def _bound_by(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return None if isinstance(node.ctx, ast.Load) else node.id
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return node.name
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return node.name
    return node.rest if isinstance(node, ast.MatchMapping) else None


def _around(node: ast.AST, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)  # type: ignore[attr-defined,no-any-return]


def visible(module: ast.Module, name: str, at: int | None) -> list[Binding]:
    """Bindings of `name` that a use on line `at` could mean; all that are no class attributes when `at` is None."""
    return [
        binding
        for binding in _by_name(module).get(name, ())
        if binding.scope is None or at is None or _around(binding.scope, at)
    ]


@lru_cache(maxsize=4)
def _by_name(module: ast.Module) -> dict[str, list[Binding]]:
    """The bindings of a tree that is searched many times."""
    found: dict[str, list[Binding]] = {}
    for binding in bindings(module):
        found.setdefault(binding.name, []).append(binding)
    return found


def binds(module: ast.Module, name: str, at: int | None = None) -> bool:
    """True when something binds `name` at module level or in a function (with `at`: a function around line `at`).

    Attributes of classes do not count. For choosing new names and for seeing that an old one still means the same.
    """
    return bool(visible(module, name, at))
