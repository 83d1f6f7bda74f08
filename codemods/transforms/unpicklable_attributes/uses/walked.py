"""What a list in the place of a generator would change for those who walk over it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ....syntax.outline import Outline
from ....syntax.repo import Repo


def leaves_early(outline: Outline, use: ast.Attribute) -> bool:
    """`for item in self.items: ... break`: the next loop goes on behind that item, and a list begins again."""
    loop = outline.parents[use]
    if not isinstance(loop, (ast.For, ast.AsyncFor)) or loop.iter is not use:
        return False
    return any(isinstance(node, (ast.Break, ast.Return)) for statement in loop.body for node in ast.walk(statement))


def read_late(repo: Repo, outline: Outline, node: ast.AST) -> tuple[str, str] | None:
    """An attribute of the object that the generator reads item by item, and where (as `path:line`) it is set later."""
    at_once = set(ast.walk(node.generators[0].iter)) if isinstance(node, ast.GeneratorExp) else set[ast.AST]()
    for read in (inner for inner in ast.walk(node) if inner not in at_once):
        if isinstance(read, ast.Attribute) and outline.is_self(read.value):
            for where, store in _stores(repo, read.attr):
                if where.scope(store) is not outline.scope(node):
                    return read.attr, f"{where.path}:{store.lineno}"
    return None


def _stores(repo: Repo, name: str) -> Iterable[tuple[Outline, ast.Attribute]]:
    for where in repo.mentioning(name):
        yield from ((where, use) for use in where.attributes.get(name, ()) if isinstance(use.ctx, ast.Store))
