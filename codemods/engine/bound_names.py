"""Which names a text binds, and in which function: for the checks of rewritten files.

A walk of its own, so that a mistake of `syntax/scopes.py`, by which fixes are made, shows here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..nodes import children
from ..syntax.binding_rules import FUNCTIONS, IMPORTS, Meaning, bound_name, imported


@dataclass(frozen=True, slots=True)
class BoundName:
    """`name` is bound by `node`; `scope` is the function it is local to, None at module level."""

    name: str
    node: ast.AST
    scope: ast.AST | None
    meaning: Meaning | None = None  # what an import binds


def bound_names(tree: ast.AST) -> Iterator[BoundName]:
    """Every binding of module level and of functions in `tree`, in no order; names of class bodies are attributes.

    A variable of a comprehension counts as one of the function around it.
    """
    todo: list[tuple[ast.AST, ast.AST | None, bool]] = [(tree, None, False)]
    while todo:
        node, scope, in_class = todo.pop()
        for child in children(node):
            if isinstance(child, IMPORTS):
                if not in_class:
                    yield from (BoundName(name, child, scope, meaning) for name, meaning in imported(child))
                continue
            if isinstance(child, (ast.Global, ast.Nonlocal)):
                yield from (BoundName(name, child, None) for name in child.names)  # the stores may be anywhere
            name = bound_name(child)
            if name is not None and (not in_class or isinstance(child, ast.arg)):
                yield BoundName(name, child, scope)
            if isinstance(child, (*FUNCTIONS, ast.Lambda)):
                todo.append((child, child, False))
            else:
                todo.append((child, scope, in_class or isinstance(child, ast.ClassDef)))
